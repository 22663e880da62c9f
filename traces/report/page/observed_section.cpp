#include "traces/report/page/observed_section.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "sim/core/enum_names.h"

namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;

// The lanes in the order of a page, with their names there.
constexpr std::array<std::pair<Lane, const char*>, 3> kLaneOrder{
    {{Lane::kCompute, "compute"}, {Lane::kCommunication, "exchanges"}, {Lane::kHost, "host"}}};
constexpr std::size_t kMostLanes = 12;  // per rank and kind

// A bar of the timeline.
struct ObservedBar {
  std::uint32_t rank = 0, op = 0, index = 0;
  std::size_t kind = 0, lane = 0;  // position in kLaneOrder; number among lanes of its kind
  Duration taken{}, start{}, end{};
  double sent = 0, hbm = 0;
};

// Numbers the names of a step's operators and host events.
class OperatorTable {
 public:
  std::uint32_t number(const std::string& name, const char* unit) {
    const auto [at, added] = numbers_.try_emplace(name, static_cast<std::uint32_t>(json_.size()));
    if (added) json_.push_back({{"name", name}, {"unit", unit}});
    return at->second;
  }
  const Json& json() const { return json_; }

 private:
  std::map<std::string, std::uint32_t> numbers_;
  Json json_ = Json::array();
};

std::size_t kind_of_lane(Lane lane) {
  const auto is_it = [lane](const auto& kind) { return kind.first == lane; };
  return static_cast<std::size_t>(std::ranges::find_if(kLaneOrder, is_it) - kLaneOrder.begin());
}

const char* observed_unit(const OperatorRecord& record) {
  if (record.lane == Lane::kCommunication) return "put";
  if (record.lane == Lane::kHost) return "host";
  return record.core == CoreKind::kCube ? "cube" : record.core == CoreKind::kMix ? "mix" : "vector";
}

// Returns when the first kernel of a step begins, or the first host event if there is no kernel.
Duration begin_of(const FullStep& step) {
  Duration kernels = Duration::max(), host = Duration::max();
  for (const OperatorRecord& record : step.operators) {
    Duration& first = record.lane == Lane::kHost ? host : kernels;
    first = std::min(first, record.start);
  }
  for (const HostRecord& record : step.host) host = std::min(host, record.start);
  return kernels == Duration::max() ? host : kernels;
}

// Returns all records since the step's begin, by rank, kind and start.
std::vector<ObservedBar> bars_of(const Observation& job, const FullStep& step, OperatorTable& operators) {
  const Duration begin = begin_of(step);
  std::vector<ObservedBar> bars;
  const auto add = [&](ObservedBar bar) {
    bar.start = std::max(bar.start, Duration::zero());
    bars.push_back(bar);
  };
  for (const OperatorRecord& record : step.operators) {
    if (record.end <= begin) continue;
    ObservedBar bar;
    bar.rank = record.rank;
    bar.op = operators.number(job.names().at(record.op), observed_unit(record));
    bar.kind = kind_of_lane(record.lane);
    bar.start = record.start - begin;
    bar.taken = bar.start - record.wait;
    bar.end = record.end - begin;
    bar.sent = record.sent_bytes;
    bar.hbm = record.hbm_bytes;
    add(bar);
  }
  for (const HostRecord& record : step.host) {
    if (record.end <= begin) continue;  // before the first kernel
    ObservedBar bar;
    bar.rank = record.rank;
    bar.op = operators.number(std::string("host: ") + std::string(name_of(record.kind)), "host");
    bar.kind = kind_of_lane(Lane::kHost);
    bar.start = bar.taken = record.start - begin;
    bar.end = record.end - begin;
    add(bar);
  }
  std::ranges::stable_sort(bars, [](const ObservedBar& a, const ObservedBar& b) {
    return std::tie(a.rank, a.kind, a.start, a.end) < std::tie(b.rank, b.kind, b.start, b.end);
  });
  return bars;
}

// Puts each bar on the first free lane of its kind. Removes bars without a free lane, and returns how many.
std::size_t spread_over_lanes(std::vector<ObservedBar>& bars) {
  std::array<std::vector<Duration>, kLaneOrder.size()> ends;  // of the current rank, by kind and lane
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> counts;
  const std::size_t before = bars.size();
  std::uint32_t rank = kNone;
  std::vector<ObservedBar> kept;
  for (ObservedBar bar : bars) {
    if (bar.rank != rank) ends = {};
    rank = bar.rank;
    std::vector<Duration>& lanes = ends[bar.kind];
    const auto free = std::ranges::find_if(lanes, [&](Duration end) { return end <= bar.start; });
    bar.lane = static_cast<std::size_t>(free - lanes.begin());
    if (bar.lane == kMostLanes) continue;
    if (free == lanes.end()) lanes.push_back(Duration::zero());
    bar.taken = std::clamp(bar.taken, std::min(lanes[bar.lane], bar.start), bar.start);
    lanes[bar.lane] = bar.end;
    bar.index = counts[{bar.rank, bar.op}]++;
    kept.push_back(bar);
  }
  std::ranges::stable_sort(kept, [](const ObservedBar& a, const ObservedBar& b) {
    return std::tie(a.rank, a.kind, a.lane, a.start) < std::tie(b.rank, b.kind, b.lane, b.start);
  });
  bars = std::move(kept);
  return before - bars.size();
}

// Returns for each kind the most lanes of a rank.
std::array<std::size_t, kLaneOrder.size()> lane_counts(const std::vector<ObservedBar>& bars) {
  std::array<std::size_t, kLaneOrder.size()> lanes{};
  for (const ObservedBar& bar : bars) lanes[bar.kind] = std::max(lanes[bar.kind], bar.lane + 1);
  return lanes;
}

Json packed_bars(Page& page, const std::vector<ObservedBar>& bars,
                 const std::array<std::size_t, kLaneOrder.size()>& lanes) {
  std::array<std::size_t, kLaneOrder.size()> first{};
  for (std::size_t kind = 1; kind < first.size(); ++kind) first[kind] = first[kind - 1] + lanes[kind - 1];
  PackedColumns columns(bars.size());
  const auto add = [&](const char* name, auto value) {
    columns.add(name, [&](std::size_t i) { return static_cast<std::int64_t>(value(bars[i])); });
  };
  add("rank", [](const ObservedBar& bar) { return bar.rank; });
  add("worker", [&](const ObservedBar& bar) { return first[bar.kind] + bar.lane; });
  add("op", [](const ObservedBar& bar) { return bar.op; });
  add("index", [](const ObservedBar& bar) { return bar.index; });
  add("taken", [](const ObservedBar& bar) { return bar.taken.count(); });
  add("waited", [](const ObservedBar& bar) { return (bar.start - bar.taken).count(); });
  add("start", [](const ObservedBar& bar) { return bar.start.count(); });
  add("end", [](const ObservedBar& bar) { return bar.end.count(); });
  add("ideal", [](const ObservedBar& bar) { return (bar.end - bar.start).count(); });
  add("sent_bytes", [](const ObservedBar& bar) { return bar.sent; });
  add("hbm_bytes", [](const ObservedBar& bar) { return bar.hbm; });
  return page.pack(columns);
}

Json observed_json(Page& page, const Observation& job, const ObservedPass& pass, std::size_t& left_out) {
  OperatorTable operators;
  std::vector<ObservedBar> bars = bars_of(job, pass.step, operators);
  left_out += spread_over_lanes(bars);
  const auto lanes = lane_counts(bars);
  Json kinds = Json::array();
  for (std::size_t kind = 0; kind < lanes.size(); ++kind)
    if (lanes[kind] > 0) kinds.push_back({{"name", kLaneOrder[kind].second}, {"count", lanes[kind]}});
  Duration end{1};
  for (const ObservedBar& bar : bars) end = std::max(end, bar.end);
  return {{"name", pass.name},          {"recorded", true},
          {"makespan_ps", end.count()}, {"kinds", std::move(kinds)},
          {"ranks", job.ranks()},       {"limits", Json::array()},
          {"blames", Json::array()},    {"operators", operators.json()},
          {"has_kernels", true},        {"tasks", packed_bars(page, bars, lanes)}};
}

}  // namespace

std::size_t add_observed(Page& page, const std::string& title, std::span<const ObservedRun> runs) {
  Json list = Json::array();
  std::size_t left_out = 0;
  for (const ObservedRun& run : runs) {
    Json passes = Json::array();
    for (const ObservedPass& pass : run.passes)
      passes.push_back(observed_json(page, *run.job, pass, left_out));
    list.push_back({{"name", run.name}, {"experts_per_rank", 0}, {"passes", std::move(passes)}});
  }
  page.add({{"kind", "runs"}, {"title", title}, {"runs", std::move(list)}});
  return left_out;
}

}  // namespace a3sim
