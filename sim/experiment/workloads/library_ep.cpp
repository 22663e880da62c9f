#include <fmt/format.h>

#include <algorithm>

#include "models/config/model_shape_config.h"
#include "models/graph/expert_parallel.h"
#include "sim/experiment/config/workload.h"
#include "sim/runtime/execution.h"

namespace a3sim {
namespace {

Exchange exchange_of(const Experiment& experiment) {
  if (experiment.run.transport == Transport::kCollective) return Exchange::kCollectives;
  return Executions::get(experiment.run.execution).cut() == ScheduleCut::kFused ? Exchange::kFused
                                                                                : Exchange::kPuts;
}

// Returns the rows per task for two tasks per AIV, if there are enough tokens.
std::uint32_t token_rows(const Experiment& experiment) {
  constexpr std::uint32_t kMost = 32, kTasksAWorker = 2;
  return std::clamp(experiment.shape.tokens / (kTasksAWorker * experiment.workers.count(CoreUnit::kVector)),
                    1U, kMost);
}

std::string_view text_of(Exchange exchange) {
  switch (exchange) {
    case Exchange::kFused:
      return "a fused kernel of AIVs each, as MoeDistributeDispatch and MoeDistributeCombine: rows into "
             "windows, status "
             "words, copies";
    case Exchange::kCollectives:
      return "all-to-alls of the host (HCCL), of the counts and then of the rows, between kernels that sort "
             "them";
    default:
      return "puts of AIVs, each of which raises its event; no windows and no counts ahead";
  }
}

// Reads dispatch and combine of a layer as a library offers them, with nothing between.
void read_library_ep(const Config& root, const Config& /*block*/, Experiment& experiment) {
  read_model(root, experiment);
  const Config config = root.map("library_ep");
  const bool int8 = config.choice("dispatch", {"as_model", "int8"}, "as_model") == 1;
  const Exchange exchange = exchange_of(experiment);
  const char* const usual = exchange == Exchange::kFused ? "row" : "token";
  const bool by_row = config.choice("quantize", {"token", "row"}, usual) == 1;
  if (!int8) config.let_stand("quantize");
  const bool pull = config.choice("mover", {"put", "pull"}, "put") == 1;
  config.finish();
  if (pull && (!int8 || !by_row || exchange == Exchange::kCollectives))
    config.error("mover",
                 "rows are pulled as they were quantised, expected dispatch: int8, quantize: row, and no "
                 "experiment.communication: collective");
  if (config.is_wrong("mover")) return;
  if (int8 && element_bits(experiment.shape.dtype) != 16) {
    config.error("dispatch", "int8 is quantised from bf16 or fp16, expected as_model");
    return;
  }
  const ExpertParallelOptions options{int8 ? DataType::kInt8 : experiment.shape.dtype, exchange,
                                      token_rows(experiment),
                                      by_row ? experiment.workers.count(CoreUnit::kVector) : 0, pull};
  experiment.passes.push_back({"dispatch", dispatch_graph(experiment.shape, options)});
  experiment.passes.push_back({"combine", combine_graph(experiment.shape, options)});
  experiment.latency_definition = fmt::format(
      "dispatch: from the tokens until every rank has its experts' rows in {}, ordered by expert{}; "
      "combine: "
      "from the experts' rows in {} until every token has the weighted sum of its own; by {}",
      name_of(options.dispatched), int8 ? ", with a scale each" : "", name_of(experiment.shape.dtype),
      text_of(options.exchange));
}

// Reads a whole forward layer with int8 before the experts and in their products.
void read_moe_int8(const Config& root, const Config& /*block*/, Experiment& experiment) {
  read_model(root, experiment);
  refuse_ungated(root.map("model"), "experts in 8 bits");
  const Exchange exchange = exchange_of(experiment);
  experiment.passes.push_back(
      {"forward", int8_forward_graph(experiment.shape, exchange, token_rows(experiment))});
  experiment.latency_definition = fmt::format(
      "from the tokens to the sum of each one's experts: quantisation, dispatch in int8, products of int8, "
      "combine in {}; by {}",
      name_of(experiment.shape.dtype), text_of(exchange));
}

A3SIM_REGISTER(Workload, "library_ep", "dispatch and combine alone, as a library offers them",
               Workload{read_library_ep});
A3SIM_REGISTER(Workload, "moe_int8", "a MoE-FFN forward with int8 dispatch and products",
               Workload{read_moe_int8});

}  // namespace
}  // namespace a3sim
