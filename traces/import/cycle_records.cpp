#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>

#include "sim/core/error.h"
#include "traces/formats/stage_names.h"
#include "traces/import/core_trace.h"
#include "traces/import/kineto.h"
#include "traces/import/profile.h"
#include "traces/import/rank_time.h"
#include "traces/import/trace_events.h"

// Reads the in-kernel trace of the public HyperParallel runtime (mindspore-ai/hyper-parallel,
// "megaKernelCycleTrace"), event by event.
namespace a3sim {
namespace {

namespace fs = std::filesystem;

constexpr double kMostMicroseconds = 1e9;  // per record

enum class Phase : std::uint8_t { kCompute, kWait, kTrigger };

struct StagePhase {
  std::string stage;  // by our names
  Phase phase = Phase::kCompute;
};

// Returns the stage and phase: GMM1 for GMM1, GMM1_WaitDependency, Expert3_GMM1_task72, and both suffixes
// in either order.
StagePhase stage_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Phase>, 3> kPhases{
      {{"_WaitDependency", Phase::kWait}, {"_Compute", Phase::kCompute}, {"_TriggerEvent", Phase::kTrigger}}};
  constexpr std::string_view kDigits = "0123456789", kExpert = "Expert", kTask = "_task";
  StagePhase stage_phase;
  if (name.starts_with(kExpert)) {
    const std::size_t end = name.find_first_not_of(kDigits, kExpert.size());
    if (end != std::string_view::npos && end > kExpert.size() && name[end] == '_')
      name.remove_prefix(end + 1);
  }
  const auto cut_task = [&] {
    const std::size_t task = name.rfind(kTask), number = task + kTask.size();
    if (task != std::string_view::npos && number < name.size() &&
        name.find_first_not_of(kDigits, number) == std::string_view::npos)
      name = name.substr(0, task);
  };
  cut_task();
  for (const auto& [end, phase] : kPhases) {
    if (!name.ends_with(end)) continue;
    name.remove_suffix(end.size());
    stage_phase.phase = phase;
  }
  cut_task();
  stage_phase.stage = name;
  for (const auto& [ours, theirs] : kStageNames)
    if (name == theirs) stage_phase.stage = ours;
  return stage_phase;
}

// Reads the records of one file, one by one, and what it says of all of them.
class Records {
 public:
  Records(std::string file, Profile& to) : file_(std::move(file)), to_(to) {}

  void add(const TraceEvent& event) {
    if (event.phase != "X" || (!event.category.empty() && event.category != "MegaKernelInternal")) return;
    ++records_;
    const double length = event.length.value_or(-1);
    const double number = event.number("rank").value_or(event.process.value_or(-1));
    if (!(length >= 0 && length <= kMostMicroseconds))
      fail(fmt::format("record {}: dur: {}, expected microseconds from 0 to {}", records_, length,
                       kMostMicroseconds));
    if (!(number >= 0 && number < kMostRanks) || event.name.empty())
      fail(fmt::format("record {}: a name and a rank below {} expected", records_, kMostRanks));
    const auto [stage, phase] = stage_of(event.name);
    if (phase == Phase::kTrigger) return;
    const auto rank = static_cast<std::uint32_t>(number);
    Occurrences& occurrences = to_.at(rank, stage);
    const Duration time(std::llround(length * 1e6));
    if (phase == Phase::kWait) return occurrences.wait(time);
    occurrences.add(time, Duration::zero());
    add_task(rank, stage, event, time);
  }

  void finish(const TraceRest& about) {
    const auto said = [&](std::string_view key, double otherwise) {
      const auto found = about.numbers.find(fmt::format("megaKernelCycleTrace.{}", key));
      return found == about.numbers.end() ? otherwise : found->second;
    };
    const double version = said("schemaVersion", 0), expected = said("recordCount", -1),
                 dropped = said("droppedRecordCount", 0);
    if (version == 0)
      fail("has no megaKernelCycleTrace, and is no other JSON that is read ('a3sim import --help')");
    if (version != 1) fail(fmt::format("megaKernelCycleTrace.schemaVersion {}, expected 1", version));
    if (records_ == 0) fail("has no records");
    if (dropped > 0)
      to_.notes.push_back(
          fmt::format("{}: the runtime dropped {} records: counts and sums are too small", file_, dropped));
    if (expected >= 0 && expected != records_)
      to_.notes.push_back(fmt::format("{}: {} records, recordCount says {}", file_, records_, expected));
    finish_times();
    const auto warnings = about.texts.find("megaKernelCycleTrace.warnings");
    if (warnings != about.texts.end())
      to_.notes.push_back(fmt::format("{}: {} warnings of the runtime", file_, warnings->second));
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw InputError(fmt::format("{}: {}", file_, why));
  }

  void add_task(std::uint32_t rank, const std::string& stage, const TraceEvent& event, Duration time) {
    const double index = event.number("stage_task_index").value_or(-1);
    if (index >= 0 && index < kNone) {
      if (TaskTimes* task = to_.task(rank, stage, static_cast<std::uint32_t>(index))) {
        ++task->count;
        task->total += time;
      }
    }
    const std::string& text = event.timestamp;
    double microseconds = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), microseconds);
    const bool is_number = error == std::errc{} && end == text.data() + text.size();
    if (!(is_number && microseconds >= 0 && microseconds <= kLatest)) {
      lacks_starts_ = true;
      return;
    }
    const Duration start(std::llround(microseconds * 1e6));
    const auto core = event.texts.find("core_type");
    const bool on_aic = core != event.texts.end() && core->second == "AIC";
    times_[rank].add(start, start + time, is_exchange(stage), on_aic);
    has_cores_ = has_cores_ || on_aic;
  }

  void finish_times() {
    if (lacks_starts_) {
      to_.notes.push_back(fmt::format("{}: records without a start: how they overlap is not known", file_));
      return;
    }
    for (const auto& [rank, time] : times_) {
      to_.ranks[rank].span = time.span();
      if (has_cores_) to_.ranks[rank].steps = time.steps();
    }
  }

  static constexpr std::uint32_t kMostRanks = 1 << 20;
  static constexpr double kLatest = 1e12;  // the latest time, in microseconds
  std::string file_;
  Profile& to_;
  double records_ = 0;
  std::map<std::uint32_t, RankTime> times_;
  bool lacks_starts_ = false, has_cores_ = false;
};

class CycleRecords final : public ProfileReader {
 public:
  bool takes(const fs::path& path) const override {
    std::error_code error;
    const std::string name = path.filename().string();
    return fs::is_regular_file(path, error) && (name.ends_with(".json") || name.ends_with(".json.gz")) &&
           !is_kineto(path) && !is_core_trace(path);
  }
  Profile read(const fs::path& path) const override {
    Profile to;
    to.unit = ProfileUnit::kTask;
    constexpr std::array<std::string_view, 3> kWanted{"rank", "stage_task_index", "core_type"};
    Records records(path.string(), to);
    records.finish(each_trace_event(path, kWanted, [&](const TraceEvent& event) { records.add(event); }));
    return to;
  }
};

A3SIM_REGISTER(ProfileReader, "cycles", "a megaKernelCycleTrace of the public runtime (.json, .json.gz)",
               CycleRecords);

}  // namespace
}  // namespace a3sim
