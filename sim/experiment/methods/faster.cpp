#include "sim/experiment/methods/shadowed.h"

namespace a3sim {
namespace {

// FasterMoE: hot experts' weights go to all ranks before dispatch.
class Faster final : public Method {
 public:
  explicit Faster(bool in_two) : in_two_(in_two) {}
  std::unique_ptr<ExpertPlan> assign(const MicroBatch& batch, const MethodOptions& /*options*/,
                                     const Layer& layer) const override {
    return std::make_unique<Shadowed>(batch, faster_shadows(batch, layer),
                                      Shadowed::Options{.by_workers = false, .in_two = in_two_});
  }

  std::uint32_t workers_taken(const MethodOptions&, std::uint32_t bulk) const override {
    return in_two_ ? bulk : 0;
  }

 private:
  bool in_two_;
};

A3SIM_REGISTER(Method, "faster", "FasterMoE: hot experts' weights on all ranks, by copy engines",
               Faster(false));
A3SIM_REGISTER(Method, "faster_pipe2", "the same, in two halves of the experts that overlap", Faster(true));

}  // namespace
}  // namespace a3sim
