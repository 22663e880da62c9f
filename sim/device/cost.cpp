#include "sim/device/cost.h"

#include <algorithm>

#include "models/taskflow/block_grid.h"
#include "sim/core/whole_time.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kFractal = 16;  // the cube multiplies 16 x K x 16 a cycle

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Cycles may be fractions where a rate is in bytes a cycle; a task's sum is rounded up once.
Duration cycles_to_time(double cycles, Hertz clock) {
  return Duration(whole_picoseconds(cycles * 1e12 / static_cast<double>(clock.count)));
}

double& bytes_of(MemoryJob& job, Resource resource) { return job.bytes[static_cast<std::size_t>(resource)]; }

// Mads that multiply a rows x cols block over k, and the cycles that they take without their heads.
struct Mads {
  std::int64_t count, cycles;
};

Mads mads_of(std::uint32_t rows, std::uint32_t cols, std::uint32_t k, std::uint32_t base_k,
             std::uint32_t macs_per_cycle) {
  const std::int64_t k_per_cycle = macs_per_cycle / (kFractal * kFractal);
  const std::int64_t face = ceil_div(rows, kFractal) * ceil_div(cols, kFractal);
  const std::int64_t full = k / base_k, rest = k % base_k;
  const std::int64_t cycles = face * (full * ceil_div(base_k, k_per_cycle) + ceil_div(rest, k_per_cycle));
  return {full + (rest ? 1 : 0), cycles};
}

}  // namespace

std::uint32_t CostModel::macs_per_cycle(DataType type) const {
  switch (type) {
    case DataType::kFp32:
      return hardware_.cube.macs_per_cycle_32;
    case DataType::kInt8:
      return hardware_.cube.macs_per_cycle_8;
    default:
      return hardware_.cube.macs_per_cycle_16;
  }
}

MemoryJob CostModel::cost(const Work& work) const {
  switch (work.kind) {
    case WorkKind::kCube:
      return cube(work);
    case WorkKind::kVector:
    case WorkKind::kPut:
      return vector(work);
    case WorkKind::kNothing:
      break;
  }
  return {};
}

MemoryJob CostModel::cube(const Work& work) const {
  const Hardware::Cube& cube = hardware_.cube;
  const double element = element_bytes(work.dtype);
  const Tiling& tiling = work.tiling;
  double cycles = 0, l2_read = 0, l2_write = 0, hbm_read = 0;
  for (const Gemm& gemm : work.gemms) {
    const BlockGrid grid{gemm.m, gemm.n, tiling.base_m, tiling.base_n};
    const std::uint32_t count = grid.count();
    double loaded = 0, blocks = 0;
    for (std::uint32_t b = work.share; b < count; b += work.shares, ++blocks) {
      const BlockGrid::Block block = grid.block(b);
      const Mads mads = mads_of(block.rows, block.cols, gemm.k, tiling.base_k, macs_per_cycle(work.dtype));
      const double load = (block.rows + block.cols) * element * gemm.k;
      const double to_l0 = element * gemm.k * (block.rows / cube.l1_to_l0a + block.cols / cube.l1_to_l0b);
      const double out = element * block.rows * block.cols;
      if (cycles == 0) {
        const double first_k = std::min<double>(gemm.k, 1.0 * tiling.base_k * tiling.step_k);
        cycles += (block.rows + block.cols) * element * first_k / cube.gm_to_l1;
      }
      cycles += std::max({static_cast<double>(mads.cycles + mads.count * cube.mad_head_cycles), to_l0,
                          load / cube.gm_to_l1});
      cycles += out / cube.l0c_to_gm;
      loaded += load;
      l2_write += out;
    }
    const double operands = element * gemm.k * (1.0 * gemm.m + gemm.n);
    l2_read += loaded;
    if (count) hbm_read += std::min(loaded, operands * blocks / count);
  }
  MemoryJob job;
  job.ideal = cycles_to_time(cycles, hardware_.clock);
  bytes_of(job, Resource::kL2Read) = l2_read;
  bytes_of(job, Resource::kL2Write) = l2_write;
  bytes_of(job, Resource::kHbmRead) = hbm_read;
  bytes_of(job, Resource::kHbm) = hbm_read + l2_write;
  return job;
}

MemoryJob CostModel::vector(const Work& work) const {
  const Hardware::Vector& vector = hardware_.vector;
  const auto read = static_cast<double>(work.stream_bytes(false));
  const auto write = static_cast<double>(work.stream_bytes(true));
  MemoryJob job;
  if (read + write == 0) return job;
  const double arithmetic = work.ops.simple_fp32 / vector.simple_fp32 + work.ops.convert / vector.convert +
                            work.ops.transcendental / vector.transcendental;
  const double cycles =
      vector.startup_cycles + std::max({arithmetic, read / vector.gm_to_ub, write / vector.ub_to_gm});
  job.ideal = cycles_to_time(cycles, hardware_.clock);
  bytes_of(job, Resource::kL2Read) = read;
  bytes_of(job, Resource::kL2Write) = write;
  bytes_of(job, Resource::kHbmRead) = read;
  bytes_of(job, Resource::kHbm) = read + write;
  return job;
}

Duration CostModel::arithmetic(const Work& work) const {
  if (work.kind == WorkKind::kCube) {
    std::int64_t cycles = 0;
    for (const Gemm& gemm : work.gemms) {
      const BlockGrid grid{gemm.m, gemm.n, work.tiling.base_m, work.tiling.base_n};
      for (std::uint32_t b = work.share; b < grid.count(); b += work.shares) {
        const BlockGrid::Block block = grid.block(b);
        cycles +=
            mads_of(block.rows, block.cols, gemm.k, work.tiling.base_k, macs_per_cycle(work.dtype)).cycles;
      }
    }
    return cycles_time(cycles, hardware_.clock);
  }
  const Hardware::Vector& vector = hardware_.vector;
  return cycles_to_time(work.ops.simple_fp32 / vector.simple_fp32 + work.ops.convert / vector.convert +
                            work.ops.transcendental / vector.transcendental,
                        hardware_.clock);
}

}  // namespace a3sim
