#include "sim/study/faults/simple_fault.h"

namespace a3sim {
namespace {

class LoadFault final : public FaultKind {
 public:
  std::string_view example() const override {
    return "{kind: load, ranks: all, read: 5 ms, process: 40 ms, fetch: 1 ms, workers: 1, queue: 4}";
  }
  std::unique_ptr<Fault> read(const Config& entry, const FaultSite&) const override {
    const DataOptions data = read_data_options(entry, {});
    return std::make_unique<SimpleFault>([=](const SimpleFault& fault, std::uint32_t, StepConditions& c) {
      for (const std::uint32_t rank : fault.ranks) c.hosts[rank].data = data;
    });
  }
};

A3SIM_REGISTER(FaultKind, "load", "batches take longer on their way to the device", LoadFault);

}  // namespace
}  // namespace a3sim
