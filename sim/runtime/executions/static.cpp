#include "sim/runtime/executions/kernel_execution.h"

namespace a3sim {
namespace {

class Static final : public ExecutionType {
 public:
  // The host's collectives divide a schedule into parts, which run one after another like kernels.
  std::unique_ptr<Execution> create(const ExecutionSite& site) const override {
    if (site.options.transport == Transport::kCollective)
      return std::make_unique<KernelExecution>(site, KernelExecution::Cut::kTiles);
    if (!site.options.kernels.empty())
      return std::make_unique<KernelExecution>(site, KernelExecution::Cut::kLists);
    return std::make_unique<StaticExecution>(site, std::vector<bool>(site.ssc.operators().size(), true));
  }
  bool launches_kernels(Transport transport) const override { return transport == Transport::kCollective; }
  std::vector<std::string_view> charges(Transport transport) const override {
    std::vector<std::string_view> values{"program.tasks.static_task", "program.tasks.cube_task_start",
                                         "program.signals.local_visibility"};
    if (launches_kernels(transport)) values.emplace_back("program.launch.queued");
    return values;
  }
  Duration first_task(const Program& program) const override { return program.tasks.static_task; }
};

A3SIM_REGISTER(ExecutionType, "static", "every worker takes its own next task and waits for its event",
               Static);

}  // namespace
}  // namespace a3sim
