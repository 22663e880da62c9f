#include "sim/runtime/executions/kernel_execution.h"

namespace a3sim {
namespace {

class KernelByKernel final : public ExecutionType {
 public:
  std::unique_ptr<Execution> create(const ExecutionSite& site) const override {
    return std::make_unique<KernelExecution>(site, KernelExecution::Cut::kOperator);
  }
  bool launches_kernels(Transport) const override { return true; }
  void adapt(Hardware::Runtime& runtime) const override { prepare_products(runtime); }
  bool by_kernels() const override { return true; }
  Transport usual_transport() const override { return Transport::kCollective; }
  Duration first_task(const Hardware::Runtime& runtime) const override { return runtime.queued_launch; }
};

A3SIM_REGISTER(ExecutionType, "kernel",
               "an operator at a time, launched from the host when the one before has finished",
               KernelByKernel);

}  // namespace
}  // namespace a3sim
