#pragma once

#include "tests/models/small_run.h"

// An MoE feed-forward layer and its gradients, computed token by token and expert by expert, without
// layouts, tasks or operators.
namespace a3sim::test {

struct Parameters {
  std::vector<Matrix> w1, w2;  // one matrix per global expert: hidden x 2 width, width x hidden
};

struct Forward {
  std::vector<Matrix> output;  // one matrix per rank: tokens x hidden
};

struct Backward {
  std::vector<Matrix> d_tokens;    // one per rank
  std::vector<Matrix> d_w1, d_w2;  // one per global expert
};

Parameters random_parameters(const MoeShape& shape, std::uint64_t seed);
Forward forward(const MoeShape& shape, const Routed& routed, const Parameters& parameters,
                const std::vector<Matrix>& tokens);
Backward backward(const MoeShape& shape, const Routed& routed, const Parameters& parameters,
                  const std::vector<Matrix>& tokens, const std::vector<Matrix>& d_output);

}  // namespace a3sim::test
