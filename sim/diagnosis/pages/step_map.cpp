#include "sim/diagnosis/pages/step_map.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostCells = 150'000;  // of a page
constexpr double kPicosecondsOfTenth = 1e5;  // times are packed in tenths of a microsecond

// A measure of a rank's step that the map shows.
struct MapMeasure {
  const char* name;
  const char* about;
  bool is_time = true;
};
constexpr std::array<MapMeasure, 8> kMapMeasures{{
    {"own work", "time without waits for other ranks, host and exchanges included"},
    {"waits for others", "time in which its work waits for other ranks, also at the end of the step"},
    {"sends or receives", "time in which bytes leave or reach it"},
    {"AICs busy", "busy time, summed over its AICs"},
    {"AIVs busy", "busy time, summed over its AIVs"},
    {"host late", "time by which launches came after the device was ready"},
    {"before its first work", "time from the end of the step before to its first work"},
    {"rows", "rows of tokens that its experts work on", false},
}};

std::array<double, kMapMeasures.size()> map_values_of(const RankStep& step, double waited) {
  return {step[Measure::kOwn],      waited,
          step[Measure::kTransfer], step[Measure::kAic],
          step[Measure::kAiv],      step[Measure::kLate],
          step[Measure::kDelay],    step[Measure::kRows]};
}

std::uint32_t count_steps(const Observation& job) {
  std::uint32_t steps = 0;
  job.each_step([&](std::uint32_t, std::span<const LightRecord>) { ++steps; });
  return steps;
}

}  // namespace

StepMap::StepMap(const Observation& job, const Advice& advice)
    : job_(job), advice_(advice), full_(job.full_steps()), cells_(kMapMeasures.size()) {
  const std::size_t cells = std::size_t{count_steps(job)} * job.ranks();
  together_ = static_cast<std::uint32_t>((cells + kMostCells - 1) / kMostCells);
  together_ = std::max(1U, together_);
  std::ranges::sort(full_);
  RankSteps ranks(job.ranks());
  std::uint32_t steps = 0;
  job.each_step([&](std::uint32_t step, std::span<const LightRecord> records) {
    if (steps++ % together_ == 0) {
      Column& column = columns_.emplace_back();
      column.first = job.number_of(step);
      for (std::vector<double>& of_measure : cells_) of_measure.resize(of_measure.size() + job.ranks());
    }
    add_step(step, records, ranks);
  });
}

double StepMap::slow_ms() const { return advice_.slow == 0 ? 0 : slow_sum_ms_ / advice_.slow; }

void StepMap::add_step(std::uint32_t step, std::span<const LightRecord> records, RankSteps& ranks) {
  add_cells(records, ranks.add(records));
  Column& column = columns_.back();
  column.last = job_.number_of(step);
  column.took = std::max(column.took, ranks.took());
  const double took_ms = ranks.took() / kPicosecondsOfMs;
  took_ms_ += took_ms;
  if (std::ranges::find(advice_.slow_steps, column.last) != advice_.slow_steps.end()) {
    column.slow = true;
    slow_sum_ms_ += took_ms;
    lost_ms_ += std::max(0.0, took_ms - advice_.usual_ms);
  }
  column.full = column.full || std::ranges::binary_search(full_, step);
}

// The longest of the column's steps represents all of them, because a mean would hide a slow one.
void StepMap::add_cells(std::span<const LightRecord> records, const std::vector<RankStep>& ranks) {
  std::vector<double> waited(ranks.size());
  for (const LightRecord& record : records)
    waited.at(record.rank) += picoseconds(record.waited + record.release - record.arrival);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto values = map_values_of(ranks[rank], waited[rank]);
    for (std::size_t measure = 0; measure < values.size(); ++measure) {
      double& cell = cells_[measure][cells_[measure].size() - ranks.size() + rank];
      cell = std::max(cell, values[measure]);
    }
  }
}

void StepMap::add_to(Page& page) const {
  const std::size_t ranks = job_.ranks();
  PackedColumns steps(columns_.size());
  steps.add("first", [&](std::size_t i) { return columns_[i].first; });
  steps.add("last", [&](std::size_t i) { return columns_[i].last; });
  steps.add("took", [&](std::size_t i) { return std::llround(columns_[i].took); });
  steps.add("slow", [&](std::size_t i) { return columns_[i].slow ? 1 : 0; });
  steps.add("full", [&](std::size_t i) { return columns_[i].full ? 1 : 0; });
  PackedColumns cells(columns_.size() * ranks);
  Json measures = Json::array();
  for (std::size_t measure = 0; measure < kMapMeasures.size(); ++measure) {
    const MapMeasure& kind = kMapMeasures[measure];
    const std::vector<double>& of_measure = cells_[measure];
    if (std::ranges::all_of(of_measure, [](double value) { return value == 0; })) continue;
    measures.push_back({{"name", kind.name}, {"about", kind.about}, {"time", kind.is_time}});
    // A rank's values are stored together, because they are similar.
    cells.add(kind.name, [&](std::size_t i) {
      const std::size_t rank = i / columns_.size(), column = i % columns_.size();
      return std::llround(of_measure[column * ranks + rank] / (kind.is_time ? kPicosecondsOfTenth : 1));
    });
  }
  page.add({{"kind", "job"},
            {"title", "Steps"},
            {"ranks", ranks},
            {"together", together_},
            {"usual_ps", std::llround(advice_.usual_ms * kPicosecondsOfMs)},
            {"measures", std::move(measures)},
            {"steps", page.pack(steps)},
            {"cells", page.pack(cells)}});
}

}  // namespace a3sim
