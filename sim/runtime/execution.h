#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sim/core/engine.h"

// How a rank's tasks get to its workers.
namespace a3sim {

class Device;

enum class ExecutionKind : std::uint8_t {
  kStatic,   // every worker takes its own next task and waits for its event
  kDynamic,  // a scheduler on the device hands ready tasks to free workers
  kKernel    // an operator at a time, launched from the host when the one before has finished
};
constexpr std::string_view name_of(ExecutionKind kind) {
  constexpr std::string_view kNames[] = {"static", "dynamic", "kernel"};
  return kNames[static_cast<std::uint8_t>(kind)];
}

// One object a device, which calls it; it gives tasks to the device's workers.
class Execution {
 public:
  virtual ~Execution() = default;
  // The kernel, or the first one, runs.
  virtual void launch(Engine& engine) = 0;
  // The worker's task has ended.
  virtual void worker_is_free(Engine& engine, std::uint32_t worker) = 0;
  // An event has reached its threshold.
  virtual void event_is_complete(Engine& engine, std::uint32_t event) = 0;
  // A date that it asked Device::call_later() for.
  virtual void called(Engine& engine, std::uint32_t value) = 0;
  // What keeps the tasks that have not run, a line each; empty if none.
  virtual std::string blocked() const = 0;
};

std::unique_ptr<Execution> make_execution(ExecutionKind kind, Device& device);

}  // namespace a3sim
