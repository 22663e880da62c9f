#include "sim/experiment/run/times_alone.h"

namespace a3sim {

TimesAlone::Times TimesAlone::compute(const Work& work, const CostModel& cost) {
  key_.assign(1, static_cast<std::uint64_t>(cost.hardware().clock.count));
  add_sizes(work);
  const auto [found, is_new] = known_.try_emplace(key_);
  if (is_new) found->second = {cost.arithmetic(work), cost.least(work)};
  return found->second;
}

// Adds everything that decides the steps and their costs. First rows, tensors and ranks do not.
void TimesAlone::add_sizes(const Work& work) {
  const auto add = [this](auto... sizes) { (key_.push_back(static_cast<std::uint64_t>(sizes)), ...); };
  const Tiling& tiling = work.tiling;
  add(work.kind, work.worker_kind, work.gemms.size());
  if (work.kind == WorkKind::kCube) {
    add(work.share, work.shares, work.count_on, work.dtype, work.weights, work.result, work.a_transposed,
        work.b_transposed, work.a_pitch, work.b_pitch, tiling.base_m, tiling.base_n, tiling.base_k,
        tiling.step_k, tiling.l1_buffers, tiling.l0_buffers, tiling.l0c_buffers, tiling.order,
        tiling.unit_flag, tiling.grid_m, tiling.grid_n);
    for (const Gemm& gemm : work.gemms) add(gemm.m, gemm.n, gemm.k);
  }
  add(work.ops.simple_fp32, work.ops.convert, work.ops.transcendental);
  for (const Stream& stream : work.streams) {
    add(stream.rows.size(), stream.bytes, stream.write, stream.gather, stream.row_bytes);
  }
}

std::size_t TimesAlone::Hash::operator()(const Sizes& sizes) const {
  std::uint64_t hash = 0;
  for (const std::uint64_t size : sizes) hash = (hash ^ size ^ (hash >> 32)) * 0x9E3779B97F4A7C15U;
  return hash;
}

}  // namespace a3sim
