#include "traces/import/core_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "sim/core/error.h"
#include "traces/import/profile.h"
#include "traces/import/rank_time.h"
#include "traces/import/text_source.h"
#include "traces/import/trace_events.h"

// Reads the time line of a fused kernel by core, as CANN's mega_moe for Ascend 950 gives it: a file a rank in Chrome's JSON, a
// lane a core (AIC0, AIV0), events INIT, DISPATCH, GMM1, SWIGLU, GMM2, COMBINE, FINALIZE and waits.
namespace a3sim {
namespace {

namespace fs = std::filesystem;

constexpr double kLongestEvent = 1e9;  // per event
constexpr std::uint32_t kMostCores = 4096;

// Pairs of names: the kernel's stages, and our operators.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kStages{{{"INIT", "Init"},
                                                                                {"DISPATCH", "Dispatch"},
                                                                                {"GMM1", "GMM1"},
                                                                                {"SWIGLU", "SwiGLU"},
                                                                                {"GMM2", "GMM2"},
                                                                                {"COMBINE", "Combine"},
                                                                                {"FINALIZE", "Accumulate"}}};

std::string in_capitals(std::string_view text) {
  std::string capitals(text);
  std::ranges::transform(capitals, capitals.begin(), [](unsigned char c) { return std::toupper(c); });
  return capitals;
}

// Returns the operator that an event is of, by our name where the event names a stage.
std::string operator_of(std::string_view name) {
  const std::string capitals = in_capitals(name);
  for (const auto& [stage, ours] : kStages)
    if (capitals.find(stage) != std::string::npos) return std::string(ours);
  return std::string(name);
}

// Returns "AIC 3" for AIC3 and AIC_3, or an empty string for what is no core.
std::string core_of(std::string_view lane) {
  for (const std::string_view kind : {"AIC", "AIV"}) {
    if (!lane.starts_with(kind)) continue;
    std::string_view digits = lane.substr(kind.size());
    while (!digits.empty() && (digits.front() == '_' || digits.front() == ' ')) digits.remove_prefix(1);
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc{} && end == digits.data() + digits.size() && number < kMostCores)
      return fmt::format("{} {}", kind, number);
  }
  return "";
}

// Reads one file: events of one rank.
class CoreFile {
 public:
  CoreFile(fs::path file, std::uint32_t rank, Profile& to) : file_(std::move(file)), rank_(rank), to_(to) {}

  void read() {
    constexpr std::array<std::string_view, 1> kWanted{"name"};
    static_cast<void>(each_trace_event(file_, kWanted, [this](const TraceEvent& event) { add(event); }));
    if (events_ == 0) throw InputError(fmt::format("{}: no events of cores", file_.string()));
    if (has_times_) to_.ranks[rank_].steps = time_.steps();
    if (has_times_) to_.ranks[rank_].span = time_.span();
    if (elsewhere_ > 0)
      to_.notes.push_back(
          fmt::format("{}: {} events on lanes that are no cores are left out", file_.string(), elsewhere_));
  }

 private:
  void add(const TraceEvent& event) {
    if (event.phase == "M" && event.name == "thread_name") {
      const auto name = event.texts.find("name");
      if (name != event.texts.end()) lanes_[event.thread] = name->second;
      return;
    }
    if (event.phase != "X") return;
    const auto named = lanes_.find(event.thread);
    const std::string core = core_of(named == lanes_.end() ? event.thread : named->second);
    if (core.empty()) {
      ++elsewhere_;
      return;
    }
    ++events_;
    const double length = event.length.value_or(-1);
    if (!(length >= 0 && length <= kLongestEvent) || event.name.empty())
      throw InputError(fmt::format("{}: event {}: dur: {}, expected a name and microseconds from 0 to {}",
                                   file_.string(), events_, length, kLongestEvent));
    const Duration time(std::llround(length * 1e6));
    const std::string op = operator_of(event.name);
    Occurrences& occurrences = to_.at(rank_, name_on_core(op, core));
    if (in_capitals(event.name).find("WAIT") != std::string::npos) {
      occurrences.wait(time);
      return;
    }
    occurrences.add(time, Duration::zero());
    place(event.timestamp, time, op == "Dispatch" || op == "Combine", core.starts_with("AIC"));
  }

  // Puts a task on the rank's time line. A file whose time is no number has none.
  void place(const std::string& timestamp, Duration time, bool exchanges, bool on_aic) {
    double microseconds = 0;
    const auto [end, error] =
        std::from_chars(timestamp.data(), timestamp.data() + timestamp.size(), microseconds);
    has_times_ = has_times_ && error == std::errc{} && end == timestamp.data() + timestamp.size() &&
                 std::abs(microseconds) <= kLongestEvent;
    if (!has_times_) return;
    const Duration start(std::llround(microseconds * 1e6));
    time_.add(start, start + time, exchanges, on_aic);
  }

  fs::path file_;
  std::uint32_t rank_;
  Profile& to_;
  std::map<std::string, std::string> lanes_;  // names of numbered lanes
  RankTime time_;
  bool has_times_ = true;
  std::size_t events_ = 0, elsewhere_ = 0;
};

std::vector<fs::path> core_files(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error))
    if (is_core_trace(entry.path())) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

// Returns the last number in the file's name, or the file's place in the folder.
std::uint32_t rank_in_name(const fs::path& file, std::uint32_t place) {
  const std::string stem = file.stem().string();
  std::size_t end = stem.size();
  while (end > 0 && std::isdigit(static_cast<unsigned char>(stem[end - 1])) == 0) --end;
  std::size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(stem[begin - 1])) != 0) --begin;
  std::uint32_t rank = 0;
  constexpr std::uint32_t kMostRanks = 1 << 16;
  const auto [stop, error] = std::from_chars(stem.data() + begin, stem.data() + end, rank);
  return error == std::errc{} && stop == stem.data() + end && rank < kMostRanks ? rank : place;
}

class CoreTrace final : public ProfileReader {
 public:
  bool takes(const fs::path& path) const override {
    std::error_code error;
    return fs::is_directory(path, error) ? !core_files(path).empty() : is_core_trace(path);
  }
  Profile read(const fs::path& path) const override {
    Profile to;
    to.unit = ProfileUnit::kCore;
    std::uint32_t place = 0;
    for (const fs::path& file : core_files(path)) {
      const std::uint32_t rank = rank_in_name(file, place++);
      if (to.ranks.contains(rank))
        throw InputError(fmt::format("{}: another file is of rank {} too", file.string(), rank));
      CoreFile(file, rank, to).read();
    }
    return to;
  }
};

A3SIM_REGISTER(
    ProfileReader, "cores",
    "a kernel's time line by core (lanes AIC0, AIV0: .json, .json.gz), or a folder of them, one per rank",
    CoreTrace);

}  // namespace

bool is_core_trace(const fs::path& path) {
  std::error_code error;
  const std::string name = path.filename().string();
  if (!fs::is_regular_file(path, error) || !(name.ends_with(".json") || name.ends_with(".json.gz")))
    return false;
  const std::string begin = first_bytes(path, std::size_t{1} << 16);
  const auto has = [&begin](std::string_view word) { return begin.find(word) != std::string::npos; };
  if (has("megaKernelCycleTrace") || has("MegaKernelInternal") || has("\"deviceProperties\"")) return false;
  return has("\"ph\"") && (has("\"AIC") || has("\"AIV"));
}

}  // namespace a3sim
