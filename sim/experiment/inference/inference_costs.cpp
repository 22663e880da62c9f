#include "sim/experiment/inference/inference_costs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "sim/core/whole_time.h"
#include "sim/device/block_cost.h"

namespace a3sim {
namespace {

constexpr std::size_t kHbmBytes = static_cast<std::size_t>(Resource::kHbm);

Duration time_of(double bytes, BytesPerSecond rate) {
  return Duration(whole_picoseconds(bytes * 1e12 / static_cast<double>(rate.count)));
}

// The machine as a stream sees it that has a part of the cores. Weights of inference lie in the order in which cubes take
// them (fractal), so that their loads are whole lines.
Hardware shared_machine(const Hardware& whole, double share) {
  Hardware hardware = whole;
  for (WorkerKind& kind : hardware.workers)
    kind.count = std::max(1U, static_cast<std::uint32_t>(std::lround(kind.count * share)));
  hardware.cube.rows_128 = hardware.cube.rows_256 = 1;
  return hardware;
}

// Returns the width of the blocks of a product with few rows: each round of blocks loads the rows again, and its columns. Of
// equal ones the widest.
std::uint16_t block_width(std::uint64_t rows, std::uint64_t columns, std::uint32_t cores,
                          const Tiling& tiling) {
  constexpr std::uint64_t kFractal = 16;
  const std::uint64_t down = (rows + tiling.base_m - 1) / tiling.base_m;
  std::uint64_t best = tiling.base_n, least = ~std::uint64_t{0};
  for (std::uint64_t width = tiling.base_n; width >= kFractal; width -= kFractal) {
    const std::uint64_t blocks = down * ((columns + width - 1) / width);
    const std::uint64_t loads = (blocks + cores - 1) / cores * (width + tiling.base_m);
    if (loads < least) best = width, least = loads;
  }
  return static_cast<std::uint16_t>(best);
}

// Returns the most keys that one of the cores chooses from: the tokens with most keys are dealt first, each to the core with
// the least.
std::uint64_t most_keys_of_core(std::span<const std::uint64_t> keys, std::uint64_t tokens_each,
                                std::uint32_t cores) {
  std::vector<std::uint64_t> sorted(keys.begin(), keys.end());
  std::ranges::sort(sorted, std::greater());
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> of_cores(
      std::greater<>(), std::vector<std::uint64_t>(cores, 0));
  std::uint64_t most = 0;
  for (const std::uint64_t own : sorted) {
    for (std::uint64_t token = 0; token < tokens_each; ++token) {
      const std::uint64_t sum = of_cores.top() + own;
      of_cores.pop();
      of_cores.push(sum);
      most = std::max(most, sum);
    }
  }
  return most;
}

}  // namespace

Duration InferenceKernel::alone() const {
  Duration longest = job.ideal;
  for (const StreamTransfer& transfer : transfers)
    longest = std::max(longest, time_of(static_cast<double>(transfer.bytes.count), transfer.rate));
  return head + barriers + longest;
}

InferenceCosts::InferenceCosts(const Experiment& experiment, const InferenceOptions& options)
    : program_(experiment.program),
      options_(options),
      whole_(sustained(experiment.hardware)),
      hardware_(shared_machine(whole_, options.core_share)) {}

InferenceKernel InferenceCosts::kernel(std::string name, TimeClass time_class, bool matrix) const {
  InferenceKernel kernel;
  kernel.name = std::move(name);
  kernel.time_class = time_class;
  kernel.matrix = matrix;
  kernel.head = options_.launch.head;
  return kernel;
}

double InferenceCosts::peak(DataType type) const {
  const Hardware::Cube& cube = whole_.cube;
  return 2.0 * cube.macs_per_cycle(type) * whole_.workers.count(CoreUnit::kMatrix) *
         static_cast<double>(whole_.clock.count) * cube.speed;
}

// Loads to L1 draw a part of the HBM's rate, however many cores wait.
void InferenceCosts::settle(InferenceKernel& kernel) const {
  if (kernel.matrix) kernel.job.bytes[kHbmBytes] /= hardware_.cube.hbm_part;
  a3sim::settle(kernel.job, hardware_);
  kernel.job.ideal = std::max(Duration(1), kernel.job.ideal);
}

InferenceKernel InferenceCosts::product_of(InferenceKernel kernel, const BlockProduct& one,
                                           std::uint64_t times, double weight_bytes) const {
  const double element = element_bytes(one.dtype);
  BlockProduct all = one;
  all.n *= times;  // products of as many rows are dealt to the cores as one of all their columns
  Tiling tiling;
  tiling.base_m = static_cast<std::uint16_t>(std::min<std::uint64_t>(tiling.base_m, (one.m + 15) / 16 * 16));
  tiling = tiling_for(tiling, one.dtype);
  tiling.base_n = block_width(one.m, all.n, cores(CoreUnit::kMatrix), tiling);
  KernelCost cost(hardware_, program_, tiling);
  kernel.job = cost.product(all, cores(CoreUnit::kMatrix));
  const double n = static_cast<double>(all.n), k = static_cast<double>(one.k), m = static_cast<double>(one.m);
  kernel.weights = n * k * weight_bytes;
  const double rows = m * k * static_cast<double>(times) * element;
  kernel.job.bytes[kHbmBytes] = hardware_.memory.as_reads(kernel.weights + rows, 2 * m * n);
  kernel.flops = all.flops();
  kernel.by_hand = kernel.flops / peak(one.dtype) * 1e12;
  settle(kernel);
  return kernel;
}

// Weights of 4 bits are multiplied in 4 bits, at twice the rate of 8, with each half of the 8 bits of a row (as CANN's grouped
// products of this kind): twice the rows and half of K in 8 bits.
InferenceKernel InferenceCosts::product(std::string name, TimeClass time_class, std::uint64_t m,
                                        std::uint64_t n, std::uint64_t k, WeightType type,
                                        std::uint64_t times) const {
  InferenceKernel one = kernel(std::move(name), time_class, true);
  if (m == 0 || n == 0 || times == 0) return one;
  BlockProduct product{m, n, k};
  if (type != WeightType::kBf16) product.dtype = DataType::kInt8;
  if (type == WeightType::kW4A8) {
    product.m *= 2;
    product.k = std::max<std::uint64_t>(1, k / 2);
    return product_of(std::move(one), product, times, 1);
  }
  return product_of(std::move(one), product, times, weight_bytes(type));
}

InferenceKernel InferenceCosts::product_fp32(std::string name, std::uint64_t m, std::uint64_t n,
                                             std::uint64_t k) const {
  BlockProduct product{m, n, k};
  product.dtype = DataType::kFp32;
  return product_of(kernel(std::move(name), TimeClass::kProducts, true), product, 1, 4);
}

InferenceKernel InferenceCosts::vector(std::string name, double rows, double width,
                                       const ElementwiseKernel& pass) const {
  InferenceKernel one = kernel(std::move(name), TimeClass::kVector, false);
  const double elements = rows * width;
  const auto all = [elements](double each) { return static_cast<std::uint64_t>(elements * each); };
  KernelCost cost(hardware_, program_, Tiling{});
  const std::uint64_t reduced = pass.steps > 0 ? static_cast<std::uint64_t>(std::ceil(rows)) : 0;
  one.job = cost.vector({elements * pass.read,
                         elements * pass.written,
                         {all(pass.simple), all(pass.convert), all(pass.transcendental)},
                         reduced,
                         pass.steps},
                        cores(CoreUnit::kVector));
  settle(one);
  return one;
}

// Parts of the keys leave sums that are put together behind a meeting of the cores.
InferenceKernel InferenceCosts::decode_attention(std::string name, const BlockAttention& part, bool parts,
                                                 double cache, bool gathered) const {
  InferenceKernel one = attention(std::move(name), part, cache);
  if (parts) one.barriers += program_.signals.sync_all;
  if (gathered) {
    const Duration rows = std::max(one.job.ideal, time_of(2 * cache, options_.gather));
    one.job.hbm += rows - one.job.ideal;
    one.job.ideal = rows;
  }
  return one;
}

InferenceKernel InferenceCosts::split_attention(const std::string& name, std::uint64_t keys,
                                                const std::function<BlockAttention(std::uint64_t)>& split,
                                                double cache, bool gathered) const {
  const std::uint64_t least = std::max(1U, program_.attention.keys / 4),
                      most = std::max<std::uint64_t>(
                          1, std::min<std::uint64_t>(keys / least, 4UL * cores(CoreUnit::kMatrix)));
  std::vector<InferenceKernel> kernels;
  for (std::uint64_t parts = 1; parts <= most; ++parts)
    kernels.push_back(decode_attention(name, split(parts), parts > 1, cache, gathered));
  const auto time = [](const InferenceKernel& kernel) { return seconds(kernel.alone()); };
  const double near = 1.01 * time(*std::ranges::min_element(kernels, {}, time));
  return *std::ranges::find_if(kernels, [&](const InferenceKernel& kernel) { return time(kernel) <= near; });
}

InferenceKernel InferenceCosts::attention(std::string name, std::uint64_t samples, std::uint64_t rows,
                                          std::uint64_t keys, std::uint32_t d_qk, std::uint32_t d_v,
                                          double cache, bool gathered) const {
  const auto split = [&](std::uint64_t parts) {
    return BlockAttention{samples * parts, 1, 1, d_qk, d_v, rows, (keys + parts - 1) / parts, false};
  };
  return split_attention(name, keys, split, cache, gathered);
}

// All parts are of one length. The last part of a set counts as a whole one.
InferenceKernel InferenceCosts::attention(std::string name, std::span<const std::uint64_t> keys,
                                          std::uint64_t rows, std::uint32_t d_qk, std::uint32_t d_v,
                                          double cache, bool gathered) const {
  const std::uint64_t longest = *std::ranges::max_element(keys);
  const auto split = [&](std::uint64_t cut) {
    const std::uint64_t length = (longest + cut - 1) / cut;
    std::uint64_t parts = 0;
    for (const std::uint64_t own : keys) parts += (own + length - 1) / length;
    return BlockAttention{parts, 1, 1, d_qk, d_v, rows, length, false};
  };
  return split_attention(name, longest, split, cache, gathered);
}

InferenceKernel InferenceCosts::attention(std::string name, const BlockAttention& attention,
                                          double cache) const {
  InferenceKernel one = kernel(std::move(name), TimeClass::kAttention, true);
  KernelCost cost(hardware_, program_, Tiling{});
  one.job = cost.attention(attention, cores(CoreUnit::kMatrix));
  one.cache = cache;
  const double queries = static_cast<double>(attention.samples * attention.queries) * attention.heads;
  one.job.bytes[kHbmBytes] =
      hardware_.memory.as_reads(cache + 2 * queries * attention.d_qk, 2 * queries * attention.d_v);
  one.flops = attention.flops();
  one.by_hand = one.flops / peak(DataType::kBf16) * 1e12;
  settle(one);
  return one;
}

// Each score is the sum over the indexer's heads of positive products with their weights. Products leave the cubes in 16 bits;
// the vector cores weigh and add them. One core chooses the keys of a token: it sorts the scores of a part of the keys at a
// time, and merges the best.
InferenceKernel InferenceCosts::index(std::string name, std::span<const std::uint64_t> keys,
                                      std::uint64_t tokens_each) const {
  const SparseIndex& index = *options_.index;
  InferenceKernel one = kernel(std::move(name), TimeClass::kAttention, true);
  const double all = std::accumulate(keys.begin(), keys.end(), 0.0);
  const double products = static_cast<double>(tokens_each) * index.heads * all,
               clock = static_cast<double>(hardware_.clock.count);
  const Hardware::Cube& cube = hardware_.cube;
  const Hardware::Vector& vector = hardware_.vector;
  constexpr double kElement = 2, kSorted = 32;  // bytes; elements that one instruction sorts
  const double cubes = cores(CoreUnit::kMatrix), vectors = cores(CoreUnit::kVector);
  one.flops = 2 * products * index.width;
  const double multiply = products * index.width / (cube.macs_per_cycle_16 * cube.speed) / cubes / clock,
               leave = kElement * products / cube.l0c_to_gm / cubes / clock,
               weigh = products *
                       std::max(2 / vector.simple_fp32 + 1 / vector.convert, kElement / vector.gm_to_ub) /
                       vectors / clock;
  const double passes = 3 + std::max(0.0, std::log2(index.top_k / kSorted) / 2);
  const double sorted = static_cast<double>(most_keys_of_core(keys, tokens_each, cores(CoreUnit::kVector)));
  const double sort = sorted * passes * seconds(program_.tasks.sorted_element);
  one.job.ideal = Duration(whole_picoseconds(std::max({multiply, leave, weigh + sort}) * 1e12));
  one.job.arithmetic = Duration(whole_picoseconds(multiply * 1e12));
  one.cache = all * index.width * options_.index_cache_bytes;
  one.job.bytes = {kElement * products, kElement * products, one.cache};
  one.by_hand = one.flops / peak(DataType::kBf16) * 1e12;
  one.barriers = program_.signals.sync_all;
  settle(one);
  return one;
}

InferenceKernel InferenceCosts::collective(std::string name, TimeClass time_class, DieGroup group,
                                           double sent) const {
  InferenceKernel one = kernel(std::move(name), time_class, false);
  one.barriers = options_.collective + ring_latency(hardware_.fabric, group);
  one.transfers = ring_transfers(hardware_.fabric, group, sent, RankId{});
  one.holds_cores = false;
  return one;
}

InferenceKernel InferenceCosts::in_one(std::string name, const std::vector<InferenceKernel>& kernels) const {
  InferenceKernel one = kernels.front();
  one.name = std::move(name);
  for (std::size_t i = 1; i < kernels.size(); ++i) {
    const InferenceKernel& more = kernels[i];
    one.job += more.job;
    one.barriers += more.barriers + program_.signals.sync_all;
    one.weights += more.weights;
    one.cache += more.cache;
    one.flops += more.flops;
    one.by_hand += more.by_hand;
    one.matrix = one.matrix || more.matrix;
  }
  return one;
}

}  // namespace a3sim
