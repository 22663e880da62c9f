#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/registry.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

// What an experiment runs: where its shape and its passes come from; one file each, registered by the name
// that `experiment.workload` gives.
struct Workload {
  static constexpr std::string_view kKind = "workload";
  // Reads the workload's own keys: those in the block `experiment`, and blocks of its own. The hardware, the
  // workers and how schedules run have been read. Notes what is wrong.
  void (*read)(const Config& root, const Config& block, Experiment& experiment);
};
using Workloads = Registry<Workload>;

// Reads the block `experiment` and those that its workload needs.
void read_workload(const Config& root, Experiment& experiment);

// For workloads. The blocks `parallel`, `model` and `routing`:
void read_model(const Config& root, Experiment& experiment);
// Whether operators run one after the other, as kernels that are cut for themselves.
bool in_kernels(const Experiment& experiment);
// The executions that a mapping names; what is none is noted.
std::vector<std::string> executions_in(const Config& by);
// A value that may differ by execution stands plain, or as a mapping: `aiv: {static: 24, kernel: 48}`. What
// `read(map, key)` gives of the experiment's own; those of other executions are read too, so that a mistake in
// one is told before it is run.
template <class Read>
auto of_execution(const Config& block, std::string_view key, const Experiment& experiment, const Read& read) {
  if (!block.is_map(key)) return read(block, std::string(key));
  const Config by = block.map(key);
  for (const std::string& name : executions_in(by))
    if (name != experiment.run.execution) static_cast<void>(read(by, name));
  return read(by, experiment.run.execution);
}
// No size of a shape is above this.
inline constexpr std::int64_t kMostShape = 1 << 30;
// An A3 die's memory. Nothing larger can be measured, and what is much larger never ends here either.
void check_fits_memory(const Config& config, std::string_view key, double elements, DataType dtype);

}  // namespace a3sim
