#include <algorithm>

#include "scheduler/verify/verify.h"
#include "sim/experiment/draws.h"
#include "sim/experiment/guest_slots.h"
#include "sim/experiment/limited_hooks.h"
#include "sim/experiment/run_experiment.h"

namespace a3sim {
namespace {

// The first micro-batch of the first seed, run by the schedule that all micro-batches share.
class PreparedReplay final : public PreparedWork {
 public:
  explicit PreparedReplay(const Experiment& experiment) : slots_(experiment, draw_batches(experiment, 0)) {}

  std::size_t passes() const override { return slots_.passes().size(); }
  const std::string& pass_name(std::size_t pass) const override { return slots_.passes()[pass].name; }

  PassOutcome run(const Experiment& on, std::size_t pass, const Draw& draw, Duration limit) const override {
    const JitterOptions options = draw.options();
    TaskJitter jitter(slots_.passes()[pass].schedule, options, draw.run, static_cast<std::uint32_t>(pass));
    LimitedHooks hooks(jitter, limit);
    const Experiment drawn = with_jitter(on, options, draw.run);
    const RunResult result = slots_.run_pass(0, pass, drawn.hardware, drawn.program, &hooks);
    if (result.stopped) return {result.makespan, {}, true};
    const auto [first, last] = std::ranges::minmax(result.ranks, {}, &RankResult::end);
    return {result.makespan, last.end - first.end, false};
  }

  Bounds bounds(const Experiment& on, std::size_t pass) const override {
    return slots_.bounds(0, pass, on.hardware, on.program);
  }
  bool same(const PreparedWork& other, std::size_t) const override { return this == &other; }

  Bytes footprint() const override {
    std::uint64_t most = 1;
    for (const CompiledPass& pass : slots_.passes()) most = std::max(most, largest_tensors(pass.schedule));
    return {static_cast<std::int64_t>(most)};
  }

 private:
  GuestSlots slots_;
};

class Replay final : public ExperimentWork {
 public:
  explicit Replay(MicroBatchOptions options) : options_(std::move(options)) {}

  std::shared_ptr<const PreparedWork> prepare(const Experiment& experiment, unsigned) const override {
    return std::make_shared<PreparedReplay>(experiment);
  }

  void check(const Experiment& experiment, const FindingsVisitor& visit) const override {
    const GuestSlots slots(experiment, draw_batches(experiment, 0));
    for (const CompiledPass& pass : slots.passes()) visit(pass.name, verify(pass.schedule));
  }

  std::string label(const Experiment&) const override { return options_.method; }

  std::string why_no_schedule_run() const override {
    return "experiment.method means micro-batches: 'a3sim run FILE --batches' runs them by one schedule";
  }
  std::string why_no_steps() const override {
    return "steps are simulated of one routing, not of micro-batches";
  }

  const MicroBatchOptions* micro_batches() const override { return &options_; }
  std::vector<MicroBatchResult> run_micro_batches(const Experiment& experiment,
                                                  const Batches& batches) const override {
    return GuestSlots(experiment, batches).run();
  }

 private:
  MicroBatchOptions options_;
};

bool takes_replay(const Config& experiment) {
  return experiment.has("method") && !(experiment.has("execution") && read_execution(experiment) == kStreams);
}

std::shared_ptr<const ExperimentWork> read_replay(const Config& root, Experiment& experiment) {
  experiment.run = read_run_options(root.map("experiment"), experiment.hardware.workers);
  return std::make_shared<Replay>(read_micro_batch_options(root));
}

A3SIM_REGISTER(WorkType, "replay",
               "micro-batches of a MoE layer by one schedule, with slots for experts that move",
               WorkType{takes_replay, read_replay});

}  // namespace
}  // namespace a3sim
