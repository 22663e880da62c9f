#include "tests/proof/reference_work.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

namespace a3sim::reference {
namespace {

constexpr std::uint32_t kLine = 512, kFractal = 16, kDiagonal = 8, kMostRowMajor = 5;
constexpr long double kPicoseconds = 1e12L;

struct Span {
  std::uint64_t begin, end;
  std::uint64_t rows() const { return end - begin; }
};

struct Block {
  std::uint32_t row, col;
};

long double ceiling(std::uint64_t a, std::uint64_t b) { return static_cast<long double>((a + b - 1) / b); }

// Which blocks of rows x cols follow one another.
std::vector<Block> block_order(std::uint32_t rows, std::uint32_t cols, BlockOrder order) {
  std::vector<Block> blocks;
  if (order == BlockOrder::kColumnMajor)
    throw std::logic_error("the reference knows no such order of blocks");
  if (order == BlockOrder::kRowMajor || rows <= kMostRowMajor) {
    for (std::uint32_t r = 0; r < rows; ++r) {
      for (std::uint32_t c = 0; c < cols; ++c) blocks.push_back({r, c});
    }
    return blocks;
  }
  // Down the diagonals of a window; where that comes to a block again, the next column.
  for (std::uint32_t band = 0; band < rows; band += kDiagonal) {
    for (std::uint32_t window = 0; window < cols; window += kDiagonal) {
      const std::uint32_t height = std::min(kDiagonal, rows - band),
                          width = std::min(kDiagonal, cols - window);
      std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
      std::uint32_t r = 0, c = 0;
      while (seen.size() < std::size_t{height} * width) {
        if (!seen.insert({r, c}).second) {
          c = (c + 1) % width;
          continue;
        }
        blocks.push_back({band + r, window + c});
        r = (r + 1) % height;
        c = (c + 1) % width;
      }
    }
  }
  return blocks;
}

// Instructions an element: additions and products, conversions, exponentials and divisions.
struct Instructions {
  std::uint64_t simple, convert, transcendental;
};
const std::map<std::string, Instructions>& elementwise() {
  static const std::map<std::string, Instructions> kKnown = {
      {"SwiGLU", {3, 3, 2}},      // x = -gate, 1 + exp(x), gate * up / that
      {"SwiGLUGrad", {9, 5, 2}},  // three operands in, two out
      {"Add", {1, 3, 0}}};
  return kKnown;
}

class Rank {
 public:
  Rank(const Question& q, std::uint32_t rank) : q_(q), rank_(rank), ssc_(q.schedule[rank]) {
    const MoeShape& shape = ssc_.shape();
    sent_.resize(shape.ep, {0});
    received_.resize(shape.ep, {0});
    for (std::uint32_t r = 0; r < shape.ep; ++r) {
      for (std::uint32_t g = 0; g < shape.experts(); ++g) lay(sent_[r], r, g);
      for (std::uint32_t e = 0; e < shape.experts_per_rank; ++e) {
        for (std::uint32_t src = 0; src < shape.ep; ++src)
          lay(received_[r], src, r * shape.experts_per_rank + e);
      }
    }
  }

  Task task(const TaskDescriptor& td) const {
    const OperatorInfo& op = ssc_.operators()[td.op];
    const auto found = q_.l2.find(op.name);
    const L2Answer l2 = found == q_.l2.end() ? L2Answer{} : found->second;
    if (op.type == "Join") return {};
    if (op.type == "Dispatch" || op.type == "Combine") return put(td, l2);
    if (op.type == "GroupedMatmul" || op.type == "GroupedMatmulWeightGrad") return cube(td, op, l2);
    return vector(td, op.type, l2);
  }

 private:
  // Capacity rows one after the other: before each, and behind the last, how many real rows there are.
  void lay(std::vector<std::uint64_t>& real, std::uint32_t src, std::uint32_t gexpert) const {
    for (std::uint32_t i = 0; i < q_.capacity.at(src, gexpert); ++i)
      real.push_back(real.back() + (i < q_.counts.at(src, gexpert) ? 1 : 0));
  }
  const TensorInfo& tensor(const Region& region) const { return ssc_.tensors()[region.tensor]; }
  Span rows(Layout layout, std::uint32_t rank, std::uint32_t begin, std::uint32_t end) const {
    if (layout == Layout::kSent) return {sent_[rank][begin], sent_[rank][end]};
    if (layout == Layout::kReceived) return {received_[rank][begin], received_[rank][end]};
    return {begin, end};
  }
  Span rows(const Region& region) const {
    return rows(tensor(region).layout, region.rank, region.row_begin, region.row_end);
  }
  Span received_by(std::uint32_t expert) const {
    std::uint32_t begin = 0, end = 0;
    for (std::uint32_t e = 0; e <= expert; ++e) {
      begin = end;
      for (std::uint32_t src = 0; src < ssc_.shape().ep; ++src)
        end += q_.capacity.at(src, rank_ * ssc_.shape().experts_per_rank + e);
    }
    return rows(Layout::kReceived, rank_, begin, end);
  }

  std::int64_t time(long double cycles) const {
    return std::llrint(std::ceil(cycles * kPicoseconds / static_cast<long double>(q_.hardware.clock.count)));
  }
  // Bytes of reads that take the HBM as long.
  long double hbm(const L2Answer& l2, long double read, long double written) const {
    const Hardware::MemorySystem& memory = q_.hardware.memory;
    return l2.hbm_read * read + l2.hbm_written * (read + written) *
                                    static_cast<long double>(memory.hbm_read.count) /
                                    static_cast<long double>(memory.hbm_write.count);
  }

  Task put(const TaskDescriptor& td, const L2Answer& l2) const {
    const Region &in = ssc_.inputs(td)[0], &out = ssc_.outputs(td)[0];
    if (td.dst == rank_)
      return streams({{rows(in), tensor(in).row_bytes(), false}, {rows(out), tensor(out).row_bytes(), true}},
                     {}, l2);
    Task task;
    task.put = true;
    task.dst = td.dst;
    const std::uint64_t row = tensor(out).row_bytes();
    task.bytes = static_cast<std::int64_t>(rows(out).rows() * row);
    for (const Span& span : {rows(in), rows(out)})
      task.whole_lines &= span.begin * row % kLine == 0 && span.end * row % kLine == 0;
    task.hbm_here = hbm(l2, task.bytes, 0);
    task.hbm_there = hbm(l2, 0, task.bytes);
    return task;
  }

  // Rows that come or go, of how many bytes.
  struct Rows {
    Span span;
    std::uint64_t row_bytes;
    bool write;
  };
  Task vector(const TaskDescriptor& td, const std::string& type, const L2Answer& l2) const {
    const Region& out = ssc_.outputs(td)[0];
    const Span to = rows(out);
    const TensorInfo& made = tensor(out);
    const bool half = made.dtype != DataType::kFp32;
    Instructions all{};
    std::vector<Rows> moved;
    if (type.starts_with("Permute")) {
      // As many rows of the tokens as it writes; with a weight each is widened, multiplied, narrowed.
      moved.push_back({{0, to.rows()}, made.row_bytes(), false});
      if (type == "PermuteWeighted") all = {to.rows() * made.cols, half ? 2 * to.rows() * made.cols : 0, 0};
    } else if (type.starts_with("Accumulate")) {
      // The rank's rows that came back, dealt evenly to its tokens.
      const std::uint64_t back = rows(ssc_.inputs(td)[0]).rows();
      const std::uint64_t mine = back * to.end / made.rows - back * to.begin / made.rows;
      moved.push_back({{0, mine}, made.row_bytes(), false});
      all = {mine * made.cols * (type == "Accumulate" ? 2 : 1), half ? (mine + to.rows()) * made.cols : 0, 0};
    } else {
      const auto known = elementwise().find(type);
      if (known == elementwise().end())
        throw std::logic_error("the reference does not know operator " + type);
      std::uint64_t narrowest = made.cols;
      for (const Region& in : ssc_.inputs(td)) {
        narrowest = std::min<std::uint64_t>(narrowest, tensor(in).cols);
        moved.push_back({rows(in), tensor(in).row_bytes(), false});
      }
      const std::uint64_t n = to.rows() * narrowest;
      const Instructions& each = known->second;
      // fp16 and fp32 are computed with as they are.
      all = {n * each.simple, made.dtype == DataType::kBf16 ? n * each.convert : 0, n * each.transcendental};
    }
    for (const Region& written : ssc_.outputs(td))
      moved.push_back({rows(written), tensor(written).row_bytes(), true});
    return streams(moved, all, l2);
  }

  // As many phases as it takes to hold each in the UB, cut evenly by rows; loads, arithmetic and stores are
  // beside each other, but for the first tile's load and the last one's store.
  Task streams(const std::vector<Rows>& moved, const Instructions& all, const L2Answer& l2) const {
    const Hardware::Vector& v = q_.hardware.vector;
    std::uint64_t bytes = 0, longest = 1;
    for (const Rows& m : moved) {
      bytes += m.span.rows() * m.row_bytes;
      longest = std::max(longest, m.span.rows());
    }
    Task task;
    if (bytes == 0) return task;
    const std::uint64_t ub = static_cast<std::uint64_t>(v.ub.count);
    const std::uint64_t parts = std::clamp<std::uint64_t>((bytes + ub - 1) / ub, 1, longest);
    for (std::uint64_t p = 0; p < parts; ++p) {
      Phase phase;
      long double load = 0, store = 0, tile_bytes = 0;
      for (const Rows& m : moved) {
        const std::uint64_t n = m.span.rows() * (p + 1) / parts - m.span.rows() * p / parts;
        const long double size = static_cast<long double>(n * m.row_bytes);
        const long double part = m.row_bytes % kLine == 0 ? 1.0L : v.unaligned;
        (m.write ? phase.l2_write : phase.l2_read) += size;
        tile_bytes += size;
        if (m.write) {
          store += size / (v.ub_to_gm * part);
          phase.hbm += hbm(l2, 0, size) / part;
        } else {
          const long double fast = size * (1 - l2.hbm_read) / (v.gm_to_ub * part);
          const long double slow = size * l2.hbm_read / (std::min(v.gm_to_ub_miss, v.gm_to_ub) * part);
          load += fast + slow;
          phase.hbm += hbm(l2, size, 0) / part;
        }
      }
      const long double compute = (all.simple / static_cast<long double>(v.simple_fp32) +
                                   all.convert / static_cast<long double>(v.convert) +
                                   all.transcendental / static_cast<long double>(v.transcendental)) /
                                  parts;
      const long double most = std::max({load, compute, store});
      long double cycles = most;
      if (p == 0) {
        const long double tiles =
            std::max(1.0L, tile_bytes / static_cast<long double>(q_.program.vector_tile.count));
        cycles += v.startup_cycles + (load + compute + store - most) / tiles;
      }
      phase.alone = time(cycles);
      task.phases.push_back(phase);
    }
    return task;
  }

  struct Product {
    std::uint32_t m, n, k;
  };
  Task cube(const TaskDescriptor& td, const OperatorInfo& op, const L2Answer& l2) const {
    const Region &a = ssc_.inputs(td)[0], &b = ssc_.inputs(td)[1], &c = ssc_.outputs(td)[0];
    const bool weights = op.type == "GroupedMatmulWeightGrad";
    const auto product = [&](const Span& span) {
      const auto n = static_cast<std::uint32_t>(span.rows());
      return weights ? Product{tensor(a).cols, tensor(b).cols, n}
                     : Product{n, tensor(c).cols, tensor(a).cols};
    };
    // One expert's product, or those of all experts, whose blocks are then numbered through.
    std::vector<Product> products;
    if (tensor(a).layout == Layout::kReceived && td.expert == kNoExpert) {
      for (std::uint32_t e = 0; e < ssc_.shape().experts_per_rank; ++e)
        products.push_back(product(received_by(e)));
    } else {
      products.push_back(product(rows(a)));
    }
    const Tiling& tiling = ssc_.tilings()[td.tiling_data_position];
    Task task;
    std::uint64_t number = 0;
    for (const Product& p : products) {
      const auto down = static_cast<std::uint32_t>(ceiling(p.m, tiling.base_m)),
                 across = static_cast<std::uint32_t>(ceiling(p.n, tiling.base_n));
      for (const Block& block : block_order(down, across, tiling.order)) {
        if (number++ % c.shares != c.share) continue;
        const Product part{std::min<std::uint32_t>(tiling.base_m, p.m - block.row * tiling.base_m),
                           std::min<std::uint32_t>(tiling.base_n, p.n - block.col * tiling.base_n), p.k};
        task.phases.push_back(block_phase(part, tiling, tensor(a), tensor(b), tensor(c), weights,
                                          op.transposed, task.phases.empty(), l2));
      }
    }
    return task;
  }

  // A load's rate: a row is read in pieces as long as lies together, and no longer than the largest part of a line
  // (all, a half, a quarter) at whose multiples rows begin. Where they begin at none, they are slow as a whole.
  long double load_part(const TensorInfo& info, std::uint32_t together) const {
    const Hardware::Cube& cube = q_.hardware.cube;
    const auto begin = static_cast<std::uint32_t>(std::gcd(info.row_bytes(), kLine));
    const bool unaligned = begin < kLine / 4;
    const long double part = unaligned ? cube.unaligned : 1.0L;
    if (!unaligned) together = std::min(together, begin);
    if (together >= kLine) return part;
    const long double pieces = static_cast<long double>(kLine) / together, two = 1.0L / cube.rows_256,
                      four = 1.0L / cube.rows_128;
    long double slower = 1 + (pieces - 1) * (four - 1) / 3;
    if (pieces <= 2)
      slower = 1 + (pieces - 1) * (two - 1);
    else if (pieces <= 4)
      slower = two + (pieces - 2) * (four - two) / 2;
    return part / slower;
  }

  Phase block_phase(const Product& p, const Tiling& tiling, const TensorInfo& a, const TensorInfo& b,
                    const TensorInfo& c, bool weights, bool transposed, bool first,
                    const L2Answer& l2) const {
    const Hardware::Cube& cube = q_.hardware.cube;
    const std::uint32_t element = element_bits(a.dtype) / 8;
    const long double bytes_a = static_cast<long double>(element) * p.m * p.k,
                      bytes_b = static_cast<long double>(element) * p.n * p.k,
                      bytes_c = static_cast<long double>(element_bytes(c.dtype)) * p.m * p.n;
    const std::uint32_t along_k = std::uint32_t{tiling.base_k} * tiling.step_k * element;
    const long double part_a = load_part(a, weights ? tiling.base_m * element : along_k),
                      part_b = load_part(b, transposed ? along_k : tiling.base_n * element);
    Phase phase;
    phase.l2_read = bytes_a + bytes_b;
    phase.l2_write = bytes_c;
    phase.hbm = hbm(l2, bytes_a, 0) / part_a + hbm(l2, bytes_b, 0) / part_b + hbm(l2, 0, bytes_c);
    if (l2.hbm_read > 0) throw std::logic_error("the reference has no products that miss the L2");
    const long double drain = bytes_c / cube.l0c_to_gm;
    if (p.k == 0) {  // zeros
      phase.alone = time(drain);
      return phase;
    }
    const long double stages = ceiling(p.k, std::uint64_t{tiling.base_k} * tiling.step_k);
    const long double load =
        (bytes_a / part_a + bytes_b / part_b) / cube.gm_to_l1 / stages + 2 * cube.load_issue_cycles;
    const std::uint64_t macs = a.dtype == DataType::kFp32 ? cube.macs_per_cycle_32 : cube.macs_per_cycle_16;
    const std::uint64_t k_a_cycle = macs / (kFractal * kFractal);
    const long double face = ceiling(p.m, kFractal) * ceiling(p.n, kFractal);
    long double mads = 0, cycles = 0;
    for (std::uint32_t k = 0; k < p.k; k += tiling.base_k) {
      cycles += face * ceiling(std::min<std::uint32_t>(tiling.base_k, p.k - k), k_a_cycle);
      ++mads;
    }
    const long double busy = cycles + mads * cube.mad_head_cycles;
    const long double to_l0 = bytes_a / cube.l1_to_l0a + bytes_b / cube.l1_to_l0b;
    const long double compute = (tiling.l0_buffers == 1 ? busy + to_l0 : std::max(busy, to_l0)) / stages;
    const bool overlaps =
        tiling.unit_flag == UnitFlag::kOn || (tiling.unit_flag == UnitFlag::kUnlessTransposed && !weights);
    const long double start = first ? static_cast<long double>(q_.program.tasks.cube_task_start.count()) /
                                          kPicoseconds * static_cast<long double>(q_.hardware.clock.count)
                                    : 0;
    // A single buffer of results holds the next block's products up, unless they overlap its way out.
    const long double held = tiling.l0c_buffers == 1 && !overlaps ? drain : 0;
    phase.alone = time(start + pipeline(stages, load, compute, drain, held, tiling.l1_buffers == 1, first));
    return phase;
  }

  // A block's loads and products, `stages` of each, behind another block's.
  static long double pipeline(long double stages, long double load, long double compute, long double drain,
                              long double held, bool one_buffer, bool first) {
    if (one_buffer) {
      const long double turns = stages * (load + compute);
      return first || held > 0 ? turns + drain : std::max(turns, drain);
    }
    if (first) return (stages - 1) * std::max(load, compute) + load + compute + drain;
    // Loads alone; products alone; a product, the loads that follow the two buffered ones, a product.
    const long double mixed = stages > 2 ? held + compute + (stages - 2) * load + compute : 0;
    return std::max({stages * load, held + stages * compute, mixed, drain});
  }

  const Question& q_;
  std::uint32_t rank_;
  const Ssc& ssc_;
  std::vector<std::vector<std::uint64_t>> sent_, received_;  // by rank
};

}  // namespace

std::vector<Task> tasks_of(const Question& question, std::uint32_t rank) {
  const Rank of(question, rank);
  std::vector<Task> tasks;
  for (const TaskDescriptor& td : question.schedule[rank].tasks()) tasks.push_back(of.task(td));
  return tasks;
}

}  // namespace a3sim::reference
