#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "scheduler/orders/order_pools.h"
#include "sim/core/error.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/published/evaluation.h"
#include "sim/result/metrics/metric_unit.h"
#include "sim/result/metrics/pass_analysis.h"

namespace a3sim {
namespace {

// The stages of a kernel on one rank.
struct TimelineBlock {
  struct Stage {
    std::string name;
    std::vector<std::string> operators;  // names, or patterns of names
    std::string by;                      // what else separates its tasks: expert, segment; may be empty
  };
  std::uint32_t rank = 0;
  nlohmann::ordered_json coordinates;  // of all points
  std::vector<std::string> overrides;  // path.to.key=value
  std::vector<Stage> stages;
  std::vector<std::pair<std::string, std::string>> overlaps;  // pairs of stages whose overlap is told
};

void read_timeline(const TableFile& file, PublishedTable& table) {
  table.experiment = file.root.text("experiment");
  const Config config = file.root.map("timeline");
  TimelineBlock timeline;
  timeline.rank = static_cast<std::uint32_t>(config.integer("rank", 0, 65535, 0));
  timeline.coordinates = coordinates_below(config, "case");
  timeline.overrides = overrides_below(config, "set", file.folder);
  const Config stages = config.map("stages");
  for (const std::string& name : stages.names()) {
    const Config stage = stages.map(name);
    constexpr const char* kBy[] = {"", "expert", "segment"};
    const auto by = stage.choice("by", {"nothing", "expert", "segment"}, "nothing");
    timeline.stages.push_back({name, stage.texts("operators"), kBy[by]});
    stage.finish();
  }
  stages.finish();
  const auto known = [&](const Config& at, const char* key) {
    const std::string name = at.text(key);
    if (std::ranges::find(timeline.stages, name, &TimelineBlock::Stage::name) == timeline.stages.end())
      at.error(key, fmt::format("'{}' is none of the stages", name));
    return name;
  };
  for (const Config& overlap : config.maps("overlaps")) {
    timeline.overlaps.emplace_back(known(overlap, "stage"), known(overlap, "beside"));
    overlap.finish();
  }
  config.finish();
  table.block = std::move(timeline);
}

// With an expert or segment; kNone: the whole stage.
using StageName = std::pair<std::string, std::uint32_t>;

// Collects when stages of a kernel ran on one rank: from the first core's start to the last core's end.
class StageSpans {
 public:
  StageSpans(const TimelineBlock& timeline, const PassResult& pass) : timeline_(timeline) {
    const Ssc& ssc = pass.schedule.at(timeline.rank);
    const std::vector<TaskRecord>& records = pass.run.ranks.at(timeline.rank).records;
    for (std::size_t t = 0; t < ssc.tasks().size(); ++t) {
      const TaskDescriptor& td = ssc.tasks()[t];
      const TimelineBlock::Stage* stage = stage_of(ssc.operators()[td.op].name);
      extend({"", kNone}, records[t]);
      if (!stage) continue;
      extend({stage->name, kNone}, records[t]);
      if (stage->by == "expert" && td.expert != kNoExpert) extend({stage->name, td.expert}, records[t]);
      if (stage->by == "segment") extend({stage->name, td.chunk}, records[t]);
    }
  }

  // The empty name stands for all of the rank's work.
  const std::map<StageName, OperatorSpan>& spans() const { return spans_; }
  const TimelineBlock::Stage* stage(const std::string& name) const {
    const auto found = std::ranges::find(timeline_.stages, name, &TimelineBlock::Stage::name);
    return found == timeline_.stages.end() ? nullptr : &*found;
  }

 private:
  const TimelineBlock::Stage* stage_of(const std::string& op) const {
    for (const TimelineBlock::Stage& stage : timeline_.stages) {
      if (std::ranges::any_of(stage.operators, [&](const std::string& entry) { return fits(op, entry); }))
        return &stage;
    }
    return nullptr;
  }
  void extend(const StageName& name, const TaskRecord& record) {
    OperatorSpan& span = spans_[name];
    span.first = std::min(span.first, record.start.time_since_epoch());
    span.last = std::max(span.last, record.end.time_since_epoch());
  }

  const TimelineBlock& timeline_;
  std::map<StageName, OperatorSpan> spans_;
};

// Adds start and end of each stage and of its experts or segments, the kernel's length, and the time that
// stages overlap.
class TimelinePoints {
 public:
  TimelinePoints(const TimelineBlock& timeline, const Experiment& experiment, const StageSpans& spans)
      : timeline_(timeline), hardware_(experiment.hardware.name), spans_(spans) {}

  std::vector<Point> points() {
    add("kernel", {}, spans_.spans().at({"", kNone}).length());
    for (const auto& [name, span] : spans_.spans()) {
      if (name.first.empty()) continue;
      nlohmann::ordered_json json{{"stage", name.first}};
      if (name.second != kNone) json[spans_.stage(name.first)->by] = name.second;
      add("start", json, span.first);
      add("end", json, span.last);
    }
    for (const auto& [stage, beside] : timeline_.overlaps) {
      const OperatorSpan a = spans_.spans().at({stage, kNone}), b = spans_.spans().at({beside, kNone});
      const Duration both = std::min(a.last, b.last) - std::max(a.first, b.first);
      add("overlap", {{"stage", stage}, {"beside", beside}}, std::max(both, Duration::zero()));
    }
    return std::move(points_);
  }

 private:
  void add(const std::string& metric, const nlohmann::ordered_json& json, Duration time) {
    nlohmann::ordered_json coordinates = timeline_.coordinates;
    if (!json.is_null()) coordinates.update(json);
    points_.push_back(
        {coordinates, metric, "us", in_unit(metric, "us", static_cast<double>(time.count())), hardware_});
  }

  const TimelineBlock& timeline_;
  std::string hardware_;
  const StageSpans& spans_;
  std::vector<Point> points_;
};

Predictions run_timeline(const PublishedTable& table, const Scenario& scenario, const CaseSelection&) {
  const auto& timeline = std::any_cast<const TimelineBlock&>(table.block);
  const Experiment experiment = scenario.load(table.experiment, timeline.overrides);
  const std::vector<PassResult> passes = run_experiment(experiment, true);
  const StageSpans spans(timeline, passes.front());
  for (const TimelineBlock::Stage& stage : timeline.stages) {
    if (!spans.spans().contains({stage.name, kNone}))
      throw InputError(table.name + ": no task runs in stage '" + stage.name + "'");
  }
  return {table.heading, TimelinePoints(timeline, experiment, spans).points()};
}

A3SIM_REGISTER(Evaluation, "timeline", "when the stages of a kernel ran on one rank",
               Evaluation{run_timeline, read_timeline});

}  // namespace
}  // namespace a3sim
