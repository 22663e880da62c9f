#include <catch2/catch.hpp>

#include "sim/compare/runs/compare_runs.h"
#include "sim/experiment/metric.h"
#include "sim/experiment/run/draws.h"
#include "sim/experiment/run/evaluate.h"
#include "sim/experiment/run/run_outcome.h"
#include "sim/result/analysed_run.h"
#include "sim/result/metrics/point_metrics.h"
#include "sim/result/run_page.h"
#include "tests/experiment/saved.h"
#include "tests/experiment/small_experiment.h"
#include "traces/analysis/explanation.h"
#include "traces/formats/trace_format.h"

// A kind of work is one file: this one, a relay of ranks, goes through all that a run goes through.
namespace a3sim {
namespace {

using Catch::Contains;

// One rank works after the other, each for the same time.
Trace relay(const Experiment& experiment, Duration each) {
  Trace trace;
  trace.machine.streams = true;
  trace.machine.workers.add({"RELAY", 1, {true, true}});
  trace.machine.hbm_read = static_cast<double>(experiment.hardware.memory.hbm_read.count);
  trace.machine.hbm_write = trace.machine.l2_read = trace.machine.port = trace.machine.hbm_read;
  trace.operators.emplace_back().name = "Lap";
  trace.hosts.resize(experiment.shape.ep);
  trace.starts.resize(experiment.shape.ep);
  for (std::uint32_t rank = 0; rank < experiment.shape.ep; ++rank) {
    TraceTask task;
    task.src = task.dst = task.trigger_rank = rank;
    if (rank > 0) task.cause = {Cause::Kind::kDependency, false, rank - 1, 0};
    task.taken = task.start = rank * each;
    task.end = task.done = task.visible = task.start + each;
    task.ideal = task.arithmetic = each;
    trace.ranks.push_back({task});
    trace.makespan = task.end;
  }
  return trace;
}

class PreparedRelay final : public PreparedWork {
 public:
  explicit PreparedRelay(Duration each) : each_(each) {}

  std::size_t passes() const override { return 1; }
  const std::string& pass_name(std::size_t) const override { return kName; }
  RunOutcome run(const Experiment& on, std::size_t pass, const Draw&, Duration,
                 Record record) const override {
    RunOutcome outcome = outcome_of(kName, relay(on, each_), record);
    outcome.bounds = bounds(on, pass);
    return outcome;
  }
  Bounds bounds(const Experiment&, std::size_t) const override {
    Bounds bounds;
    bounds.time[static_cast<std::size_t>(Bound::kVector)] = each_;
    return bounds;
  }
  bool same(const PreparedWork& other, std::size_t) const override { return this == &other; }
  Bytes footprint() const override { return 1_B; }
  OwnSections sections(const Experiment& on, std::span<const RunOutcome> passes) const override {
    OwnSections own = PreparedWork::sections(on, passes);
    own.head += "relay     one rank after the other\n";
    own.before.fact("laps", whole(on.shape.ep));
    own.after.say("Nobody ran twice.\n", "twice");
    own.files = {{"laps.txt", "one\n"}};
    return own;
  }

 private:
  inline static const std::string kName = "lap";
  Duration each_;
};

class Relay final : public ExperimentWork {
 public:
  explicit Relay(Duration each) : each_(each) {}

  std::shared_ptr<const PreparedWork> prepare(const Experiment&, unsigned, CompileCache*) const override {
    return std::make_shared<PreparedRelay>(each_);
  }
  void check(const Experiment&, const FindingsVisitor&) const override {}
  std::vector<std::string> sampled_metrics() const override { return {"laps"}; }
  std::vector<SampledMetric> sample(const Experiment& experiment, std::uint32_t) const override {
    return {{"total", "laps", {1.0 * experiment.shape.ep}}};
  }
  std::string why_no_schedules() const override { return "a relay has none"; }

 private:
  Duration each_;
};

A3SIM_REGISTER(Metric, "laps", "of all ranks", Metric{});
A3SIM_REGISTER(WorkType, "relay", "ranks that work one after the other",
               WorkType{
                   [](const Config& experiment) { return experiment.has("lap"); },
                   [](const Config& root, Experiment& experiment) -> std::shared_ptr<const ExperimentWork> {
                     const Config block = root.map("experiment");
                     experiment.run = read_run_options(block, experiment.hardware.workers);
                     return std::make_shared<Relay>(block.duration("lap"));
                   }});

Experiment relay_of(const std::string& lap) { return small({"experiment.lap=" + lap}); }

// Runs and saves as the command `run --trace -o` does.
RunSummary saved_relay(const Experiment& experiment, const std::filesystem::path& folder) {
  const auto work = experiment.work->prepare(experiment, 1);
  const std::vector<RunOutcome> passes = work->run_all(experiment, Record::kTrace, 1);
  RunSummary summary = run_summary(experiment, *work, passes);
  std::filesystem::create_directories(folder);
  write(folder / "resolved.yaml", portable(experiment).resolved);
  write(folder / "summary.txt", summary.text);
  write(folder / "result.json", summary.json.dump(2) + '\n');
  for (const NamedFile& file : summary.files) write(folder / file.name, file.contents);
  for (const NamedFile& file : trace_files(passes.front())) write(folder / file.name, file.contents);
  return summary;
}

constexpr Duration kLap = 3000_us;

TEST_CASE("A kind of work in one file is summarised: what all have in common, and what it says itself") {
  const TemporaryFolder folder;
  const RunSummary summary = saved_relay(relay_of("3 ms"), folder.path());
  for (const char* const line :
       {"relay     one rank after the other\n", "12.000", "Lap", "Nobody ran twice.\n"})
    CHECK_THAT(summary.text, Contains(line));
  CHECK(summary.json["laps"] == kEp);
  CHECK(summary.json["twice"] == "Nobody ran twice.");
  CHECK(summary.json["total_ps"] == (kEp * kLap).count());
  CHECK(summary.json["passes"][0]["binding"] == "vector");
  CHECK(summary.json["passes"][0]["ranks"].size() == kEp);
  CHECK(summary.files.front().name == "laps.txt");
}

TEST_CASE("A kind of work in one file has the metrics of passes and its own") {
  std::map<std::string, double> values;
  for (const PointMetric& metric : measured(relay_of("3 ms"), metric_names(), nullptr))
    if (metric.pass == "total") values[metric.name] = metric.value;
  CHECK(values["laps"] == kEp);
  CHECK(values["latency"] == milliseconds(kEp * kLap));
  CHECK(values["bound"] == milliseconds(kLap));
  CHECK(values["blame.vector"] == milliseconds(kEp * kLap));
  CHECK(values["tasks"] == kEp);
  CHECK(values["aic_busy"] == Approx(100.0 / kEp));
  CHECK(values["completion_skew"] == milliseconds((kEp - 1) * kLap));
}

TEST_CASE("A kind of work in one file is evaluated as a variant beside others") {
  std::vector<Variant> variants{{relay_of("3 ms"), nullptr}, {relay_of("5 ms"), nullptr}, {small(), nullptr}};
  prepare(variants, 1);
  EvaluateOptions options;
  options.jitter = JitterOptions::none();
  const std::vector<Evaluated> results = evaluate(variants, options);
  CHECK(results[0].totals() == Latencies{kEp * kLap});
  CHECK(results[1].totals() == Latencies{kEp * 5000_us});
  CHECK(results[2].totals().front() > Duration::zero());
}

TEST_CASE("A kind of work in one file is saved, read back, explained, compared, exported and shown") {
  const TemporaryFolder folder;
  const std::filesystem::path a = folder.path() / "a", b = folder.path() / "b";
  saved_relay(relay_of("3 ms"), a);
  saved_relay(relay_of("5 ms"), b);

  const SavedRun run = read_run(a, "");
  const Trace& trace = run.passes.front().trace;
  CHECK(run.passes.front().name == "lap");
  CHECK(trace.makespan == kEp * kLap);
  CHECK(trace.ranks == relay(relay_of("3 ms"), kLap).ranks);

  const Explanation explained = explain(trace);
  Duration vector{};
  for (const BlameTimes& times : explained.path.blame)
    vector += times[static_cast<std::size_t>(Blame::kVector)];
  CHECK(vector == kEp * kLap);
  CHECK_THAT(told_pass(analyse(run, "relay", 2), 0, kNone).text(), Contains("Lap") && Contains("lap: "));

  CHECK_THAT(compare_runs(a, b, {}).text(),
             Contains("experiment.lap is 3 ms in A, 5 ms in B") && Contains("A is 1.67 times faster than B"));

  for (const char* const format : {"perfetto", "cycles"}) {
    std::string text;
    for (const OutputFile& file : TraceFormats::get(format).write(run.passes)) text += file.contents;
    CHECK_THAT(text, Contains("Lap"));
  }

  Page page("relay", "");
  const std::vector<SavedRun> runs{run, read_run(b, "")};
  add_saved_runs(page, runs, 2);
  CHECK_THAT(page.html(""), Contains("Lap"));
}

}  // namespace
}  // namespace a3sim
