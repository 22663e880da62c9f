#include "models/config/model_shape_config.h"
#include "sim/experiment/config/mega_moe_config.h"
#include "sim/experiment/config/workload.h"

namespace a3sim {
namespace {

// Reads a MoE layer as one kernel that exchanges rows itself.
void read_mega_moe(const Config& root, const Config& /*block*/, Experiment& experiment) {
  read_model(root, experiment);
  refuse_ungated(root.map("model"), "the experts of MegaMoE's kernel");
  const MoeShape& shape = experiment.shape;
  const MegaMoeOptions options = read_mega_moe_options(root.map("mega_moe"), shape, experiment.workers);
  if (shape.dtype != DataType::kBf16 && shape.dtype != DataType::kFp16)
    root.map("model").error("dtype", "int8 is quantised from bf16 or fp16");
  if (options.activation_segments.empty()) return;
  experiment.passes.push_back({"forward", mega_moe_graph(shape, options)});
  experiment.absent = mega_moe_operators();
  experiment.latency_definition =
      "from the first core's start to the last core's end on the slowest rank: sort, quantisation, exchange "
      "of counts, "
      "dispatch by pulls, products of int8, combine by puts of fp16, sum over each token's experts";
}

A3SIM_REGISTER(Workload, "mega_moe", "a MoE layer forward in int8 as one kernel that exchanges rows itself",
               Workload{read_mega_moe});

}  // namespace
}  // namespace a3sim
