#include <fmt/format.h>

#include <algorithm>

#include "models/operators/matmul.h"
#include "sim/experiment/config/workload.h"

namespace a3sim {
namespace {

void read_gemm(const Config& root, const Config& /*block*/, Experiment& experiment) {
  const Config config = root.map("gemm");
  const auto size = [&](std::string_view key) {
    return static_cast<std::uint32_t>(config.integer(key, 1, kMostShape));
  };
  const std::uint32_t m = size("m"), n = size("n"), k = size("k");
  const auto experts = static_cast<std::uint32_t>(config.integer("experts", 0, 0xfffe, 0));
  if (experts > 0 && !in_kernels(experiment))
    config.error("experts", "products of several experts run kernel by kernel: experiment.execution=kernel");
  const auto dtype = read_dtype(config);
  const auto result = config.choice("out", dtype);
  if (!gives(dtype, result)) {
    config.error("out", fmt::format("expected {} or, as products of {} are summed, {}", name_of(dtype),
                                    name_of(dtype), name_of(sum_type(dtype))));
  }
  const double weights = 1.0 * k * n * std::max(1U, experts);
  check_fits_memory(config, experiment.hardware.memory.hbm_size, {"m", "n", "k"},
                    1.0 * m * k + 1.0 * m * n + weights, dtype);
  config.finish();
  experiment.shape.ep = 1;
  experiment.shape.dtype = dtype;
  if (experts > 0) {
    experiment.shape.tokens = m;
    experiment.shape.hidden = k;
    experiment.shape.intermediate = n;
    experiment.shape.top_k = 1;
    experiment.shape.experts_per_rank = experts;
  }
  experiment.passes.push_back(
      {"gemm", gemm_graph(m, n, k, experts > 0, dtype, gives(dtype, result) ? result : dtype)});
}

A3SIM_REGISTER(Workload, "gemm", "one matrix product, or one per expert", Workload{read_gemm});

}  // namespace
}  // namespace a3sim
