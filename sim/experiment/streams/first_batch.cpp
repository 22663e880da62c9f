#include "sim/experiment/streams/first_batch.h"

#include "sim/experiment/streams/first_draw.h"

namespace a3sim {
namespace {

// Returns a copy of an experiment that can run on streams.
Experiment copy_for_streams(const Experiment& experiment) {
  check_streams(experiment);
  return experiment;
}

}  // namespace

FirstBatch::FirstBatch(const Experiment& experiment, const Batches* batches)
    : own_(copy_for_streams(experiment)),
      batches_(batches ? *batches : draw_first_batch(own_)),
      history_(history_before(batches_)),
      batch_(batches_.counts.front(), history_),
      hardware_(sustained(own_.hardware)),
      cost_(hardware_, own_.program, own_.cut.tiling),
      plan_(plan_of(own_, batch_, cost_)) {}

const std::vector<std::string>& FirstBatch::pass_names() {
  static const std::vector<std::string> kNames{"forward", "backward"};
  return kNames;
}

StreamPass FirstBatch::write(const Experiment& on, std::size_t pass) const {
  const Hardware hardware = sustained(on.hardware);
  KernelCost cost(hardware, on.program, on.cut.tiling);
  return write_stream_pass(on, *plan_, cost, pass == 0);
}

void FirstBatch::run(StreamPass& written, const Experiment& on, TaskHooks* hooks) const {
  const Hardware hardware = sustained(on.hardware);
  const KernelCost cost(hardware, on.program, on.cut.tiling);
  run_again(written, on, cost, hooks);
}

}  // namespace a3sim
