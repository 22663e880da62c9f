#include <fmt/format.h>

#include <algorithm>

#include "sim/core/closest.h"
#include "sim/diagnosis/faults/fault.h"

// Faults of the work: slow operators, and a changed configuration.
namespace a3sim {
namespace {

Fault read_operator(const Config& entry, const FaultSite& site) {
  constexpr double kLeast = 0.01, kMost = 1000;
  const std::string name = entry.text("name");
  if (entry.has("name") && std::ranges::find(site.operators, name) == site.operators.end())
    entry.error("name", fmt::format("no operator is called '{}'{}", name, suggestion(name, site.operators)));
  const double factor = entry.number("factor", kLeast, kMost);
  Fault fault{[=](const Fault& self, std::uint32_t, StepConditions& c) {
    for (const std::uint32_t rank : self.ranks) c.operators.push_back({rank, name, factor});
  }};
  fault.operators = {name};
  return fault;
}

Fault read_config(const Config& entry, const FaultSite&) {
  std::vector<std::pair<std::string, std::string>> sets;
  const Config set = entry.map("set");
  for (const std::string& key : set.names()) sets.emplace_back(key, set.yaml(key));
  if (sets.empty()) entry.error("set", "missing; expected keys of the configuration with their values");
  set.finish();
  return {[sets](const Fault&, std::uint32_t, StepConditions& c) {
    c.sets.insert(c.sets.end(), sets.begin(), sets.end());
  }};
}

A3SIM_REGISTER(FaultKind, "operator", "tasks of an operator take longer",
               FaultKind{"{kind: operator, ranks: all, name: SwiGLU, factor: 3}", read_operator});
A3SIM_REGISTER(FaultKind, "config", "the job runs another configuration than it should",
               FaultKind{"{kind: config, set: {cut.chunk: 8}}", read_config, false});

}  // namespace
}  // namespace a3sim
