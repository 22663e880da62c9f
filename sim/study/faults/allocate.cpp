#include "sim/study/faults/host_event_fault.h"

namespace a3sim {
namespace {

class AllocateFault final : public FaultKind {
 public:
  std::string_view example() const override {
    return "{kind: allocate, ranks: [1], every: 4, at: 0 ms, length: 30 ms}";
  }
  std::unique_ptr<Fault> read(const Config& entry, const FaultSite&) const override {
    return read_host_event(entry, HostAction::kAllocate);
  }
};

A3SIM_REGISTER(FaultKind, "allocate", "hosts allocate or free device memory", AllocateFault);

}  // namespace
}  // namespace a3sim
