#include <fmt/format.h>

#include <algorithm>

#include "sim/experiment/workload.h"

namespace a3sim {
namespace {

// A product of a tensor-parallel group whose rows are gathered before it, or whose partial sums are scattered
// behind it.
void read_gathered_gemm(const Config& root, const Config& /*block*/, Experiment& experiment) {
  const Config config = root.map("gathered_gemm");
  constexpr std::int64_t kMostRanks = 64;
  const auto size = [&](std::string_view key, std::int64_t most) {
    return static_cast<std::uint32_t>(config.integer(key, 1, most));
  };
  GatheredGemm of;
  of.m = size("m", kMostShape);
  of.n = size("n", kMostShape);
  of.k = size("k", kMostShape);
  of.ranks = size("ranks", kMostRanks);
  of.scatter = config.choice("collective", {"all_gather", "reduce_scatter"}, "all_gather") == 1;
  of.dtype = read_dtype(config);
  of.tiles = !in_kernels(experiment) && experiment.run.transport == Transport::kPuts;
  // Two tasks an AIV.
  of.reduce_rows = std::max(1U, of.m / of.ranks / (2 * experiment.workers.count(CoreUnit::kVector)));
  if (of.m % of.ranks != 0)
    config.error("m", fmt::format("{} rows on {} ranks, expected a multiple of the ranks", of.m, of.ranks));
  check_fits_memory(config, "m", 2.0 * of.m * of.k + 2.0 * of.m * of.n + 1.0 * of.k * of.n, of.dtype);
  config.finish();
  experiment.parallel.tp_stride = 1;
  experiment.parallel.ep = experiment.shape.ep = of.ranks;
  experiment.shape.dtype = of.dtype;
  if (of.m % of.ranks == 0)
    experiment.passes.push_back(
        {of.scatter ? "gemm_reduce_scatter" : "allgather_gemm", gathered_gemm_graph(of)});
  experiment.timed = fmt::format(
      "{} on each of {} ranks, whose dies lie side by side; {}",
      of.scatter ? fmt::format(
                       "[{} x {}] times [{} x {}], and the sum over the ranks of the {} rows that each keeps",
                       of.m, of.k, of.k, of.n, of.m / of.ranks)
                 : fmt::format("the ranks' {} rows each gathered to [{} x {}], times [{} x {}] of its own",
                               of.m / of.ranks, of.m, of.k, of.k, of.n),
      of.ranks,
      of.tiles ? "tile by tile, puts of row chunks beside the product" : "one kernel after the other");
}

A3SIM_REGISTER(Workload, "gathered_gemm",
               "a product of a tensor-parallel group with its all-gather or reduce-scatter",
               Workload{read_gathered_gemm});

}  // namespace
}  // namespace a3sim
