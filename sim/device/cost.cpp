#include "sim/device/cost.h"

#include <algorithm>

#include "sim/core/error.h"
#include "sim/core/whole_time.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kFractal = 16;  // the cube multiplies 16 x K x 16 per cycle

// Returns the time of two loads, one after the other or at the same time.
double both_of(double a, double b, bool in_turns) { return in_turns ? a + b : std::max(a, b); }

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// The mads that multiply a rows x cols block over k, and their cycles without their heads.
struct Mads {
  std::int64_t count, cycles;
};

Mads mads_of(std::uint32_t rows, std::uint32_t cols, std::uint32_t k, std::uint32_t base_k,
             std::uint32_t macs_per_cycle, std::uint32_t least_rows) {
  const std::int64_t k_per_cycle = macs_per_cycle / (kFractal * kFractal);
  const std::int64_t padded = ceil_div(rows, least_rows) * least_rows;
  const std::int64_t face = ceil_div(padded, kFractal) * ceil_div(cols, kFractal);
  const std::int64_t full = k / base_k, rest = k % base_k;
  const std::int64_t cycles = face * (full * ceil_div(base_k, k_per_cycle) + ceil_div(rest, k_per_cycle));
  return {full + (rest ? 1 : 0), cycles};
}

}  // namespace

// With two buffers a load waits for the stage two before it: a block ends with the stage that was loaded
// last, and the first two of the next are loaded while it ends. Three chains can be the longest from one
// block's end to the next: loads all the way; the cube all the way; the cube through the first stage, the
// loads from the third on (the two before fill the buffers), the cube through the last.
double block_cycles(double stages, double load, double compute, double drain, const Tiling& tiling,
                    bool drain_overlaps, bool first) {
  const double own_drain = tiling.l0c_buffers == 1 && !drain_overlaps ? drain : 0;
  if (tiling.l1_buffers == 1) {
    const double both = stages * (load + compute);
    return first || own_drain > 0 ? both + drain : std::max(both, drain);
  }
  if (first) return std::max(stages * load + compute, load + stages * compute) + drain;
  double cycles = std::max(stages * load, own_drain + stages * compute);
  if (stages > 2) cycles = std::max(cycles, own_drain + 2 * compute + (stages - 2) * load);
  return std::max(cycles, drain);
}

std::uint32_t CostModel::macs_per_cycle(const Work& work) const {
  const std::uint32_t macs = hardware_.cube.macs_per_cycle(work.dtype, work.weights);
  if (macs == 0) throw InputError(why_no_products(hardware_, work.dtype, work.weights));
  return macs;
}

// Cycles may be fractions, since rates are in bytes per cycle; a portion's sum is rounded up once.
Duration CostModel::time(double cycles) const {
  return Duration(whole_picoseconds(cycles * 1e12 / static_cast<double>(hardware_.clock.count)));
}

void CostModel::begin_shape(const Work& work, const TaskPortion& portion, LastCube& last) const {
  const Hardware::Cube& cube = hardware_.cube;
  const double clock = static_cast<double>(hardware_.clock.count);
  const double line = static_cast<double>(hardware_.memory.l2_line_read.count) / clock;
  last.stages_ =
      static_cast<double>(ceil_div(portion.k, std::int64_t{work.tiling.base_k} * work.tiling.step_k));
  for (std::uint32_t i = 0; i < 2; ++i) {
    const TensorAccess& access = portion.accesses[i];
    const double readers = std::min(i == 0 ? portion.readers_a : portion.readers_b, matrix_workers_);
    const double part = part_of_rate(portion, access), rate = std::min(cube.gm_to_l1 * part, line / readers);
    last.loads_ += static_cast<double>(access.bytes()) / rate + last.stages_ * cube.load_issue_cycles;
    last.miss_[i] = std::max(0.0, 1 / (cube.gm_to_l1_miss * part) - 1 / rate);
  }
  const Mads mads = mads_of(portion.rows, portion.cols, portion.k, work.tiling.base_k, macs_per_cycle(work),
                            cube.least_rows);
  const double heads = static_cast<double>(mads.count) * cube.mad_head_cycles;
  const double busy = (static_cast<double>(mads.cycles) + heads) / cube.speed;
  const double to_l0a = portion.rows / cube.l1_to_l0a, to_l0b = portion.cols / cube.l1_to_l0b;
  const double element = element_bytes(work.dtype);
  const double to_l0 = work.dtype == work.weights && cube.l0_in_turns
                           ? element * portion.k * (to_l0a + to_l0b)
                           : both_of(element * portion.k * to_l0a,
                                     element_bytes(work.weights) * portion.k * to_l0b, cube.l0_in_turns);
  last.compute_ = work.tiling.l0_buffers == 1 ? busy + to_l0 : std::max(busy, to_l0);
  last.start_ =
      portion.first ? static_cast<double>(program_.tasks.cube_task_start.count()) * 1e-12 * clock : 0;
}

CostModel::Cycles CostModel::cube(const Work& work, const TaskPortion& portion, const PortionTraffic& traffic,
                                  LastCube& last) const {
  const auto cycles = [&](double loads) {
    return last.start_ + block_cycles(last.stages_, loads / last.stages_, last.compute_ / last.stages_,
                                      last.drain_, work.tiling, work.drain_overlaps(), portion.first);
  };
  const LastCube::Shape shape{portion.rows,          portion.cols,      portion.k,
                              portion.readers_a,     portion.readers_b, portion.first,
                              portion.finishes_block};
  if (!(shape == last.shape_)) {
    last = {};
    last.shape_ = shape;
    const double result = element_bytes(work.result);
    last.drain_ =
        portion.finishes_block ? result * portion.rows * portion.cols / hardware_.cube.l0c_to_gm : 0;
    last.hits_ = last.drain_;  // writing zeros
    if (portion.k > 0) {
      begin_shape(work, portion, last);
      last.hits_ = cycles(last.loads_);
    }
  }
  const std::array<double, 2> misses{traffic.slow[0] * last.miss_[0], traffic.slow[1] * last.miss_[1]};
  if (!work.tiling.rotate_k) {
    const double both = misses[0] + misses[1];
    return {both > 0 ? cycles(last.loads_ + both) : last.hits_, last.hits_};
  }
  // Cores that share a panel each fetch another part of it, at the pace of misses, and find the other parts
  // in the L2.
  double all = last.hits_;
  for (std::uint32_t i = 0; i < 2; ++i)
    if (misses[i] > 0) all += (cycles(last.loads_ + misses[i]) - last.hits_) / portion.fetchers[i];
  return {all, last.hits_};
}

// A row of a load costs time in addition to its bytes. Between the two measured lengths the time per byte is
// linear in the number of rows that a line's bytes come in. Below the shorter length it lies on the line from
// there to whole lines.
double CostModel::part_of_rate(const TaskPortion& portion, const TensorAccess& access) const {
  const Hardware::Cube& cube = hardware_.cube;
  // Rows that begin at a half or a quarter of a line arrive in pieces of that size.
  std::uint32_t piece = kL2Line;
  while (portion.cube && access.row_bytes > 0 && piece > kL2Line / 4 && access.pitch % piece != 0) piece /= 2;
  const bool aligned = access.pitch % piece == 0;
  if (!aligned) piece = kL2Line;
  const double part = aligned ? 1 : portion.cube ? cube.unaligned : hardware_.vector.unaligned;
  if (access.row_bytes == 0 || std::min(access.row_bytes, piece) >= kL2Line) return part;
  const double rows =
      static_cast<double>(kL2Line) / std::min(access.row_bytes, piece);  // 512 bytes in 1, 2, 4 rows
  const double of_2 = 1 / cube.rows_256, of_4 = 1 / cube.rows_128;
  const double slower = rows <= 2   ? 1 + (rows - 1) * (of_2 - 1)
                        : rows <= 4 ? of_2 + (rows - 2) / 2 * (of_4 - of_2)
                                    : 1 + (rows - 1) / 3 * (of_4 - 1);
  return part / slower;
}

double CostModel::vector_arithmetic(const Hardware::Vector& vector, double simple, double convert,
                                    double transcendental) {
  return simple / vector.simple_fp32 + convert / vector.convert + transcendental / vector.transcendental;
}

// Returns the cycles of a task outside its pipeline of loads, arithmetic and stores.
double CostModel::serial_cycles(const VectorOps& ops) const {
  const Program::Tasks& tasks = program_.tasks;
  const double picoseconds =
      static_cast<double>(ops.scalar) * static_cast<double>(tasks.scalar_store.count()) +
      static_cast<double>(ops.sorted) * static_cast<double>(tasks.sorted_element.count()) +
      static_cast<double>(ops.routed) * static_cast<double>(tasks.scalar_row.count()) +
      static_cast<double>(ops.barriers) * static_cast<double>(program_.signals.sync_all.count());
  return picoseconds * 1e-12 * static_cast<double>(hardware_.clock.count);
}

CostModel::Cycles CostModel::vector(const Work& work, const TaskPortion& portion,
                                    const PortionTraffic& traffic) const {
  const Hardware::Vector& vector = hardware_.vector_of(work.worker_kind);
  double hits = portion.loads * vector.load_startup, misses = 0, write = 0;
  std::uint64_t all_bytes = 0;
  for (std::uint32_t i = 0; i < portion.count; ++i) {
    const TensorAccess& access = portion.accesses[i];
    all_bytes += access.bytes();
    const double part = part_of_rate(portion, access);
    const auto bytes = static_cast<double>(access.bytes());
    if (access.l2.write) {
      write += bytes / (vector.ub_to_gm * part);
    } else {
      const double rate = vector.gm_to_ub * part;
      hits += bytes / rate;
      misses += traffic.slow[i] * std::max(0.0, 1 / (vector.gm_to_ub_miss * part) - 1 / rate);
    }
  }
  const double busy = vector_arithmetic(vector, portion.simple, portion.convert, portion.transcendental) +
                      portion.dependent * vector.startup_cycles;
  // The load of the first tile and the store of the last overlap with nothing.
  const double tiles =
      std::max(1.0, static_cast<double>(all_bytes) / static_cast<double>(program_.vector_tile.count));
  const auto cycles = [&](double loads) {
    const double longest = std::max({busy, loads, write});
    return longest + (portion.first ? vector.startup_cycles + (busy + loads + write - longest) / tiles +
                                          serial_cycles(work.ops)
                                    : 0);
  };
  return {cycles(hits + misses), cycles(hits)};
}

PortionJob CostModel::job(const Work& work, const TaskPortion& portion, const PortionTraffic& traffic) const {
  LastCube last;
  return job(work, portion, traffic, last);
}

PortionJob CostModel::job(const Work& work, const TaskPortion& portion, const PortionTraffic& traffic,
                          LastCube& last) const {
  const Cycles cycles = portion.cube ? cube(work, portion, traffic, last) : vector(work, portion, traffic);
  PortionJob job;
  job.memory.ideal = time(cycles.all);
  if (cycles.hits < cycles.all) {
    job.missing = job.memory.ideal - std::min(job.memory.ideal, time(cycles.hits));
  }
  const auto bytes = [&](Resource resource) -> double& {
    return job.memory.bytes[static_cast<std::size_t>(resource)];
  };
  for (const TensorAccess& access : portion.all()) {
    bytes(access.l2.write ? Resource::kL2Write : Resource::kL2Read) += static_cast<double>(access.bytes());
  }
  bytes(Resource::kHbm) = traffic.hbm;
  return job;
}

Duration CostModel::least(const Work& work) const {
  if (work.kind == WorkKind::kNothing) return {};
  TaskPortions portions;
  TaskPortion portion;
  LastCube last;
  double cycles = 0;
  portions.start(work, hardware_);
  while (portions.next(portion))
    cycles += (portion.cube ? cube(work, portion, {}, last) : vector(work, portion, {})).hits;
  return time(cycles);
}

void CostModel::add(const Work& work, const TaskPortion& portion, CubeTotal& total) const {
  if (!portion.finishes_block) return;
  total.cycles += mads_of(portion.rows, portion.cols, portion.block_k, work.tiling.base_k,
                          macs_per_cycle(work), hardware_.cube.least_rows)
                      .cycles;
  total.macs += std::uint64_t{portion.rows} * portion.cols * portion.block_k;
}

Duration CostModel::arithmetic(const CubeTotal& total) const {
  return cycles_time(static_cast<std::int64_t>(static_cast<double>(total.cycles) / hardware_.cube.speed),
                     hardware_.clock);
}

Duration CostModel::arithmetic(const Work& work) const {
  if (work.kind == WorkKind::kCube) {
    CubeTotal total;
    TaskPortion portion;
    for (BlockWalk walk(work); !walk.done(); walk.next()) {
      const BlockGrid::Block block = walk.block();
      portion.rows = block.rows;
      portion.cols = block.cols;
      portion.block_k = walk.gemm().k;
      portion.finishes_block = true;
      add(work, portion, total);
    }
    return arithmetic(total);
  }
  return time(
      vector_arithmetic(hardware_.vector_of(work.worker_kind), static_cast<double>(work.ops.simple_fp32),
                        static_cast<double>(work.ops.convert), static_cast<double>(work.ops.transcendental)));
}

}  // namespace a3sim
