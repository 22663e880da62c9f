#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/registry.h"
#include "sim/experiment/experiment.h"

namespace a3sim {

// A source of an experiment's shape and passes. Each is one file, registered by the name that
// `experiment.workload` gives.
struct Workload {
  static constexpr std::string_view kKind = "workload";
  // Reads the workload's own keys: those in the block `experiment`, and its own blocks. Called after the
  // hardware, the workers and the run options have been read. Notes what is wrong.
  void (*read)(const Config& root, const Config& block, Experiment& experiment);
};
using Workloads = Registry<Workload>;

// Reads the block `experiment` and the blocks that its workload needs.
void read_workload(const Config& root, Experiment& experiment);

// For workloads: reads the blocks `parallel`, `model` and `routing`.
void read_model(const Config& root, Experiment& experiment);
// Returns whether operators run one after another, as separate kernels, each cut on its own.
bool in_kernels(const Experiment& experiment);
// Returns the executions that a mapping names. Notes names that are none.
std::vector<std::string> executions_in(const Config& by);
// Reads a value that may differ by execution. It is given plainly, or as a mapping: `aiv: {static: 24,
// kernel: 48}`. Returns what `read(map, key)` gives for the experiment's execution. Reads those of other
// executions too, so that a mistake in one is reported before it is run.
template <class Read>
auto of_execution(const Config& block, std::string_view key, const Experiment& experiment, const Read& read) {
  if (!block.is_map(key)) return read(block, std::string(key));
  const Config by = block.map(key);
  for (const std::string& name : executions_in(by))
    if (name != experiment.run.execution) static_cast<void>(read(by, name));
  return read(by, experiment.run.execution);
}
// The largest size of a shape.
inline constexpr std::int64_t kMostShape = 1 << 30;
// Notes an error at the largest of the keys if tensors of so many bytes are larger than the device's memory. Nothing larger can be
// measured, and much larger ones would never finish.
void check_fits_memory(const Config& config, Bytes memory, const std::vector<std::string>& keys,
                       double bytes);

}  // namespace a3sim
