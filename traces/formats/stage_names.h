#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace a3sim {

// Pairs of names that differ: ours, and that of the public runtime.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kStageNames{
    {{"Dispatch_bwd", "DispatchGrad"},
     {"GMM_act_grad", "ActGrad"},
     {"GMM_w2_grad", "W2Grad"},
     {"SwiGLU_grad", "SwiGLUGrad"},
     {"GMM_gate_grad", "GateGrad"},
     {"GMM_w1_grad", "W1Grad"},
     {"Combine_bwd", "CombineGrad"}}};

// The runtime's stages whose tasks send rows to other ranks, by our names. Its traces do not say which
// tasks do.
inline constexpr std::array<std::string_view, 4> kExchangeStages{"Dispatch", "Combine", "Dispatch_bwd",
                                                                 "Combine_bwd"};
constexpr bool is_exchange(std::string_view ours) {
  for (const std::string_view stage : kExchangeStages)
    if (stage == ours) return true;
  return false;
}

}  // namespace a3sim
