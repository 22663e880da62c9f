#include "sim/device/kernel_cost.h"

#include <algorithm>
#include <cmath>

#include "sim/core/whole_time.h"

namespace a3sim {
namespace {

constexpr std::size_t kL2Read = static_cast<std::size_t>(Resource::kL2Read),
                      kL2Write = static_cast<std::size_t>(Resource::kL2Write),
                      kHbm = static_cast<std::size_t>(Resource::kHbm);
constexpr std::uint32_t kElement = 2;  // bytes: bf16

double picoseconds(Duration d) { return static_cast<double>(d.count()); }

// A product with workers of its own: the total time of its blocks, and the number of workers that it can use.
struct SharingProduct {
  double left = 0;
  double most_workers = 0;
};

// Shares workers evenly among products. Workers that a product cannot use go to the others.
std::vector<double> shares_of(const std::vector<SharingProduct>& running, double workers) {
  std::vector<double> shares(running.size(), 0);
  std::vector<std::size_t> order(running.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return running[i].most_workers; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    shares[order[i]] =
        std::min(running[order[i]].most_workers, workers / static_cast<double>(order.size() - i));
    workers -= shares[order[i]];
  }
  return shares;
}

// Returns the end of the last product. Products are dealt to the streams in turn.
double end_of_streams(const std::vector<SharingProduct>& products, std::uint32_t workers,
                      std::uint32_t streams) {
  std::vector<SharingProduct> running;
  std::vector<std::size_t> next;  // by running product: the next product of its stream
  for (std::size_t s = 0; s < std::min<std::size_t>(streams, products.size()); ++s) {
    running.push_back(products[s]);
    next.push_back(s + streams);
  }
  double now = 0;
  while (!running.empty()) {
    const std::vector<double> shares = shares_of(running, workers);
    double step = running.front().left / shares.front();
    for (std::size_t i = 1; i < running.size(); ++i) step = std::min(step, running[i].left / shares[i]);
    now += step;
    for (std::size_t i = running.size(); i-- > 0;) {
      const bool ends = running[i].left / shares[i] <= step;
      running[i].left -= step * shares[i];
      if (!ends) continue;
      if (next[i] < products.size()) {
        running[i] = products[next[i]];
        next[i] += streams;
      } else {
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
        next.erase(next.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }
  return now;
}

}  // namespace

Tiling tiling_for(Tiling tiling, DataType operands) {
  tiling.base_k =
      static_cast<std::uint16_t>(tiling.base_k * element_bits(DataType::kBf16) / element_bits(operands));
  return tiling;
}

KernelCost::Block KernelCost::block(const Gemm& product, std::uint32_t rows, std::uint32_t cols,
                                    std::uint32_t workers, Form form) {
  const BlockGrid grid(product.m, product.n, tiling_);
  const auto [known, is_new] =
      blocks_.try_emplace({grid.blocks_m(), product.n, product.k, rows, cols, workers, form}, Block{});
  Block& block = known->second;
  if (!is_new) return block;
  Work work;
  work.kind = WorkKind::kCube;
  work.gemms = {{rows, cols, product.k, 0, 0, 0}};
  work.tiling = tiling_;
  work.dtype = form.dtype;
  work.weights = form.weights;
  work.result = form.result;
  work.a_transposed = form.transposed;
  work.a_pitch = work.b_pitch = kL2Line;  // rows begin at lines
  TaskPortions portions;
  TaskPortion portion;
  portions.start(work, cost_.hardware());
  const auto [readers_a, readers_b] = grid.readers(0, workers);
  while (portions.next(portion)) {
    portion.readers_a = readers_a;
    portion.readers_b = readers_b;
    // A panel is fetched once; all who read it meanwhile proceed at that pace.
    PortionTraffic traffic;
    traffic.slow[0] =
        static_cast<double>(portion.accesses[0].bytes()) * std::min(1.0, 1.0 * readers_a / grid.blocks_n());
    traffic.slow[1] =
        static_cast<double>(portion.accesses[1].bytes()) * std::min(1.0, 1.0 * readers_b / grid.blocks_m());
    const PortionJob job = cost_.job(work, portion, traffic);
    const bool first = portion.first;
    portion.first = false;
    const PortionJob later = first ? cost_.job(work, portion, traffic) : job;
    block.first += picoseconds(job.memory.ideal);
    block.later += picoseconds(later.memory.ideal);
    block.l2_read += job.memory.bytes[kL2Read];
    block.missing += picoseconds(later.missing);
  }
  block.arithmetic = picoseconds(cost_.arithmetic(work));
  return block;
}

// Blocks form rows of the grid; all blocks of a row but the last are alike.
MemoryJob KernelCost::job(const std::vector<Gemm>& products, std::uint32_t workers, Form form,
                          std::uint32_t streams) {
  std::vector<double> busy(workers, 0);
  std::uint32_t worker = 0;
  MemoryJob job;
  std::vector<SharingProduct> sharing;
  double all = 0, arithmetic = 0, missing = 0;
  const auto deal = [&](const Block& block) {
    busy[worker] += busy[worker] == 0 ? block.first : block.later;
    sharing.back().left += block.first;
    sharing.back().most_workers += 1;
    job.bytes[kL2Read] += block.l2_read;
    all += block.later;
    arithmetic += block.arithmetic;
    missing += block.missing;
    if (++worker == workers) worker = 0;
  };
  for (const Gemm& product : products) {
    const std::uint32_t across = (product.n + tiling_.base_n - 1) / tiling_.base_n;
    const std::uint32_t last_cols = product.n - (across - 1) * tiling_.base_n;
    sharing.emplace_back();
    for (std::uint32_t row = 0; row < product.m; row += tiling_.base_m) {
      const std::uint32_t rows = std::min<std::uint32_t>(tiling_.base_m, product.m - row);
      const std::uint32_t cols = std::min<std::uint32_t>(tiling_.base_n, product.n);
      const Block full = block(product, rows, cols, workers, form);
      const Block last = last_cols == cols ? full : block(product, rows, last_cols, workers, form);
      for (std::uint32_t b = 1; b < across; ++b) deal(full);
      deal(last);
    }
  }
  if (streams > 0) std::erase_if(sharing, [](const SharingProduct& product) { return product.left <= 0; });
  const double last =
      streams > 0 ? end_of_streams(sharing, workers, streams) : *std::ranges::max_element(busy);
  job.ideal = Duration(whole_picoseconds(last));
  if (all > 0) {
    job.arithmetic = Duration(whole_picoseconds(last * std::min(1.0, arithmetic / all)));
    job.missing = Duration(whole_picoseconds(last * std::min(1.0, missing / all)));
  }
  return job;
}

MemoryJob KernelCost::products(std::span<const std::uint32_t> rows, std::uint32_t n, std::uint32_t k,
                               std::uint32_t workers, std::uint32_t streams, DataType type) {
  std::vector<Gemm> products;
  double read = 0, written = 0;
  for (const std::uint32_t m : rows) {
    if (m == 0) continue;
    products.push_back({m, n, k, 0, 0, 0});
    read += element_bytes(type) * (1.0 * m * k + 1.0 * k * n);
    written += double{kElement} * m * n;
  }
  if (products.empty()) return {};
  MemoryJob result = job(products, workers, {.dtype = type, .weights = type}, streams);
  result.bytes[kL2Write] = written;
  result.bytes[kHbm] = hardware().memory.as_reads(read, written);
  return result;
}

MemoryJob KernelCost::gradients(std::span<const std::uint32_t> rows, std::uint32_t n, std::uint32_t k,
                                std::uint32_t workers, std::uint32_t streams, DataType type) {
  if (rows.empty()) return {};
  std::vector<Gemm> products;
  double read = 0, written = 0;
  for (const std::uint32_t m : rows) {
    products.push_back({k, n, m, 0, 0, 0});
    read += element_bytes(type) * m * (1.0 * k + n);
    written += double{kElement} * k * n;
  }
  MemoryJob result = job(products, workers, {.dtype = type, .weights = type}, streams);
  result.bytes[kL2Write] = written;
  result.bytes[kHbm] = hardware().memory.as_reads(read, written);
  return result;
}

MemoryJob KernelCost::product(const BlockProduct& product, std::uint32_t workers) {
  const auto narrow = [](std::uint64_t size) { return static_cast<std::uint32_t>(size); };
  const DataType wide = is_fp8(product.dtype) ? DataType::kBf16 : product.dtype;
  const Form form{product.dtype, product.dtype, product.accumulates ? DataType::kFp32 : wide,
                  product.transposed};
  MemoryJob result = job({{narrow(product.m), narrow(product.n), narrow(product.k), 0, 0, 0}}, workers, form);
  const auto m = static_cast<double>(product.m), n = static_cast<double>(product.n),
             k = static_cast<double>(product.k);
  const double written = element_bytes(form.result) * m * n;
  const double read = element_bytes(form.dtype) * (m * k + k * n) + (product.accumulates ? written : 0);
  result.bytes[kL2Write] = written;
  result.bytes[kHbm] = hardware().memory.as_reads(read, written);
  return result;
}

// Returns the time of a kernel whose rows each are loaded, pass instructions that wait for one another, and
// are stored.
Duration KernelCost::row_by_row(const VectorKernel& kernel, std::uint32_t workers) const {
  const Hardware::Vector& vector = hardware().vector;
  const auto rows = static_cast<double>(kernel.rows);
  const double waves = std::ceil(rows / workers);
  const double cycles =
      kernel.steps * vector.startup_cycles +
      kernel.read / rows / (vector.gm_to_ub_miss * (kernel.aligned ? 1 : vector.unaligned)) +
      kernel.written / rows / vector.ub_to_gm +
      (static_cast<double>(kernel.ops.simple_fp32) / vector.simple_fp32 +
       static_cast<double>(kernel.ops.convert) / vector.convert +
       static_cast<double>(kernel.ops.transcendental) / vector.transcendental) /
          rows;
  return Duration(whole_picoseconds(waves * (picoseconds(*program().vector_row_wait) +
                                             cycles * 1e12 / static_cast<double>(hardware().clock.count))));
}

MemoryJob KernelCost::vector(const VectorKernel& kernel, std::uint32_t workers) const {
  if (kernel.read + kernel.written <= 0) return {};
  Work work;
  work.kind = WorkKind::kVector;
  const auto share = [&](double all) { return static_cast<std::uint64_t>(all / workers); };
  const auto add = [&](double bytes, bool write) {
    const auto lines = static_cast<std::uint32_t>(share(bytes) / kL2Line);
    if (lines == 0) return;
    work.streams.push_back({TensorId{}, RankId{}, {0, lines}, std::uint64_t{lines} * kL2Line, write});
  };
  add(kernel.read, false);
  add(kernel.written, true);
  work.ops = {kernel.ops.simple_fp32 / workers, kernel.ops.convert / workers,
              kernel.ops.transcendental / workers};
  MemoryJob result;
  result.ideal = std::max(Duration(1), cost_.least(work));
  if (kernel.rows > 0 && program().vector_row_wait)
    result.ideal = std::max(result.ideal, row_by_row(kernel, workers));
  result.arithmetic = std::min(result.ideal, cost_.arithmetic(work));
  result.bytes[kL2Read] = kernel.read;
  result.bytes[kL2Write] = kernel.written;
  const double part = kernel.aligned ? 1 : hardware().vector.unaligned;
  result.bytes[kHbm] = hardware().memory.as_reads(kernel.read / part, kernel.written);
  return result;
}

}  // namespace a3sim
