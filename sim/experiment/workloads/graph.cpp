#include "models/graph/yaml_graph.h"
#include "sim/experiment/workload.h"

namespace a3sim {
namespace {

void read_graph(const Config& root, const Config& /*block*/, Experiment& experiment) {
  read_model(root, experiment);
  const Config graph = root.map("graph");
  experiment.passes.push_back({graph.text("name"), graph_from_config(graph, experiment.shape)});
}

A3SIM_REGISTER(Workload, "graph", "a graph of known operators, in the configuration", Workload{read_graph});

}  // namespace
}  // namespace a3sim
