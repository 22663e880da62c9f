#include "sim/runtime/cable_planes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>

#include "sim/core/error.h"
#include "sim/runtime/topology.h"
#include "tests/runtime/links.h"
#include "tests/runtime/small_machine.h"

namespace a3sim {
namespace {

constexpr std::int64_t kGB = 1'000'000'000;
constexpr BytesPerSecond kPort{100 * kGB};

// One switched plane, whatever lies between the ports.
Hardware switched() {
  Hardware hardware = small_machine();
  hardware.fabric.planes = {{"hccs", kPort, kPort, kPort}};
  hardware.fabric.levels = {{"cluster", kNone, 0, 1_us}};
  return hardware;
}

std::vector<std::uint32_t> first_dies(std::uint32_t count) {
  std::vector<std::uint32_t> dies(count);
  std::iota(dies.begin(), dies.end(), 0);
  return dies;
}

CablePlanes planes_of(const std::string& yaml, std::uint32_t ranks) {
  Diagnostics diagnostics;
  const Config config = Config::parse(yaml, "network.yaml", {}, diagnostics);
  const CablePlanes planes = read_cable_planes(config, switched().fabric, first_dies(ranks));
  config.finish();
  diagnostics.throw_if_any();
  return planes;
}

Topology topology_of(const std::string& yaml, std::uint32_t ranks) {
  return Topology(switched(), small_program(), first_dies(ranks), Transport::kPuts, 0,
                  planes_of(yaml, ranks));
}

// When the last of an all-to-all of `bytes` a pair has left, in seconds.
double all_to_all(const Topology& topology, std::int64_t bytes) {
  const auto network = Registry<NetworkBackend>::get("native").create(topology.network());
  std::uint32_t token = 0;
  for (std::uint32_t s = 0; s < topology.ranks(); ++s) {
    for (std::uint32_t d = 0; d < topology.ranks(); ++d) {
      if (s == d) continue;
      const Topology::Route route = topology.route(RankId{s}, RankId{d});
      network->start(Time(Duration(0)), {route.from, route.to, {bytes}, route.port, token++, route.path});
    }
  }
  std::vector<std::uint32_t> ended;
  Time now{};
  while (ended.size() < token) {
    now = network->next_end();
    network->advance(now, ended);
  }
  return static_cast<double>(now.time_since_epoch().count()) * 1e-12;
}

const char* const kTwoToOne =
    "topology: {hccs: {kind: two_level, leaves: 4, leaf: 4, spines: 2, rate: 100 GB/s, oversubscription: "
    "2}}\n";
const char* const kNonBlocking =
    "topology: {hccs: {kind: two_level, leaves: 4, leaf: 4, spines: 2, rate: 100 GB/s}}\n";

}  // namespace

TEST_CASE("An all-to-all takes as long as its ports or its bisection, whichever is slower") {
  // N hosts, m under a leaf, U cables up at the port's rate c: (N - 1) B / c through a port, m (N - m) B / (U c) up a leaf.
  constexpr double kBytes = 1e6, kRate = 100e9;
  const double port = 15 * kBytes / kRate, up = 4 * 12 * kBytes / (2 * kRate);
  CHECK(all_to_all(topology_of(kTwoToOne, 16), 1'000'000) == Approx(std::max(port, up)).epsilon(1e-9));
  CHECK(all_to_all(topology_of(kNonBlocking, 16), 1'000'000) == Approx(port).epsilon(1e-9));
}

TEST_CASE(
    "Two to one, flows across share what goes up, and those under one leaf have the rest of their ports") {
  // Published closed form: 4 x 4 hosts at 100 GB/s, two cables up: 200 / 48 = 4.1667 GB/s across; (100 - 12 x 4.1667) / 3
  // = 16.667 GB/s inside.
  const Topology topology = topology_of(kTwoToOne, 16);
  NetworkSpec spec = topology.network();
  const auto network = Registry<NetworkBackend>::get("native").create(spec);
  std::uint32_t token = 0;
  for (std::uint32_t s = 0; s < 16; ++s) {
    for (std::uint32_t d = 0; d < 16; ++d) {
      if (s == d) continue;
      const Topology::Route route = topology.route(RankId{s}, RankId{d});
      network->start(Time(Duration(0)), {route.from, route.to, {1'000'000}, route.port, token++, route.path});
    }
  }
  double up = 0;
  for (std::uint32_t c = 0; c < spec.cables.size(); ++c) up = std::max(up, network->cable_rate(c));
  CHECK(up == Approx(100e9).epsilon(1e-9));  // each of two cables is full
  CHECK(network->egress_rate(0) == Approx(100e9).epsilon(1e-9));
  std::vector<std::uint32_t> ended;
  const Time first = network->next_end();
  CHECK(static_cast<double>(first.time_since_epoch().count()) * 1e-12 ==
        Approx(1e6 / (50e9 / 3)).epsilon(1e-9));
}

TEST_CASE("Where no cable can bind, the network is one of ports alone") {
  const Topology plain(switched(), small_program(), first_dies(16), Transport::kPuts);
  const Topology tree = topology_of(kNonBlocking, 16);
  CHECK(!tree.has_cables());
  CHECK(tree.network().egress == plain.network().egress);
  for (std::uint32_t s = 0; s < 16; ++s) {
    for (std::uint32_t d = 0; d < 16; ++d) {
      if (s != d) CHECK(tree.route(RankId{s}, RankId{d}).path == 0);
    }
  }
  // Single paths over the same tree may meet on a cable.
  CHECK(topology_of(std::string(kNonBlocking) + "routes: {hccs: {kind: hash}}\n", 16).has_cables());
}

TEST_CASE("Routes go round dead cables, and slow ones hold up what is split over them") {
  const std::string tree = kNonBlocking;  // each leaf has 200 GB/s to each of two spines
  const double across = 4 * 12 * 1e6;     // bytes up a leaf
  CHECK(all_to_all(topology_of(tree + "damage: [{switch: spine1, factor: 0}]\n", 16), 1'000'000) ==
        Approx(across / 200e9).epsilon(1e-9));
  // Half of what leaves leaf0 goes over the cable at half its rate; the other half over one at the full rate.
  CHECK(all_to_all(topology_of(tree + "damage: [{cable: leaf0->spine1, factor: 0.5}]\n", 16), 1'000'000) ==
        Approx(across / 2 / 100e9).epsilon(1e-9));
  CHECK(all_to_all(topology_of(tree + "damage: [{level: spine-leaf, factor: 0.25}]\n", 16), 1'000'000) ==
        Approx(across / 2 / 50e9).epsilon(1e-9));
  // Nothing is dead: as before.
  CHECK_FALSE(topology_of(tree + "damage: [{cable: leaf0-spine1, factor: 1}]\n", 16).has_cables());
  // A hash spreads over what is left; the topology's own routes know no other way.
  const Topology hashed =
      topology_of(tree + "routes: {hccs: {kind: hash}}\ndamage: [{switch: spine0, factor: 0}]\n", 16);
  CHECK(all_to_all(hashed, 1'000'000) == Approx(across / 200e9).epsilon(1e-9));
  CHECK_THROWS_WITH(topology_of(tree + "routes: {hccs: given}\ndamage: [{switch: spine1, factor: 0}]\n", 16),
                    Catch::Matchers::Contains("routes 'given' know no other"));
  CHECK_THROWS_WITH(
      topology_of(tree + "damage: [{cable: leaf0-spine0, factor: 0}, {cable: leaf0-spine1, factor: 0}]\n",
                  16),
      Catch::Matchers::Contains("no way is left from host 0 to host 4"));
  CHECK_THROWS_WITH(topology_of(tree + "damage: [{cable: leaf0-spine7, factor: 0}]\n", 16),
                    Catch::Matchers::Contains("network.yaml:2:18") &&
                        Catch::Matchers::Contains("has no cable 'leaf0-spine7'"));
}

TEST_CASE("A cable that comes and goes does so while bytes flow, and its use is told") {
  const CablePlanes planes = planes_of(
      "topology: {hccs: {kind: full, hosts: 2, rate: 100 GB/s}}\n"
      "damage: [{cable: host0->host1, factor: 0.5, period: 10 us, duty: 40 %}]\n",
      2);
  Hardware hardware = switched();
  hardware.fabric.put_per_worker = hardware.fabric.planes[0].egress;
  Links links(2, hardware, nullptr, planes);
  Engine engine;
  constexpr std::uint32_t kRows = 1 << 12;
  links[0].start(engine, 0, put_of(1, kRows), OpId{0}, 1);
  engine.run();
  // Without damage the put would be held by its worker's rate; what the cable lacks comes on top.
  const double bytes = static_cast<double>(kRows) * kRowBytes;
  const std::vector<CableUse> uses = links.fabric().cable_uses(links.sites[0].left[0]);
  REQUIRE(uses.size() == 1);
  CHECK(uses[0].name == "host0->host1");
  CHECK(uses[0].bytes == bytes);
  // The closed form: 4 us of every 10 at half the rate, from the job's start; it starts up first.
  double now = seconds(kStartup), left = bytes;
  while (left > 0) {
    const double into = std::fmod(now, 10e-6), until = into < 4e-6 ? 4e-6 - into : 10e-6 - into;
    const double rate = into < 4e-6 ? 50e9 : 100e9;
    const double passes = std::min(until, left / rate);
    left -= passes * rate;
    now += passes + 1e-18;
    if (left < 1) break;
  }
  CHECK(seconds(links.sites[0].left[0].time_since_epoch()) == Approx(now).epsilon(1e-6));
}

TEST_CASE("Equal cables that carry the same are one, and a full mesh gives each pair its cable") {
  // Four leaves, a trunk up and one down each, whatever the number of spines.
  CHECK(topology_of(kTwoToOne, 16).network().cables.size() == 8);
  const Topology mesh = topology_of("topology: {hccs: {kind: full, hosts: 8, rate: 28 GB/s}}\n", 8);
  CHECK(mesh.route(RankId{0}, RankId{7}).port == BytesPerSecond{28 * kGB});
  CHECK(all_to_all(mesh, 1'000'000) == Approx(1e6 / (100e9 / 7)).epsilon(1e-9));  // ports, not cables
}

TEST_CASE("Planes, kinds and sizes that do not fit are refused where they stand") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(planes_of("topology: {sio: {kind: full, hosts: 4, rate: 1 GB/s}}", 2),
                    Catch::Matchers::Contains("network.yaml:1:17") &&
                        Catch::Matchers::Contains("no such plane, expected hccs"));
  CHECK_THROWS_WITH(planes_of("topology: {hccs: {kind: full, hosts: 4, rate: 1 GB/s}}", 5),
                    Catch::Matchers::Contains("4 hosts, and a rank lies on die 4"));
  CHECK_THROWS_WITH(planes_of("routes: {hccs: even}", 2),
                    Catch::Matchers::Contains("no topology of this plane"));
  CHECK_THROWS_WITH(
      planes_of("topology: {hccs: {kind: full, hosts: 4, rate: 1 GB/s}}\nroutes: {hccs: ecmp}", 2),
      Catch::Matchers::Contains("network.yaml:2:"));
}

namespace {

// When each pair's bytes have left: by what starts on the simulated ranks alone.
std::vector<double> ends_of_all_to_all(const Topology& topology) {
  const auto network = Registry<NetworkBackend>::get("native").create(topology.network());
  std::vector<double> ends(std::size_t{topology.devices()} * topology.ranks(), 0);
  std::size_t flows = 0;
  for (std::uint32_t s = 0; s < topology.devices(); ++s) {
    for (std::uint32_t d = 0; d < topology.ranks(); ++d) {
      if (s == d) continue;
      const Topology::Route route = topology.route(RankId{s}, RankId{d});
      // Sizes that turns of the group leave as they are.
      const std::int64_t bytes = 1'000'000 + 10'000 * ((d + topology.ranks() - s) % topology.ranks());
      network->start(Time(Duration(0)),
                     {route.from, route.to, {bytes}, route.port, s * topology.ranks() + d, route.path});
      ++flows;
    }
  }
  std::vector<std::uint32_t> ended;
  while (ended.size() < flows) {
    const std::size_t before = ended.size();
    const Time now = network->next_end();
    network->advance(now, ended);
    for (std::size_t i = before; i < ended.size(); ++i)
      ends[ended[i]] = static_cast<double>(now.time_since_epoch().count());
  }
  return ends;
}

Topology standing_for_others(const std::string& yaml, std::uint32_t ranks, std::uint32_t devices) {
  return Topology(switched(), small_program(), first_dies(ranks), Transport::kPuts, devices,
                  planes_of(yaml, ranks));
}

}  // namespace

TEST_CASE("Ranks of one leaf stand for all others on a tree whose cables bind, to the picosecond") {
  // A tree of three levels is turned by a whole pod of two leaves.
  const std::string three_levels =
      "topology: {hccs: {kind: fat_tree, levels: [{name: a, down: 4, rate: 100 GB/s}, {name: b, down: 2, up: "
      "2, "
      "rate: 70 GB/s}, {name: c, down: 2, rate: 90 GB/s}]}}\n";
  const std::pair<std::string, std::uint32_t> cases[] = {
      {kTwoToOne, 4},
      {kTwoToOne, 8},
      {std::string(kTwoToOne) + "damage: [{switch: spine1, factor: 0}]\n", 4},
      {three_levels, 8},
      {"topology: {hccs: {kind: full, hosts: 16, rate: 3 GB/s}}\n", 4}};
  for (const auto& [yaml, devices] : cases) {
    INFO(yaml);
    const std::vector<double> all = ends_of_all_to_all(topology_of(yaml, 16)),
                              some = ends_of_all_to_all(standing_for_others(yaml, 16, devices));
    CHECK(standing_for_others(yaml, 16, devices).has_cables());
    for (std::size_t i = 0; i < some.size(); ++i) CHECK(std::abs(all[i] - some[i]) <= 1);
  }
  CHECK_THROWS_WITH(standing_for_others(three_levels, 16, 4),
                    Catch::Matchers::Contains("no cable carries the flows"));
}

TEST_CASE("What turns of a group do not map onto itself is refused by its cable, unless no cable can bind") {
  const auto refusal = [](const std::string& yaml, std::uint32_t ranks, std::uint32_t devices) {
    try {
      standing_for_others(yaml, ranks, devices);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  using Catch::Matchers::Contains;
  // Turned by one rank, a leaf's ranks come to lie under two leaves.
  CHECK_THAT(refusal(kTwoToOne, 16, 1), Contains("no cable carries the flows") && Contains("expected all"));
  CHECK_THAT(refusal(std::string(kTwoToOne) + "routes: {hccs: {kind: hash}}\n", 16, 4),
             Contains("no cable carries the flows"));
  CHECK_THAT(refusal(std::string(kTwoToOne) + "damage: [{cable: leaf1->spine0, factor: 0.5}]\n", 16, 4),
             Contains("has another rate and takes the place of cable leaf"));
  CHECK_THAT(refusal(std::string(kTwoToOne) +
                         "damage: [{cable: leaf1->spine0, factor: 0.5, period: 1 ms, duty: 50 %}]\n",
                     16, 4),
             Contains("cable leaf1->spine0 comes and goes"));
  for (const std::uint32_t devices : {1U, 2U, 4U, 8U})
    CHECK_FALSE(standing_for_others(kNonBlocking, 16, devices).has_cables());
}

TEST_CASE("Cables carry what ranks send that others stand for, too") {
  const auto loads = [](const Topology& topology) {
    std::vector<double> bytes(16 * 16, 0);
    for (std::uint32_t s = 0; s < topology.devices(); ++s)
      for (std::uint32_t d = 0; d < 16; ++d) bytes[s * 16 + d] = 1000 + (d + 16 - s) % 16;
    std::vector<double> carried;
    for (const Topology::CableLoad& load : topology.cable_loads(bytes)) carried.push_back(load.bytes);
    return carried;
  };
  CHECK(loads(topology_of(kTwoToOne, 16)) == loads(standing_for_others(kTwoToOne, 16, 4)));
}

TEST_CASE("A SimGrid platform takes as long as the same tree in YAML, flow by flow") {
  // Four hosts a leaf, one spine, two to one; each route as the file says it.
  std::string xml =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\n";
  for (int h = 0; h < 16; ++h) {
    xml += fmt::format(
        "<host id=\"die{0}\" speed=\"1Gf\"/><link id=\"l{0}\" bandwidth=\"100GBps\" latency=\"1us\" "
        "sharing_policy=\"SPLITDUPLEX\"/>\n",
        h);
  }
  for (int l = 0; l < 4; ++l)
    xml += fmt::format(
        "<link id=\"up{}\" bandwidth=\"200GBps\" latency=\"1us\" sharing_policy=\"SPLITDUPLEX\"/>\n", l);
  for (int s = 0; s < 16; ++s) {
    for (int d = s + 1; d < 16; ++d) {
      const std::string across = s / 4 == d / 4
                                     ? ""
                                     : fmt::format(
                                           "<link_ctn id=\"up{}\" direction=\"UP\"/><link_ctn id=\"up{}\" "
                                           "direction=\"DOWN\"/>",
                                           s / 4, d / 4);
      xml += fmt::format(
          "<route src=\"die{}\" dst=\"die{}\"><link_ctn id=\"l{}\" direction=\"UP\"/>{}<link_ctn id=\"l{}\" "
          "direction=\"DOWN\"/></route>\n",
          s, d, s, across, d);
    }
  }
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("a3sim_tree_{}.xml", ::getpid());
  std::ofstream(file) << xml << "</zone></platform>\n";
  const Topology platform =
      topology_of("topology: {hccs: {kind: platform, file: " + file.string() + ", host: 'die{die}'}}\n", 16);
  std::filesystem::remove(file);
  const Topology tree = topology_of(
      "topology: {hccs: {kind: two_level, leaves: 4, leaf: 4, spines: 1, rate: 100 GB/s, oversubscription: "
      "2}}\n",
      16);
  CHECK(platform.has_cables());
  CHECK(ends_of_all_to_all(platform) == ends_of_all_to_all(tree));
}

TEST_CASE("Whose bytes a cable carries is told, the largest first, and they are all of its bytes") {
  const Topology topology = topology_of(kTwoToOne, 16);
  std::vector<double> bytes(16 * 16, 1000);
  bytes[1 * 16 + 9] = 5000;
  for (const Topology::CableLoad& load : topology.cable_loads(bytes)) {
    const Cable* const cable = load.cable;
    const std::vector<CableTraffic> traffic = topology.cable_traffic({&cable, 1}, bytes).front();
    double sum = 0;
    for (const CableTraffic& pair : traffic) sum += pair.bytes;
    CHECK(sum == Approx(load.bytes).epsilon(1e-12));
    if (cable->name() != "leaf0->spine1") continue;
    CHECK(traffic.size() == 4 * 12);  // from each host of the leaf to each elsewhere
    CHECK(traffic.front().src == 1);
    CHECK(traffic.front().dst == 9);
    CHECK(traffic.front().bytes == 2500);  // half goes over the other spine
  }
}

}  // namespace a3sim
