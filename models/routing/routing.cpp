#include "models/routing/routing.h"

#include <fmt/format.h>

#include "sim/core/error.h"
#include "sim/core/ids.h"
#include "sim/core/rng.h"

namespace a3sim {

RoutingCounts RoutingGenerator::counts(const RoutingSpec& spec, const MoeShape& shape) const {
  RoutingCounts counts(shape.ep, shape.experts());
  for (std::uint32_t src = 0; src < shape.ep; ++src) {
    for (const std::uint32_t expert : assign(spec, shape, src)) {
      if (expert != kNone) ++counts.at(src, expert);
    }
  }
  return counts;
}

std::vector<std::uint32_t> dealt_to_tokens(std::span<const std::uint32_t> rows, const MoeShape& shape) {
  std::vector<std::uint32_t> experts(std::size_t{shape.tokens} * shape.top_k, kNone);
  std::size_t dealt = 0;
  for (std::uint32_t expert = 0; expert < rows.size(); ++expert) {
    for (std::uint32_t row = 0; row < rows[expert]; ++row, ++dealt)
      experts[dealt % shape.tokens * shape.top_k + dealt / shape.tokens] = expert;
  }
  return experts;
}

void check_top_k(const MoeShape& shape) {
  if (shape.top_k > 0 && shape.top_k <= shape.experts()) return;
  throw InputError(
      fmt::format("a token cannot go to {} different experts of {}", shape.top_k, shape.experts()));
}

RoutingSpec another_draw(RoutingSpec spec, std::uint32_t draw) {
  if (Routings::get(spec.kind).drifts()) {
    spec.micro_batch += draw;
  } else if (draw > 0) {
    constexpr std::uint64_t kDraws = std::uint64_t{1} << 42;  // streams of the seed that nothing else uses
    spec.seed = Rng(spec.seed, kDraws + draw).next();
  }
  return spec;
}

RoutingCounts route(const RoutingSpec& spec, const MoeShape& shape) {
  if (spec.known) return *spec.known;
  const RoutingGenerator& generator = Routings::get(spec.kind);
  return shape.experts() == 0 ? RoutingCounts(shape.ep, 0) : generator.counts(spec, shape);
}

RoutingCounts turned(const RoutingCounts& counts, const MoeShape& shape, std::uint32_t kept) {
  RoutingCounts result(counts.ranks(), counts.experts());
  for (std::uint32_t src = 0; src < counts.ranks(); ++src) {
    const std::uint32_t turn = (src - src % kept) * shape.experts_per_rank;
    for (std::uint32_t e = 0; e < counts.experts(); ++e)
      result.at(src, (e + turn) % counts.experts()) = counts.at(src % kept, e);
  }
  return result;
}

}  // namespace a3sim
