#include "sim/runtime/executions/kernel_execution.h"

namespace a3sim {
namespace {

class KernelByKernel final : public ExecutionType {
 public:
  std::unique_ptr<Execution> create(const ExecutionSite& site) const override {
    return std::make_unique<KernelExecution>(site, KernelExecution::Cut::kOperator);
  }
  bool launches_kernels(Transport) const override { return true; }
  void adapt(Program& program) const override { prepare_products(program); }
  ScheduleCut cut() const override { return ScheduleCut::kKernels; }
  std::vector<std::string_view> charges(Transport) const override { return {"program.launch.queued"}; }
  Transport usual_transport() const override { return Transport::kCollective; }
  Duration first_task(const Program& program) const override { return program.launch.queued; }
};

A3SIM_REGISTER(ExecutionType, "kernel",
               "an operator at a time, launched from the host when the one before has finished",
               KernelByKernel);

}  // namespace
}  // namespace a3sim
