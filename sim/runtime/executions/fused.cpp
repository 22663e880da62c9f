#include "sim/runtime/executions/kernel_execution.h"

namespace a3sim {
namespace {

class Fused final : public ExecutionType {
 public:
  std::unique_ptr<Execution> create(const ExecutionSite& site) const override {
    return std::make_unique<KernelExecution>(site, KernelExecution::Cut::kFused);
  }
  bool launches_kernels(Transport) const override { return true; }
  void adapt(Program& program) const override { prepare_products(program); }
  ScheduleCut cut() const override { return ScheduleCut::kFused; }
  std::vector<std::string_view> charges(Transport) const override {
    return {"program.launch.queued", "program.signals.sync_all"};
  }
  bool takes_collectives() const override { return false; }
  Duration first_task(const Program& program) const override { return program.launch.alone; }
};

A3SIM_REGISTER(ExecutionType, "fused",
               "kernels as 'kernel', but vector operators that follow one another, puts among them, are one",
               Fused);

}  // namespace
}  // namespace a3sim
