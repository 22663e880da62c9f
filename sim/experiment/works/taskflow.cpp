#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "sim/experiment/experiment.h"
#include "sim/experiment/outcome/run_trace.h"
#include "sim/experiment/run/equal_schedules.h"
#include "sim/experiment/run/own_values.h"
#include "sim/experiment/run/run_estimate.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/experiment/run/schedule_check.h"
#include "sim/experiment/run/serial_roofline.h"
#include "sim/experiment/run/value_range.h"
#include "sim/experiment/work.h"

namespace a3sim {
namespace {

class PreparedTaskflow final : public PreparedWork {
 public:
  explicit PreparedTaskflow(Compiled compiled) : compiled_(std::move(compiled)) {}

  std::size_t passes() const override { return compiled_.passes.size(); }
  const std::string& pass_name(std::size_t pass) const override { return compiled_.passes[pass].name; }

  RunOutcome run(const Experiment& on, std::size_t pass, const Draw& draw, Duration limit,
                 Record record) const override {
    PassResult result{pass_name(pass), {}, {}, {}};
    result.run = run_drawn(on, compiled_, pass, draw, record == Record::kTrace, limit);
    if (record != Record::kLatency) {
      result.schedule = compiled_.passes[pass].schedule;
      result.bounds = bounds(on, pass);
    }
    return outcome_of(on, result, record);
  }

  std::vector<RunOutcome> run_all(const Experiment& on, Record record, unsigned threads) const override {
    std::vector<PassResult> results =
        run_compiled(on, compiled_, record == Record::kTrace, backend_of(on), threads);
    std::vector<RunOutcome> outcomes;
    for (PassResult& result : results) {
      outcomes.push_back(outcome_of(on, result, record));
      result = {};  // its records take as much memory as the trace
    }
    return outcomes;
  }

  OwnSections sections(const Experiment& on, std::span<const RunOutcome> passes) const override;

  std::optional<Duration> by_hand(const Experiment& on, std::size_t pass, double part_of_peak,
                                  std::string_view op) const override {
    if (!op.empty()) return {};
    RoutingCounts counts = routing_of(on);
    if (on.representatives > 0) counts = turned(counts, on.shape, on.representatives);
    return serial_roofline(compiled_.passes[pass].schedule, counts, on.hardware, on.program, on.run,
                           part_of_peak)
        .total();
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

// Returns the part of rows whose expert lies on the rank that they come from.
double rows_that_stay(const RoutingCounts& counts, std::uint32_t experts_per_rank) {
  double stay = 0, all = 0;
  for (std::uint32_t src = 0; src < counts.ranks(); ++src) {
    const std::span<const std::uint32_t> rows = counts.source(src);
    const auto own = rows.subspan(std::size_t{src} * experts_per_rank, experts_per_rank);
    stay += std::accumulate(own.begin(), own.end(), 0.0);
    all += std::accumulate(rows.begin(), rows.end(), 0.0);
  }
  return all > 0 ? stay / all : 0;
}

// Experts take turns in balanced routing, so that few tokens may meet those of their own rank alone: says so.
std::string too_few_rows(const Experiment& experiment) {
  constexpr double kFar = 0.15;
  const MoeShape& s = experiment.shape;
  if (experiment.routing.kind != "balanced" || experiment.routing.known) return "";
  if (std::uint64_t{s.tokens} * s.top_k >= s.experts()) return "";
  const double stay = rows_that_stay(routing_of(experiment), s.experts_per_rank), chance = 1.0 / s.ep;
  if (std::abs(stay - chance) < kFar) return "";
  return fmt::format("; of so few rows {:.0f} % stay on their rank, by chance {:.0f} % would (kind: sampled)",
                     100 * stay, 100 * chance);
}

// Describes a routing so that it can be told from others.
std::string routing_text(const Experiment& experiment) {
  const RoutingSpec& routing = experiment.routing;
  const RoutingGenerator& generator = Routings::get(routing.kind);
  if (!generator.draws()) return routing.kind + too_few_rows(experiment);
  const auto [key, value] = generator.spread(routing);
  return fmt::format("{}, seed {}, {} {}", routing.kind, routing.seed, key, value);
}

std::string what_ran(const Experiment& experiment) {
  const MoeShape& s = experiment.shape;
  std::string text;
  if (s.experts() > 0) {
    text += fmt::format(
        "MoE-FFN   EP{}, {} tokens per rank, hidden {}, intermediate {}, top-{} of {} experts, {}\n", s.ep,
        s.tokens, s.hidden, s.intermediate, s.top_k, s.experts(), name_of(s.dtype));
    text += fmt::format("routing   {}\n", routing_text(experiment));
    if (!experiment.not_modelled.empty())
      text += fmt::format("left out  {}\n", fmt::join(experiment.not_modelled, "\n          "));
  }
  text +=
      fmt::format("machine   {}: {} run tasks; network {}; L2: {}, {}, {} start\n", experiment.hardware.name,
                  experiment.workers.text(), experiment.network, experiment.run.l2.spec.policy,
                  experiment.run.l2.exact ? "line by line" : "approximate", name_of(experiment.run.l2.start));
  text += own_values(experiment);
  text += fmt::format(
      "schedule  {}, order {}, {} assignment, {} shares per product, {} partition{} per expert\n",
      experiment.run.execution, experiment.order.name,
      experiment.order.assignment == Assignment::kCyclic ? "cyclic" : "shared", experiment.cut.shares,
      experiment.cut.partitions, experiment.cut.partitions == 1 ? "" : "s");
  if (experiment.representatives > 0) {
    text += fmt::format(
        "ranks     {} of {} simulated, which represent all around the ring{}; tasks, events and bytes are "
        "theirs\n",
        experiment.representatives, s.ep, experiment.cut.kernel ? "" : ", usually within 2 %");
  }
  return text;
}

// Adds the settings that decide the schedules, for programs.
void add_settings(const Experiment& experiment, Report& report) {
  const MoeShape& shape = experiment.shape;
  const CutOptions& cut = experiment.cut;
  report.fact("shape.tokens", whole(shape.tokens))
      .fact("shape.hidden", whole(shape.hidden))
      .fact("shape.intermediate", whole(shape.intermediate))
      .fact("shape.top_k", whole(shape.top_k))
      .fact("shape.experts_per_rank", whole(shape.experts_per_rank))
      .fact("shape.ep", whole(shape.ep))
      .fact("shape.dtype", std::string(name_of(shape.dtype)))
      .fact("routing.kind", experiment.routing.kind);
  const RoutingGenerator& generator = Routings::get(experiment.routing.kind);
  if (const auto [key, value] = generator.spread(experiment.routing); generator.draws())
    report.fact(fmt::format("routing.{}", key), value);
  report.fact("seed", whole(experiment.routing.seed))
      .fact("cut.shares", whole(cut.shares))
      .fact("cut.partitions", whole(cut.partitions))
      .fact("cut.chunk", whole(cut.chunk))
      .fact("cut.task_rows", whole(cut.task_rows))
      .fact("window", experiment.window == Window::kFull ? "full" : "transport")
      .fact("order", experiment.order.name);
}

// Reports what the latency covers, its range, and the assumed values.
Report range_report(const Experiment& experiment, std::span<const RunOutcome> passes,
                    const LatencyRange& range) {
  Report report;
  report.say(fmt::format("timed: {}\n", experiment.latency_definition), "timed");
  Table& table =
      report.table("latencies", {Column::words("pass"), Column::microseconds("latency us", "latency_ps"),
                                 Column::microseconds("behind the launch us", "behind_launch_ps"),
                                 Column::microseconds("at the fast ends", "fast_ps"),
                                 Column::microseconds("at the slow ends", "slow_ps")});
  for (std::size_t p = 0; p < passes.size(); ++p) {
    const Duration latency = passes[p].latency;
    table.add(
        {passes[p].name, latency, latency - experiment.program.launch.alone, range.fast[p], range.slow[p]});
  }
  report.say("The ends: every value below at the faster and at the slower one that public sources give.\n");
  Table& assumed = report.table("assumed", {Column::words("assumed", "value"), Column::words("is"),
                                            Column::words("from", "low"), Column::words("to", "high")});
  for (const SourcedValue& value : range.assumed)
    assumed.add({value.path, value.value, value.low, value.high});
  return report;
}

OwnSections PreparedTaskflow::sections(const Experiment& on, std::span<const RunOutcome> passes) const {
  OwnSections own;
  own.head = what_ran(on);
  add_settings(on, own.before);
  if (!on.latency_definition.empty())
    own.after.only_part("range", range_report(on, passes, latency_range(on, compiled_)));
  return own;
}

class Taskflow final : public ExperimentWork {
 public:
  std::shared_ptr<const PreparedWork> prepare(const Experiment& experiment, unsigned threads,
                                              CompileCache* cache) const override {
    return prepared_schedules(cache ? cache->compile(experiment) : compile_all(experiment, threads));
  }

  RunEstimate estimate(const Experiment& experiment, bool recorded) const override {
    return estimate_of(experiment, recorded);
  }

  void check(const Experiment& experiment, const FindingsVisitor& visit) const override {
    const RoutingCounts capacity = capacity_of(experiment, routing_of(experiment));
    for (const Pass& pass : experiment.passes)
      visit(pass.name, check_schedule(experiment, compile_pass(experiment, pass, capacity).schedule));
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

std::shared_ptr<const PreparedWork> prepared_schedules(Compiled compiled) {
  return std::make_shared<PreparedTaskflow>(std::move(compiled));
}

}  // namespace a3sim
