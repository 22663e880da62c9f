#include "sim/experiment/config/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "sim/experiment/config/kernel_lists.h"
#include "sim/runtime/execution.h"

namespace a3sim {

bool in_kernels(const Experiment& experiment) {
  return Executions::get(experiment.run.execution).cut() != ScheduleCut::kTiles;
}

std::vector<std::string> executions_in(const Config& by) {
  std::vector<std::string> known;
  for (const std::string& name : by.names()) {
    if (Executions::find(name)) {
      known.push_back(name);
      continue;
    }
    by.error(name, fmt::format("unknown execution '{}'; known: {}{}", name, Executions::known(),
                               Executions::meant(name)));
    static_cast<void>(by.has(name));
  }
  return known;
}

void read_model(const Config& root, Experiment& experiment) {
  experiment.parallel = read_parallel(root.map("parallel"));
  experiment.not_modelled = root.map("model").texts("not_modelled");
  experiment.shape = read_shape(root.map("model"), experiment.parallel);
  experiment.routing = read_routing(root.map("routing"));
}

void check_fits_memory(const Config& config, Bytes memory, const std::vector<std::string>& keys,
                       double bytes) {
  constexpr double kGibibyte = 1ULL << 30;
  const double most = static_cast<double>(memory.count);
  if (bytes <= most) return;
  const auto size = [&](const std::string& key) { return std::strtod(config.yaml(key).c_str(), nullptr); };
  const std::string& largest = *std::ranges::max_element(keys, {}, size);
  config.error(largest,
               fmt::format("the tensors would take {:.1f} GiB, expected at most the {:.4g} GiB of a die",
                           bytes / kGibibyte, most / kGibibyte));
}

void read_workload(const Config& root, Experiment& experiment) {
  const Config block = root.map("experiment");
  experiment.name = block.text("name");
  if (const auto name = block.registered<Workload>("workload", "moe_ffn"))
    Workloads::get(*name).read(root, block, experiment);
  else
    block.throw_if_any();  // the workload decides which keys are allowed
  read_kernels(block, experiment);
  block.finish();
}

}  // namespace a3sim
