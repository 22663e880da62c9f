#include <algorithm>

#include "scheduler/verify/verify.h"
#include "sim/experiment/equal_schedules.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/limited_hooks.h"
#include "sim/experiment/run_experiment.h"
#include "sim/experiment/work.h"

namespace a3sim {
namespace {

class PreparedTaskflow final : public PreparedWork {
 public:
  explicit PreparedTaskflow(Compiled compiled) : compiled_(std::move(compiled)) {}

  std::size_t passes() const override { return compiled_.passes.size(); }
  const std::string& pass_name(std::size_t pass) const override { return compiled_.passes[pass].name; }

  PassOutcome run(const Experiment& on, std::size_t pass, const Draw& draw, Duration limit) const override {
    const RunResult result = run_drawn(on, compiled_, pass, draw, false, limit);
    if (result.stopped) return {result.makespan, {}, true};
    const auto [first, last] = std::ranges::minmax(result.ranks, {}, &RankResult::end);
    return {result.makespan, last.end - first.end, false};
  }

  Bounds bounds(const Experiment& on, std::size_t pass) const override {
    return bounds_of(on, compiled_, pass, options_of(on, false));
  }

  bool same(const PreparedWork& other, std::size_t pass) const override {
    const Compiled* const theirs = other.schedules();
    return theirs && pass < theirs->passes.size() &&
           equal_schedules(compiled_.passes[pass].schedule, theirs->passes[pass].schedule);
  }

  Bytes footprint() const override {
    std::uint64_t most = 1;
    for (const CompiledPass& pass : compiled_.passes) most = std::max(most, largest_tensors(pass.schedule));
    return {static_cast<std::int64_t>(most)};
  }

  const Compiled* schedules() const override { return &compiled_; }

 private:
  Compiled compiled_;
};

class Taskflow final : public ExperimentWork {
 public:
  std::shared_ptr<const PreparedWork> prepare(const Experiment& experiment, unsigned threads) const override {
    return std::make_shared<PreparedTaskflow>(compile_all(experiment, threads));
  }

  void check(const Experiment& experiment, const FindingsVisitor& visit) const override {
    const RoutingCounts capacity = capacity_of(experiment, routing_of(experiment));
    for (const Pass& pass : experiment.passes)
      visit(pass.name, verify(compile_pass(experiment, pass, capacity).schedule));
  }
};

std::shared_ptr<const ExperimentWork> read_taskflow(const Config& root, Experiment& experiment) {
  experiment.run = read_run_options(root.map("experiment"), experiment.hardware.workers);
  return taskflow_work();
}

A3SIM_REGISTER(WorkType, "taskflow", "schedules of tasks and events, each pass run once",
               WorkType{[](const Config&) { return false; }, read_taskflow});

}  // namespace

std::shared_ptr<const ExperimentWork> taskflow_work() { return std::make_shared<Taskflow>(); }

}  // namespace a3sim
