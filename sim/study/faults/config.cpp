#include "sim/study/faults/simple_fault.h"

namespace a3sim {
namespace {

class ConfigFault final : public FaultKind {
 public:
  std::string_view example() const override { return "{kind: config, set: {cut.chunk: 8}}"; }
  bool of_ranks() const override { return false; }
  std::unique_ptr<Fault> read(const Config& entry, const FaultSite&) const override {
    std::vector<std::pair<std::string, std::string>> sets;
    const Config set = entry.map("set");
    for (const std::string& key : set.names()) sets.emplace_back(key, set.yaml(key));
    if (sets.empty()) entry.error("set", "missing; expected keys of the configuration with their values");
    set.finish();
    return std::make_unique<SimpleFault>([sets](const SimpleFault&, std::uint32_t, StepConditions& c) {
      c.sets.insert(c.sets.end(), sets.begin(), sets.end());
    });
  }
};

A3SIM_REGISTER(FaultKind, "config", "the job runs another configuration than it should", ConfigFault);

}  // namespace
}  // namespace a3sim
