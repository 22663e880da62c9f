#include "sim/study/faults/host_event_fault.h"

namespace a3sim {
namespace {

class CompileFault final : public FaultKind {
 public:
  std::string_view example() const override {
    return "{kind: compile, ranks: all, every: 1, at: 0 ms, length: 6 ms}";
  }
  std::unique_ptr<Fault> read(const Config& entry, const FaultSite&) const override {
    return read_host_event(entry, HostAction::kCompile);
  }
};

A3SIM_REGISTER(FaultKind, "compile", "hosts compile an operator before they launch it", CompileFault);

}  // namespace
}  // namespace a3sim
