#include <catch2/catch.hpp>
#include <set>

#include "sim/core/config/config.h"
#include "sim/experiment/config/configs_folder.h"
#include "tests/sweep/small_sweep.h"

namespace a3sim {
namespace {

std::string id_with(const std::string& set) {
  const SweepFolder folder;
  return planned(folder, sweep_text("    one: {list: {it: {" + set + "}}}\n")).ids[0];
}

TEST_CASE("A point's id does not depend on how its configuration is written") {
  const std::string plain = id_with("");
  CHECK(plain.size() == 32);
  CHECK(plain.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(id_with("elementwise.rows: 64") == plain);            // what it is already
  CHECK(id_with("l2.start: cold, l2.policy: lru") == plain);  // defaults, in another order than they are read
  CHECK(id_with("hardware.memory.l2_size: 192 MiB") == plain);  // without its source
}

TEST_CASE("An experiment's values are those that its resolved configuration has when it is read again") {
  for (const std::filesystem::path& file : files_in(configs_folder() / "experiments")) {
    INFO(file);
    if (file.stem() == "hf") continue;  // needs a model
    const Experiment experiment = load_experiment(file, {});
    Diagnostics diagnostics;
    CHECK(Config::parse(experiment.resolved, "resolved", {}, diagnostics).values() == experiment.values);
  }
}

TEST_CASE("Every changed key is another point") {
  std::set<std::string> ids{id_with("")};
  const std::vector<std::string> changes{"elementwise.rows: 128",
                                         "elementwise.cols: 128",
                                         "elementwise.operator: Add",
                                         "elementwise.dtype: bf16",
                                         "elementwise.sweeps: 2",
                                         "elementwise.slices: 2",
                                         "l2.policy: fifo",
                                         "l2.start: warm",
                                         "l2.mode: pieces",
                                         "l2.hash: modulo",
                                         "experiment.execution: static",
                                         "order.vtq: [index]",
                                         "experiment.execution: static, order.assignment: shared",
                                         "hardware.memory.l2_size: 96 MiB",
                                         "hardware.clock: 1 GHz",
                                         "hardware.fabric.planes.hccs.egress: 1 GB/s",
                                         "workers.aiv: 10",
                                         "network.backend: simgrid",
                                         "cut.chunk: 7",
                                         "bucket.rows: 1",
                                         "hardware.memory.l2_ways: 12"};
  for (const std::string& change : changes) {
    INFO(change);
    CHECK(ids.insert(id_with(change)).second);
  }
}

TEST_CASE("The contents of a routing's file are part of a point, where it lies is not") {
  const SweepFolder folder, other;
  const std::string axes = "    routing: {list: {it: {routing.kind: file, routing.file: counts.csv}}}\n";
  const std::string even = "16,16,16,16,16,16,16,16,16,16,16,32\n";
  const auto id_of = [&](const SweepFolder& where, const std::string& last) {
    where.write("counts.csv", even + even + even + last);
    return planned(where, small_moe(axes)).ids[0];
  };
  const std::string id = id_of(folder, even);
  CHECK(id_of(other, even) == id);
  CHECK(id_of(other, "32,16,16,16,16,16,16,16,16,16,16,16\n") != id);
}

}  // namespace
}  // namespace a3sim
