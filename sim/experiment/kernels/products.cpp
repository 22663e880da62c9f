#include <algorithm>
#include <numeric>

#include "sim/experiment/kernels/kernel.h"

namespace a3sim {
namespace {

constexpr double kElement = 2;  // bytes: results here have 16 bits, and operands where no type is stated

// Multiplies the rows of each expert, all experts in one kernel.
KernelKind::Write read_grouped_matmul(const Config& config) {
  const std::vector<std::uint32_t> rows = read_counts(config, "rows");
  const std::uint32_t n = read_count(config, "n"), k = read_count(config, "k");
  const DataType type = read_type(config, "operands");
  return [rows, n, k, type](KernelCost& cost) {
    KernelWork work;
    work.job = cost.products(rows, n, k, cost.hardware().workers.count(CoreUnit::kMatrix), 0, type);
    work.matrix = true;
    work.dtype = type;
    const double m = std::accumulate(rows.begin(), rows.end(), 0.0);
    work.flops = 2 * m * n * k;
    work.read = element_bytes(type) * (m * k + static_cast<double>(rows.size()) * n * k);
    work.written = kElement * m * n;
    return work;
  };
}

// Multiplies the same rows of each expert, by a call for each expert or all in one.
KernelKind::Write read_products(const Config& config) {
  const std::uint32_t experts = read_count(config, "experts"), m = read_count(config, "m"),
                      n = read_count(config, "n"), k = read_count(config, "k");
  const bool one_call = config.boolean("one_call", true);
  return [=](KernelCost& cost) {
    const std::uint32_t calls = one_call ? 1 : experts;
    const std::uint32_t cores = cost.hardware().workers.count(CoreUnit::kMatrix);
    const std::vector<std::uint32_t> rows(experts / calls, m);
    const double macs = static_cast<double>(m) * n * k;
    KernelWork work;
    work.flops = 2 * macs * experts;
    work.program = {1, {{"cores", cores}}, {}, {"KERNELS"}};
    for (std::uint32_t call = 0; call < calls; ++call) {
      StreamTask task{.name = "products", .wait = cost.program().launch.queued};
      task.units = cores;
      task.matrix = true;
      task.job = cost.products(rows, n, k, cores);
      task.macs = macs * static_cast<double>(rows.size());
      work.program.add(std::move(task));
    }
    return work;
  };
}

// The sizes of the projections of latent attention.
struct LatentSizes {
  std::uint64_t tokens, hidden, queries, keys, heads;
};

// Computes the projections of latent attention for inference, with the keys' one absorbed into the queries:
// four products in one kernel, with barriers between them, each dealt to the cores by columns.
KernelWork latent_prolog(const LatentSizes& sizes, KernelCost& cost) {
  constexpr std::uint64_t kNope = 128, kRope = 64;  // per head, as in DeepSeek-V3
  constexpr std::uint64_t kFractal = 16;
  const std::uint32_t workers = cost.hardware().workers.count(CoreUnit::kMatrix);
  const std::uint64_t tokens = sizes.tokens;
  KernelWork work;
  work.matrix = true;
  const auto add = [&](std::uint64_t n, std::uint64_t k, std::uint64_t times) {
    Tiling tiling;
    const std::uint64_t part = (n * times + kFractal * workers - 1) / (kFractal * workers) * kFractal;
    tiling.base_n = static_cast<std::uint32_t>(std::min<std::uint64_t>(tiling.base_n, part));
    KernelCost by_columns(cost.hardware(), cost.program(), tiling);
    const std::vector<std::uint32_t> rows(times, static_cast<std::uint32_t>(tokens));
    work.job +=
        by_columns.products(rows, static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(k), workers);
    work.flops += static_cast<double>(times) * BlockProduct{tokens, n, k}.flops();
    work.read += kElement * static_cast<double>(times * (tokens * k + n * k));
    work.written += kElement * static_cast<double>(times * tokens * n);
  };
  add(sizes.queries, sizes.hidden, 1);
  add(sizes.heads * (kNope + kRope), sizes.queries, 1);
  add(sizes.keys, kNope, sizes.heads);
  add(sizes.keys + kRope, sizes.hidden, 1);
  work.alone = 3 * cost.program().signals.sync_all;
  return work;
}

KernelKind::Write read_latent_prolog(const Config& config) {
  const LatentSizes sizes{read_size(config, "tokens"), read_size(config, "hidden"),
                          read_size(config, "q_lora"), read_size(config, "kv_lora"),
                          read_size(config, "heads")};
  return [sizes](KernelCost& cost) { return latent_prolog(sizes, cost); };
}

A3SIM_REGISTER(KernelKind, "grouped_matmul", "products of experts in one kernel",
               KernelKind{read_grouped_matmul, {"rows", "n", "k", "operands"}});
A3SIM_REGISTER(KernelKind, "products", "products of experts with the same rows, in one kernel or a call each",
               KernelKind{read_products, {"experts", "m", "n", "k", "one_call"}});
A3SIM_REGISTER(KernelKind, "mla_prolog", "the projections of latent attention",
               KernelKind{read_latent_prolog, {"tokens", "hidden", "q_lora", "kv_lora", "heads"}});

}  // namespace
}  // namespace a3sim
