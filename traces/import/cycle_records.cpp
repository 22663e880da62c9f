#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <istream>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "traces/formats/stage_names.h"
#include "traces/import/measured.h"
#include "traces/import/rank_time.h"
#include "traces/import/text_source.h"

// The in-kernel trace of the public HyperParallel runtime (mindspore-ai/hyper-parallel, "megaKernelCycleTrace"),
// event by event.
namespace a3sim {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDeepest = 64;
constexpr double kMostMicroseconds = 1e9;  // of one record

enum class Phase : std::uint8_t { kCompute, kWait, kTrigger };

struct StagePhase {
  std::string stage;  // in our words
  Phase phase = Phase::kCompute;
};

// GMM1 of GMM1, GMM1_WaitDependency, Expert3_GMM1_task72 and both together, in either order.
StagePhase stage_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Phase>, 3> kPhases{
      {{"_WaitDependency", Phase::kWait}, {"_Compute", Phase::kCompute}, {"_TriggerEvent", Phase::kTrigger}}};
  constexpr std::string_view kDigits = "0123456789", kExpert = "Expert", kTask = "_task";
  StagePhase of;
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
    of.phase = phase;
  }
  cut_task();
  of.stage = name;
  for (const auto& [ours, theirs] : kStageNames)
    if (name == theirs) of.stage = ours;
  return of;
}

// Called by the parser for each value; an event is complete when its object ends.
class Events final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Events(std::string name, Measured& to) : file_(std::move(name)), to_(to) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t&) override { return number(value); }
  bool string(string_t& value) override {
    if (in_event() && key_ == "name") event_.name = value;
    if (in_event() && key_ == "ph") event_.phase = value;
    if (in_event() && key_ == "cat") event_.category = value;
    if (in_event() && key_ == "ts") event_.start = number_in(value);
    if (in_arguments() && key_ == "core_type") event_.core = value;
    if (depth_ == 3 && section_ == kSummary && key_ == "warnings") ++warnings_;
    return true;
  }
  bool binary(binary_t&) override { return true; }
  bool key(string_t& value) override {
    key_ = value;
    if (depth_ == 1)
      section_ = value == "traceEvents" ? kEvents : value == "megaKernelCycleTrace" ? kSummary : kOther;
    return true;
  }
  bool start_object(std::size_t) override {
    if (section_ == kEvents && depth_ == 2) event_ = {};
    return deeper();
  }
  bool start_array(std::size_t) override { return deeper(); }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool end_object() override {
    if (in_event()) add_event();
    --depth_;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    throw InputError(fmt::format("{}: byte {}: {}", file_, position, error.what()));
  }

  void finish() {
    if (version_ == 0) fail("has no megaKernelCycleTrace: is it a trace of the runtime?");
    if (version_ != 1) fail(fmt::format("megaKernelCycleTrace.schemaVersion {}, expected 1", version_));
    if (records_ == 0) fail("has no records");
    if (dropped_ > 0)
      to_.notes.push_back(
          fmt::format("{}: the runtime dropped {} records: counts and sums are too small", file_, dropped_));
    if (expected_ >= 0 && expected_ != records_)
      to_.notes.push_back(fmt::format("{}: {} records, recordCount says {}", file_, records_, expected_));
    finish_times();
    if (warnings_ > 0) to_.notes.push_back(fmt::format("{}: {} warnings of the runtime", file_, warnings_));
  }

 private:
  enum Section : std::uint8_t { kOther, kEvents, kSummary };
  struct Event {
    std::string name, phase, category, core;
    double rank = -1, time = -1, start = -1, index = -1;
  };

  [[noreturn]] void fail(const std::string& why) const {
    throw InputError(fmt::format("{}: {}", file_, why));
  }
  bool deeper() {
    if (++depth_ > kDeepest) fail(fmt::format("deeper than {} levels", kDeepest));
    return true;
  }
  bool in_event() const { return section_ == kEvents && depth_ == 3; }
  bool in_arguments() const { return section_ == kEvents && depth_ == 4; }
  // Some write dates as text.
  static double number_in(const std::string& text) {
    double value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? value : -1;
  }
  bool number(double value) {
    if (in_arguments() && key_ == "rank") event_.rank = value;
    if (in_arguments() && key_ == "stage_task_index") event_.index = value;
    if (in_event() && key_ == "dur") event_.time = value;
    if (in_event() && key_ == "ts") event_.start = value;
    if (in_event() && key_ == "pid" && event_.rank < 0) event_.rank = value;
    if (section_ != kSummary || depth_ != 2) return true;
    if (key_ == "schemaVersion") version_ = value;
    if (key_ == "recordCount") expected_ = value;
    if (key_ == "droppedRecordCount") dropped_ = value;
    return true;
  }

  void add_event() {
    if (event_.phase != "X" || (!event_.category.empty() && event_.category != "MegaKernelInternal")) return;
    ++records_;
    if (!(event_.time >= 0 && event_.time <= kMostMicroseconds))
      fail(fmt::format("record {}: dur: {}, expected microseconds from 0 to {}", records_, event_.time,
                       kMostMicroseconds));
    if (!(event_.rank >= 0 && event_.rank < kMostRanks) || event_.name.empty())
      fail(fmt::format("record {}: a name and a rank below {} expected", records_, kMostRanks));
    const auto [stage, phase] = stage_of(event_.name);
    if (phase == Phase::kTrigger) return;
    const auto rank = static_cast<std::uint32_t>(event_.rank);
    Occurrences& of = to_.at(rank, stage);
    const Duration time(std::llround(event_.time * 1e6));
    if (phase == Phase::kWait) return of.wait(time);
    of.add(time, Duration::zero());
    add_task(rank, stage, time);
  }

  void add_task(std::uint32_t rank, const std::string& stage, Duration time) {
    if (event_.index >= 0 && event_.index < kNone) {
      if (MeasuredTask* task = to_.task(rank, stage, static_cast<std::uint32_t>(event_.index))) {
        ++task->count;
        task->total += time;
      }
    }
    if (!(event_.start >= 0 && event_.start <= kLatest)) {
      undated_ = true;
      return;
    }
    const Duration start(std::llround(event_.start * 1e6));
    times_[rank].add(start, start + time, is_exchange(stage), event_.core == "AIC");
    if (event_.core == "AIC") has_cores_ = true;
  }

  void finish_times() {
    if (undated_) {
      to_.notes.push_back(fmt::format("{}: records without a date: how they overlap is not known", file_));
      return;
    }
    for (const auto& [rank, time] : times_) {
      to_.ranks[rank].span = time.span();
      if (has_cores_) to_.ranks[rank].steps = time.steps();
    }
  }

  static constexpr std::uint32_t kMostRanks = 1 << 20;
  static constexpr double kLatest = 1e12;  // microseconds, of a date
  std::string file_;
  Measured& to_;
  std::size_t depth_ = 0;
  Section section_ = kOther;
  std::string key_;
  Event event_;
  double version_ = 0, expected_ = -1, dropped_ = 0, records_ = 0;
  std::size_t warnings_ = 0;
  std::map<std::uint32_t, RankTime> times_;
  bool undated_ = false, has_cores_ = false;
};

class CycleRecords final : public ProfileReader {
 public:
  bool takes(const fs::path& path) const override {
    std::error_code error;
    const std::string name = path.filename().string();
    return fs::is_regular_file(path, error) && (name.ends_with(".json") || name.ends_with(".json.gz"));
  }
  Measured read(const fs::path& path) const override {
    Measured to;
    to.unit = MeasuredUnit::kTask;
    JsonBytes bytes(path);
    std::istream stream(&bytes);
    stream.exceptions(std::ios::badbit);  // what reading throws is thrown on
    Events events(path.string(), to);
    nlohmann::json::sax_parse(stream, &events);
    events.finish();
    return to;
  }
};

A3SIM_REGISTER(ProfileReader, "cycles", "a megaKernelCycleTrace of the public runtime (.json, .json.gz)",
               CycleRecords);

}  // namespace
}  // namespace a3sim
