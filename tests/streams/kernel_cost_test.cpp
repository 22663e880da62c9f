#include "sim/device/kernel_cost.h"

#include <catch2/catch.hpp>
#include <vector>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/run/run_experiment.h"

using namespace a3sim;

namespace {

Experiment gemm_on(const std::string& hardware, const std::vector<std::string>& set) {
  const std::filesystem::path configs = configs_folder();
  return parse_experiment("include: [experiments/gemm.yaml, hardware/" + hardware + ".yaml, programs/" +
                              (hardware == "h100_node" ? "cuda" : "cann") + ".yaml]\n",
                          (configs / "x.yaml").string(), set);
}

// A product as the taskflow's kernels run it, block by block through the L2.
Duration tile_by_tile(const Experiment& experiment) {
  const Compiled compiled = compile_all(experiment);
  const Duration launch = first_launch(experiment.program, experiment.run.launch);
  return run_pass(experiment, compiled, 0, options_of(experiment, false)).makespan - launch;
}

}  // namespace

TEST_CASE("A kernel takes as long as the same product tile by tile through the L2") {
  const std::string hardware = GENERATE("a3_24_48", "h100_node");
  const std::uint32_t m = GENERATE(512U, 2048U, 4096U);
  constexpr std::uint32_t kN = 4096, kK = 6144;
  const Experiment experiment =
      gemm_on(hardware, {"graph.sizes.m=" + std::to_string(m), "graph.sizes.n=4096", "graph.sizes.k=6144",
                         "l2.start=cold", "network.backend=native"});
  KernelCost cost(experiment.hardware, experiment.program, experiment.cut.tiling);
  const std::vector<std::uint32_t> rows{m};
  const Duration whole = cost.products(rows, kN, kK, experiment.workers.count(CoreUnit::kMatrix)).ideal;
  const double tiles = seconds(tile_by_tile(experiment));
  INFO(hardware << ", " << m << " rows: " << seconds(whole) * 1e6 << " us, tile by tile " << tiles * 1e6);
  // Where cubes wait for panels from the HBM, few waves differ more from one another.
  const bool few = hardware == "a3_24_48" && m == 512;
  CHECK(seconds(whole) == Approx(tiles).epsilon(few ? 0.2 : 0.06));
}

TEST_CASE("Products of several experts fill each other's last waves") {
  const Experiment experiment = gemm_on("h100_node", {});
  KernelCost cost(experiment.hardware, experiment.program, experiment.cut.tiling);
  // Half of the SMs have a block of each.
  const std::vector<std::uint32_t> one{512}, two{512, 512}, none{0, 0};
  constexpr std::uint32_t kN = 256 * 16, kK = 4096;  // 4 x 16 blocks on 132 SMs
  CHECK(cost.products(two, kN, kK, 132).ideal == cost.products(one, kN, kK, 132).ideal);
  CHECK(cost.products(two, kN, kK, 66).ideal > cost.products(one, kN, kK, 66).ideal);
  CHECK(cost.products(none, kN, kK, 132).ideal == Duration::zero());
}

TEST_CASE(
    "Products in streams use as many workers as they have blocks, and share them with the other streams'") {
  const Experiment experiment = gemm_on("h100_node", {});
  KernelCost cost(experiment.hardware, experiment.program, experiment.cut.tiling);
  constexpr std::uint32_t kN = 256 * 16, kK = 4096;
  const std::vector<std::uint32_t> small{128}, four(4, 128), eight(8, 128),
      mixed{128, 0, 128};  // 16 blocks each
  const auto ideal = [&](const std::vector<std::uint32_t>& rows, std::uint32_t workers,
                         std::uint32_t streams) {
    return seconds(cost.products(rows, kN, kK, workers, streams).ideal);
  };
  const double one = ideal(small, 132, 4);
  CHECK(one == Approx(ideal(small, 132, 0)));
  CHECK(ideal(four, 132, 4) == Approx(one));       // 64 of 132 workers
  CHECK(ideal(four, 132, 1) == Approx(4 * one));   // one after the other
  CHECK(ideal(eight, 132, 4) == Approx(2 * one));  // two in each stream, though 128 blocks would fit at once
  CHECK(ideal(four, 32, 4) == Approx(2 * one));    // 64 blocks on 32 workers
  CHECK(ideal(mixed, 132, 2) == Approx(one));      // what has no rows is in no stream
}

TEST_CASE("A vector kernel that moves more than the HBM serves is as slow as a copy") {
  const Experiment experiment = gemm_on("h100_node", {});
  const KernelCost cost(experiment.hardware, experiment.program, experiment.cut.tiling);
  constexpr double kBytes = 256e6, kPublished = 2.5e12;  // nccl#1264: read and written
  const MemoryJob job = cost.vector({kBytes, kBytes, {}}, 132);
  const double hbm = job.bytes[2] / static_cast<double>(experiment.hardware.memory.hbm_read.count);
  CHECK(2 * kBytes / hbm == Approx(kPublished).epsilon(0.01));
  CHECK(seconds(job.ideal) < hbm);
}
