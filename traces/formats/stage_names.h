#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace a3sim {

// The public runtime's names of what is called otherwise here: ours, theirs.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kStageNames{
    {{"Dispatch_bwd", "DispatchGrad"},
     {"GMM_act_grad", "ActGrad"},
     {"GMM_w2_grad", "W2Grad"},
     {"SwiGLU_grad", "SwiGLUGrad"},
     {"GMM_gate_grad", "GateGrad"},
     {"GMM_w1_grad", "W1Grad"},
     {"Combine_bwd", "CombineGrad"}}};

}  // namespace a3sim
