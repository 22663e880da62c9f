#include <algorithm>
#include <numeric>

#include "sim/study/published/kernels/layer_kernel.h"

namespace a3sim {
namespace {

constexpr double kElement = 2;  // bytes: cases have 16 bits

// Multiplies the rows of each expert, all experts in one kernel.
KernelWork grouped_matmul(const KernelCase& kernel_case, KernelCost& cost) {
  const std::vector<std::uint32_t> rows = kernel_case.numbers("rows");
  const auto n = static_cast<std::uint32_t>(kernel_case.number("n")),
             k = static_cast<std::uint32_t>(kernel_case.number("k"));
  KernelWork work;
  work.job = cost.products(rows, n, k, cost.hardware().workers.count(CoreUnit::kMatrix));
  const double m = std::accumulate(rows.begin(), rows.end(), 0.0);
  work.flops = 2 * m * n * k;
  work.read = kElement * (m * k + static_cast<double>(rows.size()) * n * k);
  work.written = kElement * m * n;
  return work;
}

void add_job(MemoryJob& sum, const MemoryJob& job) {
  sum.ideal += job.ideal;
  for (std::size_t r = 0; r < sum.bytes.size(); ++r) sum.bytes[r] += job.bytes[r];
}

// Computes the projections of latent attention for inference, with the keys' one absorbed into the queries:
// four products in one kernel, with barriers between them, each dealt to the cores by columns.
KernelWork latent_prolog(const KernelCase& kernel_case, KernelCost& cost) {
  const std::uint64_t tokens = kernel_case.number("tokens"), hidden = kernel_case.number("hidden"),
                      queries = kernel_case.number("q_lora"), keys = kernel_case.number("kv_lora"),
                      heads = kernel_case.number("heads");
  constexpr std::uint64_t kNope = 128, kRope = 64;  // per head, as in DeepSeek-V3
  constexpr std::uint64_t kFractal = 16;
  const std::uint32_t workers = cost.hardware().workers.count(CoreUnit::kMatrix);
  KernelWork work;
  const auto add = [&](std::uint64_t n, std::uint64_t k, std::uint64_t times) {
    Tiling tiling;
    const std::uint64_t part = (n * times + kFractal * workers - 1) / (kFractal * workers) * kFractal;
    tiling.base_n = static_cast<std::uint32_t>(std::min<std::uint64_t>(tiling.base_n, part));
    KernelCost by_columns(cost.hardware(), cost.program(), tiling);
    const std::vector<std::uint32_t> rows(times, static_cast<std::uint32_t>(tokens));
    add_job(work.job,
            by_columns.products(rows, static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(k), workers));
    work.flops += static_cast<double>(times) * BlockProduct{tokens, n, k}.flops();
    work.read += kElement * static_cast<double>(times * (tokens * k + n * k));
    work.written += kElement * static_cast<double>(times * tokens * n);
  };
  add(queries, hidden, 1);
  add(heads * (kNope + kRope), queries, 1);
  add(keys, kNope, heads);
  add(keys + kRope, hidden, 1);
  work.alone = 3 * cost.program().signals.sync_all;
  return work;
}

A3SIM_REGISTER(LayerKernel, "grouped_matmul", "products of experts in one kernel",
               LayerKernel{grouped_matmul});
A3SIM_REGISTER(LayerKernel, "mla_prolog", "the projections of latent attention", LayerKernel{latent_prolog});

}  // namespace
}  // namespace a3sim
