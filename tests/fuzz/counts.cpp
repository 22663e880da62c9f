#include "models/routing/routing.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"

namespace a3sim {
namespace {

class CountsTarget final : public FuzzTarget {
 public:
  void take(std::string_view input) const override {
    const MoeShape shape{
        .tokens = 16, .hidden = 8, .intermediate = 4, .top_k = 2, .experts_per_rank = 2, .ep = 2};
    RoutingSpec spec;
    spec.kind = "file";
    spec.file = fuzz_folder().add("counts.csv", std::string(input)).string();
    route(spec, shape);
    for (std::uint32_t rank = 0; rank < shape.ep; ++rank) Routings::get("file").assign(spec, shape, rank);
  }
};

A3SIM_REGISTER(FuzzTarget, "counts", "a routing's counts", CountsTarget);

}  // namespace
}  // namespace a3sim
