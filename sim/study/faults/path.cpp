#include <fmt/format.h>

#include "sim/study/faults/simple_fault.h"

namespace a3sim {
namespace {

class PathFault final : public FaultKind {
 public:
  std::string_view example() const override { return "{kind: path, from: 3, to: 6, factor: 0.2}"; }
  bool of_ranks() const override { return false; }
  std::unique_ptr<Fault> read(const Config& entry, const FaultSite& site) const override {
    const auto from = static_cast<std::uint32_t>(entry.integer("from", 0, site.ranks - 1));
    const auto to = static_cast<std::uint32_t>(entry.integer("to", 0, site.ranks - 1));
    if (entry.has("to") && from == to) entry.error("to", "a path leads to another rank than 'from'");
    const double factor = read_rate_factor(entry);
    auto fault = std::make_unique<SimpleFault>([=](const SimpleFault&, std::uint32_t, StepConditions& c) {
      c.links.paths.push_back({from, to, factor});
    });
    fault->links = {{from, to}};
    return fault;
  }
};

A3SIM_REGISTER(FaultKind, "path", "what goes from one rank to another goes slower", PathFault);

}  // namespace
}  // namespace a3sim
