#include "sim/experiment/config/row_form_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>

#include "models/graph/with_movers.h"
#include "models/operators/engine_put.h"
#include "sim/core/config/value.h"

namespace a3sim {
namespace {

RowForm row_form_in(const Config& block) {
  RowForm form;
  form.rows = block.choice("rows", RowCrossing::kByExpert);
  if (!block.has("movers")) return form;
  const Config movers = block.map("movers");
  for (const std::string& operators : movers.names())
    form.movers.push_back({operators, movers.choice<RowMover>(operators)});
  return form;
}

// Makes a kind of worker of the hardware's copy engines.
void add_copy_engines(const Config& block, Experiment& experiment) {
  if (copy_queue(experiment.workers) != kNone) return;
  if (experiment.hardware.copy_engine)
    experiment.workers.add({std::string(kCopyEngineKind), experiment.hardware.copy_engine->count, {}});
  else
    block.error("movers",
                fmt::format("{} has no copy engine: include ports/sdma.yaml behind the hardware file, "
                            "or add the block hardware.copy_engine",
                            experiment.hardware.name));
}

}  // namespace

RowForm read_row_form(const Config& block, Experiment& experiment) {
  RowForm form = row_form_in(block);
  const bool puts = experiment.run.transport == Transport::kPuts;
  if (form.rows != RowCrossing::kByExpert && !puts)
    block.error("rows",
                "the host's collectives send a row to each of its experts: expected by_expert, or "
                "communication one_sided");
  if (form.movers.empty()) return form;
  const std::string& execution = experiment.run.execution;
  if (!puts || (execution != "static" && execution != "dynamic"))
    block.error("movers",
                "tasks move rows where execution is static or dynamic, and communication one_sided");
  if (std::ranges::count(form.movers, RowMover::kCopyEngine, &MoverChoice::mover) > 0)
    add_copy_engines(block, experiment);
  return form;
}

void check_movers(const Config& block, const RowForm& rows, std::span<const Graph> passes) {
  for (const MoverChoice& choice : rows.movers) {
    std::vector<std::string> names;
    bool fitting = false;
    for (const Graph& graph : passes) {
      for (const OperatorNode& node : graph.operators()) {
        fitting = fitting || fits(choice, node.name);
        if (Operators::get(node.type).mover() == Mover::kPush) names.push_back(node.name);
      }
    }
    if (!fitting)
      block.map("movers").error(
          choice.operators, fmt::format("fits no operator of any pass, expected one that puts rows: {}, or a "
                                        "pattern (Dispatch*) that fits some",
                                        fmt::join(names, ", ")));
  }
}

RowForm row_form_of(const Experiment& experiment) {
  Diagnostics diagnostics;
  const Config root = Config::from(*experiment.tree->as_read(), {}, diagnostics);
  return row_form_in(root.map("experiment"));
}

}  // namespace a3sim
