#include <algorithm>

#include "sim/experiment/methods/shadowed.h"

namespace a3sim {
namespace {

// Tutel between its two forms: the hottest experts' weights are gathered, their gradients scattered, by
// kernels, with nothing beside.
class Tutel final : public Method {
 public:
  std::unique_ptr<ExpertPlan> assign(const MicroBatch& batch, const MethodOptions& options,
                                     const Layer& /*layer*/) const override {
    std::vector<std::uint32_t> shadows;
    if (!batch.history.empty()) shadows = hottest_first(batch.history.last());
    shadows.resize(std::min<std::size_t>(shadows.size(), options.shadows));
    return std::make_unique<Shadowed>(batch, std::move(shadows),
                                      Shadowed::Options{.by_workers = true, .in_two = false});
  }
};

A3SIM_REGISTER(Method, "tutel", "the hottest experts' weights gathered and gradients scattered by kernels",
               Tutel);

}  // namespace
}  // namespace a3sim
