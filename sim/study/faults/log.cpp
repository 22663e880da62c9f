#include "sim/study/faults/host_event_fault.h"

namespace a3sim {
namespace {

class LogFault final : public FaultKind {
 public:
  std::string_view example() const override {
    return "{kind: log, ranks: all, every: 1, at: 0 ms, length: 40 ms}";
  }
  std::unique_ptr<Fault> read(const Config& entry, const FaultSite&) const override {
    return read_host_event(entry, HostAction::kLog);
  }
};

A3SIM_REGISTER(FaultKind, "log", "hosts write logs", LogFault);

}  // namespace
}  // namespace a3sim
