#include "sim/study/faults/host_event_fault.h"

namespace a3sim {
namespace {

class SyncFault final : public FaultKind {
 public:
  std::string_view example() const override {
    return "{kind: sync, ranks: all, every: 1, at: 0 ms, length: 2 ms}";
  }
  std::unique_ptr<Fault> read(const Config& entry, const FaultSite&) const override {
    return read_host_event(entry, HostAction::kSync);
  }
};

A3SIM_REGISTER(FaultKind, "sync", "hosts wait until their device is idle, and go on later", SyncFault);

}  // namespace
}  // namespace a3sim
