#include "models/routing/routing.h"

namespace a3sim {
namespace {

// Sends slot j of token t of rank r to expert ((r T + t) k + j) mod E: experts take turns, so their numbers
// of rows differ by at most one.
class Balanced final : public RoutingGenerator {
 public:
  std::vector<std::uint32_t> assign(const RoutingSpec&, const MoeShape& shape,
                                    std::uint32_t src) const override {
    check_top_k(shape);
    std::vector<std::uint32_t> experts(std::size_t{shape.tokens} * shape.top_k);
    std::uint64_t next = src * std::uint64_t{experts.size()} % shape.experts();
    for (std::uint32_t& expert : experts) {
      expert = static_cast<std::uint32_t>(next);
      if (++next == shape.experts()) next = 0;
    }
    return experts;
  }

  RoutingCounts counts(const RoutingSpec&, const MoeShape& shape) const override {
    check_top_k(shape);
    RoutingCounts counts(shape.ep, shape.experts());
    const std::uint64_t slots = std::uint64_t{shape.tokens} * shape.top_k, experts = shape.experts();
    for (std::uint32_t src = 0; src < shape.ep; ++src) {
      const std::uint64_t first = src * slots % experts;
      for (std::uint64_t expert = 0; expert < experts; ++expert) {
        const std::uint64_t turn = (expert + experts - first) % experts;
        counts.at(src, static_cast<std::uint32_t>(expert)) =
            static_cast<std::uint32_t>(slots / experts + (turn < slots % experts ? 1 : 0));
      }
    }
    return counts;
  }
};

A3SIM_REGISTER(RoutingGenerator, "balanced", "every expert receives the same number of rows", Balanced);

}  // namespace
}  // namespace a3sim
