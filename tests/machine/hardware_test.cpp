#include "sim/device/hardware.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sim/core/error.h"

namespace a3sim {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(A3SIM_SOURCE_DIR) / "configs/hardware";

Hardware load(const std::string& file, const std::vector<std::string>& overrides = {}) {
  Diagnostics diagnostics;
  const Config root = Config::load(kFolder / file, overrides, diagnostics);
  Hardware hardware = read_hardware(root.map("hardware"));
  root.finish();
  diagnostics.throw_if_any();
  return hardware;
}

const Hardware::Fabric::Plane& plane(const Hardware& hardware, const std::string& name) {
  const auto& planes = hardware.fabric.planes;
  const auto found = std::ranges::find(planes, name, &Hardware::Fabric::Plane::name);
  REQUIRE(found != planes.end());
  return *found;
}

std::string error_of(const std::vector<std::string>& overrides) {
  try {
    load("a3.yaml", overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("Every hardware file loads, with a source beside each value") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const std::string file = entry.path().filename().string();
    INFO(file);
    REQUIRE_NOTHROW(load(file));
    CHECK(load(file).name == entry.path().stem().string());
    Diagnostics diagnostics;
    const Config root = Config::load(entry.path(), {}, diagnostics);
    std::map<std::string, std::string> sources;
    for (const SourcedValue& value : root.sourced()) sources[value.path] = value.source;
    for (const auto& [path, value] : root.map("hardware").values()) {
      INFO(path << ": " << value);
      const bool number = std::isdigit(static_cast<unsigned char>(value.front())) != 0;
      CHECK((!number || !sources[path].empty()));
    }
    ++files;
  }
  CHECK(files >= 2);
}

TEST_CASE("An A3 die reaches the published peak of its cubes") {
  const Hardware a3 = load("a3.yaml");
  CHECK(a3.workers.count(CoreUnit::kMatrix) == 25);
  CHECK(a3.workers.count(CoreUnit::kVector) == 50);
  CHECK(a3.memory.l2_size == 192_MiB);
  constexpr double kFlopsPerMac = 2, kPublishedPeak = 376e12;  // CloudMatrix384, arXiv 2506.12708
  const double peak = kFlopsPerMac * a3.workers.count(CoreUnit::kMatrix) * a3.cube.macs_per_cycle_16 *
                      static_cast<double>(a3.clock.count);
  CHECK(peak == Approx(kPublishedPeak).epsilon(0.01));
}

TEST_CASE("Rates and times of the A3 file are read in their units") {
  const Hardware a3 = load("a3.yaml");
  CHECK(a3.clock == Hertz{1'850'000'000});
  CHECK(a3.memory.l2_read == BytesPerSecond{5'960'000'000'000});
  CHECK(plane(a3, "hccs").egress == BytesPerSecond{122'500'000'000});
  CHECK(a3.fabric.put_fence == 225_ns);
  // Both measurements from which the law of a stream of pieces follows.
  const auto piece = [&](std::int64_t bytes) {
    return a3.fabric.put_piece + transfer_time(Bytes{bytes}, a3.fabric.put_stream);
  };
  CHECK(8192 / seconds(piece(8192)) == Approx(14e9).epsilon(0.01));
  CHECK(seconds(piece(14336)) == Approx(0.93e-6).epsilon(0.01));
  CHECK(a3.cube.l0c_to_gm == 40.6);
}

TEST_CASE("The variant with 24 and 48 cores differs from the A3 in nothing else") {
  Hardware a3 = load("a3.yaml"), variant = load("a3_24_48.yaml");
  CHECK(variant.workers.count(CoreUnit::kMatrix) == 24);
  CHECK(variant.workers.count(CoreUnit::kVector) == 48);
  CHECK(variant.cube.gm_to_l1 == a3.cube.gm_to_l1);
  CHECK(variant.vector.gm_to_ub == a3.vector.gm_to_ub);
  CHECK(variant.memory.l2_read == a3.memory.l2_read);
  CHECK(variant.fabric.put_per_worker == a3.fabric.put_per_worker);
}

TEST_CASE("An SM runs products and all else") {
  const Hardware node = load("h100_node.yaml");
  CHECK(node.workers.count(CoreUnit::kMatrix) == 132);
  CHECK(node.workers.count(CoreUnit::kVector) == 132);
  CHECK(node.workers.one_queue());
  CHECK(node.workers == WorkerKinds({{"SM", 132, {true, true}}}));
  CHECK(node.workers[0].queue() == "SMQ");
  CHECK(are_aic_and_aiv(load("a3.yaml").workers));
  constexpr double kFlopsPerMac = 2, kDataSheet = 989.4e12;
  const double peak = kFlopsPerMac * node.workers.count(CoreUnit::kMatrix) * node.cube.macs_per_cycle_16 *
                      static_cast<double>(node.clock.count);
  CHECK(peak == Approx(kDataSheet).epsilon(0.001));
  REQUIRE(node.copy_engine.has_value());
  CHECK(node.copy_engine->rate == BytesPerSecond{374'000'000'000});
  CHECK_FALSE(load("a3.yaml").copy_engine.has_value());
}

TEST_CASE("Each class of work has one kind of worker") {
  using Catch::Contains;
  CHECK_THAT(error_of({"hardware.workers.sm={count: 8, runs: [tensor]}"}),
             Contains("hardware.workers.sm.runs: 'tensor', expected matrix, vector, moves"));
  CHECK_THAT(error_of({"hardware.workers.sm={count: 8, runs: [matrix]}"}),
             Contains("hardware.workers.sm.runs: another kind of worker runs 'matrix' too"));
}

TEST_CASE("A hardware value may be overridden on the command line, beyond its range too") {
  CHECK(plane(load("a3.yaml", {"hardware.fabric.planes.hccs.egress=500 GB/s"}), "hccs").egress ==
        BytesPerSecond{500'000'000'000});
}

TEST_CASE("Impossible hardware is refused") {
  using Catch::Contains;
  CHECK_THAT(error_of({"hardware.workers.cube.count=0"}),
             Contains("hardware.workers.cube.count: 0 is out of range"));
  CHECK_THAT(error_of({"hardware.workers.cube.macs_16=0.5 MAC/cycle"}), Contains("multiple of 256"));
  CHECK_THAT(error_of({"hardware.workers.cube.macs_16=1e9 MAC/cycle"}), Contains("multiple of 256"));
  CHECK_THAT(error_of({"hardware.workers.cube.unaligned=1.5"}),
             Contains("hardware.workers.cube.unaligned: 1.5 is out of range"));
  CHECK_THAT(error_of({"hardware.memory.hbm_write=1 TB"}), Contains("is not a unit of a rate"));
  CHECK_THAT(error_of({"hardware.fabric.levels.node.latency=-1 us"}), Contains("negative"));
  CHECK_THAT(error_of({"hardware.fabric.hop=1 us"}), Contains("hardware.fabric.hop: unknown key"));
  CHECK_THAT(error_of({"hardware.fabric.planes.hccs.egres=1 GB/s"}), Contains("did you mean 'egress'?"));
  CHECK_THAT(
      error_of({"hardware.fabric.planes.rdmaa.egress=1 GB/s"}),
      Contains("hardware.fabric.planes.rdmaa: a plane with one rate") && Contains("did you mean 'rdma'?"));
  CHECK_THAT(error_of({"hardware.fabric.levels.node.plane=hcss"}), Contains("did you mean 'hccs'?"));
  CHECK_THAT(error_of({"hardware.memory.l2_size=-3 MiB"}), Contains("is negative") && !Contains("multiple"));
  CHECK_THAT(error_of({"hardware.memory.l2_size=1 MiB"}),
             Contains("hardware.memory.l2_size: 1048576 bytes, expected a multiple of 12288: 24 ways"));
}

TEST_CASE("The levels of the A3 go from the package over the node and the supernode to the cluster") {
  const auto& levels = load("a3.yaml").fabric.levels;
  REQUIRE(levels.size() == 4);
  CHECK(levels[0].name == "package");
  CHECK(levels[0].dies == 2);
  CHECK(levels[1].plane == levels[2].plane);
  CHECK(levels[2].latency > levels[1].latency);
  CHECK(levels[3].dies == kNone);
}

TEST_CASE("Levels that are not made of whole ones, or go through no plane, are refused") {
  using Catch::Contains;
  CHECK_THAT(error_of({"hardware.fabric.levels.node.dies=3"}),
             Contains("3 dies, expected a multiple of the 2 of level 'package'"));
  CHECK_THAT(error_of({"hardware.fabric.levels.node.dies=2"}), Contains("expected a multiple"));
  CHECK_THAT(error_of({"hardware.fabric.levels.node.plane=ether"}),
             Contains("hardware.fabric.levels.node.plane") && Contains("known: sio"));
  CHECK_THAT(error_of({"hardware.fabric.levels.moon={latency: 1 s, plane: rdma}"}),
             Contains("only the last level may leave out its dies"));
}

}  // namespace
}  // namespace a3sim
