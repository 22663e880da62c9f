#include <fmt/format.h>

#include <algorithm>

#include "sim/core/closest.h"
#include "sim/study/faults/simple_fault.h"

namespace a3sim {
namespace {

class OperatorFault final : public FaultKind {
 public:
  std::string_view example() const override {
    return "{kind: operator, ranks: all, name: SwiGLU, factor: 3}";
  }
  std::unique_ptr<Fault> read(const Config& entry, const FaultSite& site) const override {
    constexpr double kLeast = 0.01, kMost = 1000;
    const std::string name = entry.text("name");
    if (entry.has("name") && std::ranges::find(site.operators, name) == site.operators.end())
      entry.error("name",
                  fmt::format("no operator is called '{}'{}", name, suggestion(name, site.operators)));
    const double factor = entry.number("factor", kLeast, kMost);
    auto fault = std::make_unique<SimpleFault>([=](const SimpleFault& of, std::uint32_t, StepConditions& c) {
      for (const std::uint32_t rank : of.ranks) c.operators.push_back({rank, name, factor});
    });
    fault->operators = {name};
    return fault;
  }
};

A3SIM_REGISTER(FaultKind, "operator", "tasks of an operator take longer", OperatorFault);

}  // namespace
}  // namespace a3sim
