#include "sim/runtime/execution.h"

#include "sim/runtime/device.h"
#include "sim/runtime/dynamic_execution.h"
#include "sim/runtime/kernel_execution.h"
#include "sim/runtime/static_execution.h"

namespace a3sim {

std::unique_ptr<Execution> make_execution(ExecutionKind kind, Device& device) {
  switch (kind) {
    case ExecutionKind::kStatic:
      if (device.options().transport == Transport::kCollective)
        return std::make_unique<KernelExecution>(device, true);
      return std::make_unique<StaticExecution>(device);
    case ExecutionKind::kDynamic:
      return std::make_unique<DynamicExecution>(device);
    case ExecutionKind::kKernel:
      break;
  }
  return std::make_unique<KernelExecution>(device, false);
}

}  // namespace a3sim
