#include "sim/study/faults/host_event_fault.h"

namespace a3sim {
namespace {

class PauseFault final : public FaultKind {
 public:
  std::string_view example() const override {
    return "{kind: pause, ranks: all, every: 9, at: 2 ms, length: 60 ms, phase: rank}";
  }
  std::unique_ptr<Fault> read(const Config& entry, const FaultSite&) const override {
    return read_host_event(entry, HostAction::kCollect);
  }
};

A3SIM_REGISTER(FaultKind, "pause", "hosts stand still: garbage is collected", PauseFault);

}  // namespace
}  // namespace a3sim
