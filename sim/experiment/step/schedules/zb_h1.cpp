#include <algorithm>

#include "sim/experiment/step/schedule.h"

namespace a3sim {
namespace {

std::string why_not_zb_h1(const ScheduleShape& shape) {
  if (shape.overlap)
    return "zb_h1 runs no two micro-batches beside one another: expected step.overlap=none or within_one";
  if (shape.chunks_per_stage == 1) return {};
  return "zb_h1 has one chunk of layers per stage: expected parallel.vpp=1";
}

// Zero Bubble (arXiv 2401.10241), H1: 1f1b with delayed weight gradients. The delay in micro-batches is the
// number of stages before, so that they fill the time that the last stages would wait at the end.
StageOrders zb_h1_orders(const ScheduleShape& shape) {
  using Kind = StageWork::Kind;
  const std::uint32_t p = shape.stages, m = shape.micro_batches;
  StageOrders orders;
  for (std::uint32_t s = 0; s < p; ++s) {
    std::vector<StageWork>& list = orders.emplace_back();
    const std::uint32_t warm_up = std::min(m, p - 1 - s);
    for (std::uint32_t f = 0; f < warm_up; ++f) list.push_back({Kind::kForward, s, f});
    for (std::uint32_t b = 0; b < m; ++b) {
      if (b + warm_up < m) list.push_back({Kind::kForward, s, b + warm_up});
      list.push_back({Kind::kActivationGradient, s, b});
      if (b >= s) list.push_back({Kind::kWeightGradient, s, b - s});
    }
    for (std::uint32_t w = m - std::min(m, s); w < m; ++w) list.push_back({Kind::kWeightGradient, s, w});
  }
  return orders;
}

A3SIM_REGISTER(PipelineSchedule, "zb_h1",
               "1f1b with weight gradients put off into its bubble (Zero Bubble, H1)",
               PipelineSchedule{round_robin_stage, why_not_zb_h1, zb_h1_orders});

}  // namespace
}  // namespace a3sim
