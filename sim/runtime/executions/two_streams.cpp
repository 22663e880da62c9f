#include "sim/runtime/executions/kernel_execution.h"
#include "sim/runtime/executions/streamed_kernels.h"

namespace a3sim {
namespace {

class TwoStreams final : public ExecutionType {
 public:
  std::unique_ptr<Execution> create(const ExecutionSite& site) const override {
    return std::make_unique<StreamedKernels>(site);
  }
  void adapt(Program& program) const override { prepare_products(program); }
  ScheduleCut cut() const override { return ScheduleCut::kKernels; }
  std::vector<std::string_view> charges(Transport) const override { return {"program.launch.queued"}; }
  Transport usual_transport() const override { return Transport::kCollective; }
  Duration first_task(const Program&) const override { return Duration::zero(); }
};

A3SIM_REGISTER(ExecutionType, "two_streams",
               "kernels as 'kernel', but those that move rows between ranks run concurrently with the others",
               TwoStreams);

}  // namespace
}  // namespace a3sim
