#include "sim/experiment/config/block_choice.h"

#include <algorithm>

#include "models/operators/operator.h"

namespace a3sim {

std::uint32_t chosen_base_n(std::uint32_t m, std::uint32_t n, const Tiling& usual, std::uint32_t cores) {
  constexpr std::uint32_t kFractal = 16, kEnoughRounds = 2;
  const auto over = [](std::uint64_t whole, std::uint64_t part) { return (whole + part - 1) / part; };
  const auto blocks = [&](std::uint32_t base_n) { return over(m, usual.base_m) * over(n, base_n); };
  std::uint32_t best = usual.base_n;
  if (blocks(best) >= std::uint64_t{kEnoughRounds} * cores) return best;
  const auto time = [&](std::uint32_t base_n) { return over(blocks(base_n), cores) * base_n; };
  for (std::uint32_t base_n = best / kFractal * kFractal; base_n >= kFractal; base_n -= kFractal) {
    if (time(base_n) < time(best)) best = base_n;
  }
  return best;
}

void choose_blocks(Experiment& experiment) {
  for (const Pass& pass : experiment.passes) {
    for (const OperatorNode& op : pass.graph.operators()) {
      if (Operators::get(op.type).unit() != CoreUnit::kMatrix) continue;
      const TensorNode& product = pass.graph.tensor(op.outputs.front());
      if (product.layout != Layout::kPlain) return;
      Tiling& tiling = experiment.cut.tiling;
      tiling.base_n = static_cast<std::uint16_t>(
          chosen_base_n(product.rows, product.cols, tiling, experiment.workers.count(CoreUnit::kMatrix)));
      return;
    }
  }
}

}  // namespace a3sim
