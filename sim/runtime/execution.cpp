#include "sim/runtime/execution.h"

#include "sim/runtime/dynamic_execution.h"
#include "sim/runtime/kernel_execution.h"
#include "sim/runtime/static_execution.h"

namespace a3sim {

std::unique_ptr<Execution> make_execution(ExecutionKind kind, Device& device) {
  switch (kind) {
    case ExecutionKind::kStatic:
      return std::make_unique<StaticExecution>(device);
    case ExecutionKind::kDynamic:
      return std::make_unique<DynamicExecution>(device);
    case ExecutionKind::kKernel:
      break;
  }
  return std::make_unique<KernelExecution>(device);
}

}  // namespace a3sim
