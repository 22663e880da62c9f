#include <fmt/format.h>

#include <algorithm>

#include "sim/experiment/config/workload.h"

namespace a3sim {
namespace {

// Reads a product of a tensor-parallel group whose rows are gathered before it, or whose partial sums are
// scattered after it.
void read_gathered_gemm(const Config& root, const Config& /*block*/, Experiment& experiment) {
  const Config config = root.map("gemm");
  constexpr std::int64_t kMostRanks = 64;
  const auto size = [&](std::string_view key, std::int64_t most) {
    return static_cast<std::uint32_t>(config.integer(key, 1, most));
  };
  GatheredGemm gemm;
  gemm.m = size("m", kMostShape);
  gemm.n = size("n", kMostShape);
  gemm.k = size("k", kMostShape);
  gemm.ranks = size("ranks", kMostRanks);
  gemm.scatter = config.choice("collective", {"all_gather", "reduce_scatter"}, "all_gather") == 1;
  gemm.dtype = read_dtype(config);
  gemm.tiles = !in_kernels(experiment) && experiment.run.transport == Transport::kPuts;
  // Two tasks per AIV.
  gemm.reduce_rows = std::max(1U, gemm.m / gemm.ranks / (2 * experiment.workers.count(CoreUnit::kVector)));
  if (gemm.m % gemm.ranks != 0)
    config.error("m",
                 fmt::format("{} rows on {} ranks, expected a multiple of the ranks", gemm.m, gemm.ranks));
  check_fits_memory(config, experiment.hardware.memory.hbm_size, {"m", "n", "k"},
                    2.0 * gemm.m * gemm.k + 2.0 * gemm.m * gemm.n + 1.0 * gemm.k * gemm.n, gemm.dtype);
  config.finish();
  experiment.parallel.tp_stride = 1;
  experiment.parallel.ep = experiment.shape.ep = gemm.ranks;
  experiment.shape.dtype = gemm.dtype;
  if (gemm.m % gemm.ranks == 0)
    experiment.passes.push_back(
        {gemm.scatter ? "gemm_reduce_scatter" : "allgather_gemm", gathered_gemm_graph(gemm)});
  experiment.latency_definition = fmt::format(
      "{} on each of {} ranks, whose dies lie side by side; {}",
      gemm.scatter
          ? fmt::format(
                "[{} x {}] times [{} x {}], and the sum over the ranks of the {} rows that each keeps",
                gemm.m, gemm.k, gemm.k, gemm.n, gemm.m / gemm.ranks)
          : fmt::format("the ranks' {} rows each gathered to [{} x {}], times [{} x {}] of its own",
                        gemm.m / gemm.ranks, gemm.m, gemm.k, gemm.k, gemm.n),
      gemm.ranks,
      gemm.tiles ? "tile by tile, puts of row chunks beside the product" : "one kernel after the other");
}

A3SIM_REGISTER(Workload, "gathered_gemm",
               "a product of a tensor-parallel group with its all-gather or reduce-scatter",
               Workload{read_gathered_gemm});

}  // namespace
}  // namespace a3sim
