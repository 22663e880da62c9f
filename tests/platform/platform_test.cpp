#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "sim/core/error.h"
#include "sim/core/registry.h"
#include "sim/network/network.h"
#include "sim/network/platform_table.h"
#include "sim/network/platform_text.h"

#if defined(__SANITIZE_ADDRESS__)
#define A3SIM_SANITIZED_TEST
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define A3SIM_SANITIZED_TEST
#endif
#endif

namespace a3sim {
namespace {

using Catch::Matchers::Contains;

// A file that is gone with the object.
class PlatformFile {
 public:
  explicit PlatformFile(const std::string& zone, const std::string& before = "") {
    static int count = 0;
    path_ =
        std::filesystem::temp_directory_path() / fmt::format("a3sim_platform_{}_{}.xml", ::getpid(), count++);
    std::ofstream(path_) << "<?xml version='1.0'?>\n"
                         << "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                         << before << "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"Full\">\n"
                         << zone << "</zone>\n</platform>\n";
  }
  PlatformFile(const PlatformFile&) = delete;
  PlatformFile& operator=(const PlatformFile&) = delete;
  ~PlatformFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string hosts(int count) {
  std::string xml;
  for (int h = 0; h < count; ++h) xml += fmt::format("<host id=\"node-{}\" speed=\"1Gf\"/>\n", h);
  return xml;
}

std::string refusal(const PlatformFile& file, const std::string& host = "node-{die}") {
  try {
    read_platform(file.path(), numbered_hosts(host, 0));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("A platform's routes and links are those of its file") {
  const PlatformFile file(
      hosts(3) +
      "<link id=\"a\" bandwidth=\"25GBps\" latency=\"1us\"/>\n"
      "<link id=\"b\" bandwidth=\"10Gbps\" latency=\"1us\" sharing_policy=\"SPLITDUPLEX\"/>\n"
      "<route src=\"node-0\" dst=\"node-1\"><link_ctn id=\"a\"/></route>\n"
      "<route src=\"node-0\" dst=\"node-2\"><link_ctn id=\"a\"/><link_ctn id=\"b\" "
      "direction=\"UP\"/></route>\n"
      "<route src=\"node-1\" dst=\"node-2\"><link_ctn id=\"b\" direction=\"UP\"/></route>\n");
  const PlatformTable table = read_platform(file.path(), numbered_hosts("node-{die}", 0));
  REQUIRE(table.hosts == 3);
  const auto route = [&](std::uint32_t from, std::uint32_t to) {
    std::string names;
    for (const std::uint32_t link : table.routes[from * 3 + to]) names += table.links[link].name + " ";
    return names;
  };
  CHECK(route(0, 1) == "a ");
  CHECK(route(1, 0) == "a ");
  CHECK(route(0, 2) == "a b_UP ");
  CHECK(route(2, 0) == "b_DOWN a ");
  for (const PlatformLink& link : table.links)
    CHECK(link.rate.count == (link.name == "a" ? 25'000'000'000 : 1'250'000'000));
}

TEST_CASE("A star that SimGrid makes of a cluster gives each host a link each way") {
  const PlatformFile file("");
  std::ofstream(file.path())
      << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
         "version=\"4.1\">\n"
         "<cluster id=\"c\" prefix=\"node-\" suffix=\".a\" radical=\"0-7\" speed=\"1Gf\" "
         "bw=\"50GBps\" lat=\"1us\"/>\n</platform>\n";
  const PlatformTable table = read_platform(file.path(), numbered_hosts("node-{die}.a", 0));
  CHECK(table.hosts == 8);
  CHECK(table.links.size() == 16);
  for (std::uint32_t from = 0; from < 8; ++from)
    for (std::uint32_t to = 0; to < 8; ++to)
      CHECK(table.routes[from * 8 + to].size() == (from == to ? 0 : 2));
}

// Returns the names of the links on each route, from lower to higher hosts.
std::string routes_of(const PlatformTable& table) {
  std::string text;
  for (std::uint32_t from = 0; from < table.hosts; ++from)
    for (std::uint32_t to = from + 1; to < table.hosts; ++to) {
      text += fmt::format("{}-{}:", from, to);
      for (const std::uint32_t link : table.routes[from * table.hosts + to])
        text += " " + table.links[link].name;
      text += "; ";
    }
  return text;
}

TEST_CASE("Hosts with names of their own are listed, as SimGrid's small_platform needs it") {
  const PlatformFile file(
      "<host id=\"Tremblay\" speed=\"98Mf\"/><host id=\"Jupiter\" speed=\"76Mf\"/><host id=\"Fafard\" "
      "speed=\"76Mf\"/>\n"
      "<link id=\"9\" bandwidth=\"7.209750MBps\" latency=\"1us\"/><link id=\"4\" bandwidth=\"10MBps\" "
      "latency=\"1us\"/>\n"
      "<link id=\"loopback\" bandwidth=\"498MBps\" latency=\"15us\" sharing_policy=\"FATPIPE\"/>\n"
      "<route src=\"Tremblay\" dst=\"Tremblay\"><link_ctn id=\"loopback\"/></route>\n"
      "<route src=\"Tremblay\" dst=\"Jupiter\"><link_ctn id=\"9\"/></route>\n"
      "<route src=\"Tremblay\" dst=\"Fafard\"><link_ctn id=\"4\"/></route>\n"
      "<route src=\"Jupiter\" dst=\"Fafard\"><link_ctn id=\"9\"/><link_ctn id=\"4\"/></route>\n");
  CHECK(routes_of(read_platform(file.path(), {{"Fafard", "Tremblay", "Jupiter"}})) ==
        "0-1: 4; 0-2: 4 9; 1-2: 9; ");
  CHECK(read_platform(file.path(), {{"Jupiter", "Fafard"}}).hosts == 2);
  CHECK_THROWS_WITH(read_platform(file.path(), {{"Jupiter", "Bourassa"}}),
                    Contains("no host is called 'Bourassa'"));
}

TEST_CASE(
    "Hosts are numbered from any number on, and a backbone that never binds is left out, as griffon needs "
    "it") {
  const PlatformFile file("");
  std::ofstream(file.path())
      << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
         "version=\"4.1\">\n"
         "<zone id=\"griffon\" routing=\"Floyd\">\n"
         "<cluster id=\"one\" prefix=\"griffon-\" suffix=\".grid5000.fr\" radical=\"1-3,58\" speed=\"286Mf\" "
         "bw=\"125MBps\" "
         "lat=\"24us\" bb_bw=\"1.25GBps\" bb_lat=\"0\" sharing_policy=\"SHARED\"/>\n"
         "<cluster id=\"two\" prefix=\"griffon-\" suffix=\".grid5000.fr\" radical=\"4-5\" speed=\"286Mf\" "
         "bw=\"125MBps\" "
         "lat=\"24us\" bb_bw=\"1.25GBps\" bb_lat=\"0\" sharing_policy=\"SHARED\"/>\n"
         "<link id=\"backbone\" bandwidth=\"1.25GBps\" latency=\"24us\" sharing_policy=\"FATPIPE\"/>\n"
         "<zoneRoute src=\"one\" dst=\"two\" gw_src=\"griffon-one_router.grid5000.fr\" "
         "gw_dst=\"griffon-two_router.grid5000.fr\">"
         "<link_ctn id=\"backbone\"/></zoneRoute>\n</zone>\n</platform>\n";
  const PlatformTable table = read_platform(file.path(), numbered_hosts("griffon-{die}.grid5000.fr", 1));
  REQUIRE(table.hosts == 5);
  const std::vector<std::uint32_t>& route = table.routes[0 * 5 + 4];
  CHECK(route.size() == 4);  // both hosts' links, and both clusters' backbones
  for (const std::uint32_t link : route) CHECK(table.links[link].name != "backbone");
  CHECK_THROWS_WITH(read_platform(file.path(), numbered_hosts("griffon-{die}.grid5000.fr", 0)),
                    Contains("no host is called 'griffon-0.grid5000.fr'") && Contains("'first'"));
  CHECK(read_platform(file.path(), numbered_hosts("griffon-{die}.grid5000.fr", 58)).hosts == 1);
}

// Returns the links of a route from one host to another as a set of rates, in MB/s, and how many there are.
std::string rates_of(const PlatformTable& table, std::uint32_t from, std::uint32_t to) {
  std::string text;
  for (const std::uint32_t link : table.routes[from * table.hosts + to])
    text += fmt::format(" {}", table.links[link].rate.count / 1'000'000);
  return text;
}

TEST_CASE("Cabinets, backbones and gateways are read unchanged, as SimGrid's data_center has them") {
  const std::filesystem::path file =
      std::filesystem::path(A3SIM_SOURCE_DIR) / "tests/platform/data_center.xml";
  const PlatformTable one = read_platform(file, numbered_hosts("host-{die}.cluster1", 1));
  CHECK(one.hosts == 20);
  CHECK(rates_of(one, 0, 19) == " 125 2250 125");  // from cabinet to cabinet, over the cluster's backbone
  CHECK(read_platform(file, numbered_hosts("host-{die}.cluster2", 31)).hosts == 10);
  const PlatformTable both =
      read_platform(file, {{"host-2.cluster1", "host-12.cluster1", "host-40.cluster2", "host-31.cluster2"}});
  // Over both gateways, which are hosts with links of their own.
  CHECK(rates_of(both, 1, 2) == " 125 2250 125 1250 125 2250 125");
  CHECK(rates_of(both, 1, 3) == " 125 2250 125 1250");
}

TEST_CASE("Sites with gateways are read unchanged, as SimGrid's g5k has them") {
  const std::filesystem::path file = std::filesystem::path(A3SIM_SOURCE_DIR) / "tests/platform/g5k.xml";
  const PlatformTable table =
      read_platform(file, {{"bordeplage-1.bordeaux.grid5000.fr", "bordereau-4.bordeaux.grid5000.fr",
                            "sagittaire-6.lyon.grid5000.fr"}});
  CHECK(rates_of(table, 0, 1) == " 125 1250 1250 1250 1250 125");  // clusters with backbones, and their links
  CHECK(rates_of(table, 0, 2) == " 125 1250 1250 1250 125");       // what joins the sites never binds
  CHECK(read_platform(file, numbered_hosts("bordeplage-{die}.bordeaux.grid5000.fr", 1)).hosts == 5);
}

TEST_CASE("What is wrong with a platform is said with its file, its line and a remedy") {
  const std::string link = "<link id=\"a\" bandwidth=\"25GBps\" latency=\"1us\"/>\n";
  const std::string route = "<route src=\"node-0\" dst=\"node-1\"><link_ctn id=\"a\"/></route>\n";
  CHECK_THAT(refusal(PlatformFile(hosts(2) + link)), Contains("no route from node-0 to node-1: add one"));
  CHECK_THAT(refusal(PlatformFile(hosts(2) + link + route), "gpu{die}"),
             Contains("no host is called 'gpu0'"));
  CHECK_THAT(refusal(PlatformFile(hosts(2) + link + route), "node"), Contains("{die}"));
  CHECK_THAT(refusal(PlatformFile(
                 hosts(2) + link +
                 "<route src=\"node-0\" dst=\"node-1\"><link_ctn id=\"a\"/><link_ctn id=\"a\"/></route>\n")),
             Contains(".xml:7: the route from node-0 to node-1 goes over link 'a' twice"));
  CHECK_THAT(refusal(PlatformFile(hosts(2) + "<link id=\"a\" bandwidth=\"0\" latency=\"1us\"/>\n" + route)),
             Contains(".xml:7: a bandwidth of '0'"));
  CHECK_THAT(refusal(PlatformFile(
                 hosts(2) +
                 "<link id=\"a\" bandwidth=\"1GBps\" latency=\"0\" sharing_policy=\"FATPIPE\"/>\n" + route)),
             Contains(".xml:7: link 'a' is not SHARED or SPLITDUPLEX, and is the slowest"));
  CHECK_THAT(refusal(PlatformFile(hosts(2) + "<link id=\"a\" bandwidth=\"1GBps\" bandwidth_file=\"x\"/>\n")),
             Contains(".xml:7: profiles over time"));
  CHECK_THAT(refusal(PlatformFile("<config id=\"c\"/>\n")), Contains(".xml:5: <config>"));
  CHECK_THAT(refusal(PlatformFile("<!-- <config> is\nno matter here -->\n<include file=\"y\"/>\n")),
             Contains(".xml:7: <include>"));
  CHECK_THAT(
      refusal(PlatformFile(hosts(2) + "<route src=\"node-0\" dst=\"node-9\"><link_ctn id=\"a\"/></route>")),
      Contains("SimGrid cannot read it"));
  CHECK_THAT(refusal(PlatformFile(hosts(2) + "<link id=\"a")), Contains("does not end"));
}

TEST_CASE("Names twice, numbers that are none, and clusters of a billion hosts are refused in their line") {
  const std::string link = "<link id=\"a\" bandwidth=\"25GBps\" latency=\"1us\"/>\n";
  const std::string route = "<route src=\"node-0\" dst=\"node-1\"><link_ctn id=\"a\"/></route>\n";
  const auto with_link = [&](const char* bandwidth, const char* latency = "1us") {
    return hosts(2) + fmt::format("<link id=\"a\" bandwidth=\"{}\" latency=\"{}\"/>\n", bandwidth, latency) +
           route;
  };
  struct Row {
    std::string zone, expected;
  };
  const std::vector<Row> rows = {
      {hosts(2) + hosts(1) + link + route, ".xml:7: there is a host 'node-0' in line 5 already"},
      {hosts(2) + link + link + route, ".xml:8: there is a link 'a' in line 7 already"},
      {hosts(2) + link + route + route, ".xml:9: there is a route from node-0 to node-1 in line 8 already"},
      {"<zone id=\"z\" routing=\"Full\"></zone>\n", ".xml:5: there is a zone 'z' in line 4 already"},
      {hosts(2) + route, ".xml:7: SimGrid cannot read it: Link not found: a"},
      {hosts(2) + link + "<route src=\"node-0\" dst=\"node-9\"><link_ctn id=\"a\"/></route>",
       ".xml:8: SimGrid cannot read it"},
      {with_link("inf"), ".xml:7: a bandwidth of 'inf'"},
      {with_link("nan"), ".xml:7: a bandwidth of 'nan'"},
      {with_link("-1GBps"), ".xml:7: a bandwidth of '-1GBps'"},
      {with_link("1e300GBps"), ".xml:7: link 'a' has inf bytes per second"},
      {with_link("1e-30Bps"), ".xml:7: link 'a' has 1e-30 bytes per second"},
      {with_link("25parsec"), ".xml:7: SimGrid cannot read it: unknown unit: parsec"},
      {with_link("1GBps", "-1us"), ".xml:7: a latency of '-1us'"},
      {with_link("1GBps") + std::string(1, '\0'), ".xml:9: a zero byte"},
      {"</zone><cluster id=\"c\" prefix=\"node-\" suffix=\"\" radical=\"0-100000000\" speed=\"1Gf\" "
       "bw=\"1GBps\" "
       "lat=\"1us\"/><zone id=\"y\" routing=\"Full\">",
       ".xml:5: a cluster of 100000001 hosts"},
      {"</zone><cluster id=\"c\" prefix=\"node-\" suffix=\"\" radical=\"0-7\" speed=\"1Gf\" bw=\"1GBps\" "
       "lat=\"1us\" "
       "topology=\"TORUS\" topo_parameters=\"9999,9999,9999\"/><zone id=\"y\" routing=\"Full\">",
       ".xml:5: a cluster of 999700029999 hosts or switches"},
      {"</zone><cluster id=\"c\" prefix=\"node-\" suffix=\"\" radical=\"0-7\" speed=\"1Gf\" bw=\"1GBps\" "
       "lat=\"1us\" "
       "topology=\"DRAGONFLY\" topo_parameters=\"1000,1;1000,1;1000,1;1\"/><zone id=\"y\" routing=\"Full\">",
       ".xml:5: a cluster of 1000000000 hosts or switches"},
  };
  for (const Row& row : rows) {
    INFO(row.zone);
    CHECK_THAT(refusal(PlatformFile(row.zone)), Contains(row.expected));
  }
  const PlatformFile untyped("");
  std::ofstream(untyped.path()) << "<?xml version='1.0'?>\n<platform version=\"4.1\"/>\n";
  CHECK_THAT(refusal(untyped), Contains(".xml:2: no document type") && Contains("simgrid.dtd"));
}

TEST_CASE("Entities that grow without bounds are not read at all") {
  const PlatformFile bomb(hosts(2), "<!DOCTYPE x [<!ENTITY a \"&b;&b;\"><!ENTITY b \"&c;&c;\">]>\n");
  CHECK_THAT(refusal(bomb), Contains(".xml:3: entities"));
}

TEST_CASE("A platform of very many links is read or refused in seconds") {
  std::string zone = hosts(2);
  for (int l = 0; l < 100'000; ++l)
    zone += fmt::format("<link id=\"l{}\" bandwidth=\"1GBps\" latency=\"1us\"/>\n", l);
  zone += "<route src=\"node-0\" dst=\"node-1\"><link_ctn id=\"l99999\"/></route>\n";
  const auto start = std::chrono::steady_clock::now();
  const PlatformFile file(zone);
  CHECK(read_platform(file.path(), numbered_hosts("node-{die}", 0)).links.size() == 1);
  for (int l = 0; l < 100'001; ++l)
    zone += fmt::format("<link id=\"m{}\" bandwidth=\"1GBps\" latency=\"1us\"/>\n", l);
  CHECK_THAT(refusal(PlatformFile(zone)), Contains("more than 200000 links"));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
}

TEST_CASE("A process that has, or had, a network of SimGrid's reads platforms all the same") {
  const PlatformFile file(hosts(2) + "<link id=\"a\" bandwidth=\"25GBps\" latency=\"1us\"/>\n" +
                          "<route src=\"node-0\" dst=\"node-1\"><link_ctn id=\"a\"/></route>\n");
  NetworkSpec spec;
  spec.egress = spec.ingress = {BytesPerSecond{1'000'000'000}};
  auto network = Registry<NetworkBackend>::get("simgrid").create(spec);
#ifdef A3SIM_SANITIZED_TEST
  CHECK_THAT(refusal(file), Contains("room for one network a process") && Contains("network.backend=native"));
#else
  for (const bool has : {true, false}) {
    if (!has) network.reset();
    const PlatformTable table = read_platform(file.path(), numbered_hosts("node-{die}", 0));
    CHECK(table.hosts == 2);
    REQUIRE(table.links.size() == 1);
    CHECK(table.links.front().rate.count == 25'000'000'000);
  }
  network = Registry<NetworkBackend>::get("simgrid").create(spec);
  CHECK(network->egress_rate(0) == 0);
#endif
}

}  // namespace
}  // namespace a3sim
