#include "traces/import/kineto.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "sim/core/error.h"
#include "traces/import/imported_timeline.h"
#include "traces/import/profile.h"
#include "traces/import/rank_time.h"
#include "traces/import/text_source.h"
#include "traces/import/trace_events.h"

// Reads time lines of PyTorch's profiler: what ran on a device (categories kernel, gpu_memcpy, gpu_memset), with the
// collectives that kernels of NCCL and HCCL name among their arguments.
namespace a3sim {
namespace {

namespace fs = std::filesystem;

constexpr double kKinetoLength = 1e9;  // microseconds, like the next two
constexpr std::int64_t kKinetoLatest = 10'000'000'000'000'000, kKinetoSpan = 1'000'000'000'000;
constexpr double kKinetoBytes = 1e15;

bool is_time_line(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".json") || name.ends_with(".json.gz");
}

// Returns the bytes of an element of PyTorch's type; 0 for one that is not known.
double element_of(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, double>, 12> kTypes{{{"Float", 4},
                                                                        {"BFloat16", 2},
                                                                        {"Half", 2},
                                                                        {"Double", 8},
                                                                        {"Int", 4},
                                                                        {"Long", 8},
                                                                        {"Byte", 1},
                                                                        {"Char", 1},
                                                                        {"Bool", 1},
                                                                        {"Float8_e4m3fn", 1},
                                                                        {"Float8_e5m2", 1},
                                                                        {"Short", 2}}};
  for (const auto& [name, bytes] : kTypes)
    if (name == type) return bytes;
  return 0;
}

// A time as a profiler writes it, whole microseconds and a fraction of at most six digits: a double of a time since 1970
// would lose the nanoseconds.
struct KinetoTime {
  std::int64_t microseconds = 0, picoseconds = 0;

  static std::optional<KinetoTime> of(std::string_view text) {
    KinetoTime time;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), time.microseconds);
    if (error != std::errc() || time.microseconds < 0 || time.microseconds > kKinetoLatest) return {};
    std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
    if (rest.empty()) return time;
    if (rest.front() != '.') return {};
    rest.remove_prefix(1);
    std::int64_t unit = 100'000;
    for (const char c : rest) {
      if (c < '0' || c > '9') return {};
      time.picoseconds += (c - '0') * unit;
      unit /= 10;
    }
    return time;
  }
  Duration since(const KinetoTime& first) const {
    return Duration((microseconds - first.microseconds) * 1'000'000 + picoseconds - first.picoseconds);
  }
};

// The events on the devices of all files, as one step of a job.
class KinetoSteps final : public Observation {
 public:
  KinetoSteps() { job_.passes = {"step"}; }

  // Returns the time by which a file's times are behind the first file's.
  Duration behind_first(const KinetoTime& time) {
    if (!first_) first_ = time;
    const bool near = std::abs(time.microseconds - first_->microseconds) <= kKinetoSpan;
    return near ? time.since(*first_) : Duration::zero();
  }
  void add(std::uint32_t rank, const std::string& name, bool exchanges, Duration start, Duration end) {
    const auto [at, is_new] = numbers_.try_emplace(name, static_cast<std::uint32_t>(job_.names.size()));
    if (is_new) job_.names.push_back(name);
    OperatorRecord& record = step_.operators.emplace_back();
    record.rank = rank;
    record.op = at->second;
    record.lane = exchanges ? Lane::kCommunication : Lane::kCompute;
    record.start = start;
    record.end = end;
    job_.ranks = std::max(job_.ranks, rank + 1);
  }

  void each_step(const Step&) const override {}
  std::vector<std::uint32_t> full_steps() const override { return {0}; }
  FullStep full(std::uint32_t) const override { return step_; }
  RecordPlace place_of(const LightRecord&) const override { return {}; }
  RecordPlace place_of(const OperatorRecord&) const override { return {}; }
  RecordPlace place_of(const TransferRecord&) const override { return {}; }
  RecordPlace place_of(const HostRecord&) const override { return {}; }

 private:
  std::optional<KinetoTime> first_;
  FullStep step_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;  // of names
};

struct KinetoKernel {
  std::string name, group;  // group: of an exchange, if it is told
  Duration start{}, length{};
  bool exchanges = false;
  std::uint64_t bytes = 0;  // of an exchange; 0: not known
};

// A step of the training loop as the device saw it (ProfilerStep#5).
struct KinetoStep {
  std::uint64_t number = 0;
  Duration start{}, end{};
};

// The events on one device. Times count from the file's first one.
struct KinetoRank {
  std::uint32_t rank = 0;
  std::vector<KinetoKernel> kernels;
  std::vector<KinetoStep> steps;
};

// One file, which is of one rank.
class KinetoFile {
 public:
  // `steps`: also collects what ran, if not null.
  KinetoFile(fs::path file, Profile& to, KinetoSteps* steps = nullptr)
      : file_(std::move(file)), to_(to), steps_(steps) {}

  void read() {
    for (const KinetoRank& rank : ranks()) finish(rank.rank, rank.kernels);
  }

  const fs::path& file() const { return file_; }
  const KinetoTime& first() const { return *first_; }

  std::vector<KinetoRank> ranks() {
    constexpr std::array<std::string_view, 7> kWanted{
        "device", "Collective name", "In msg nelems",     "Out msg nelems",
        "dtype",  "stream",          "Process Group Name"};
    const TraceRest about = each_trace_event(file_, kWanted, [this](const TraceEvent& event) { add(event); });
    if (kernels_.empty())
      throw InputError(fmt::format(
          "{}: nothing that ran on a device: record with ProfilerActivity.CUDA or NPU", file_.string()));
    const auto said = about.numbers.find("distributedInfo.rank");
    std::vector<KinetoRank> ranks;
    for (auto& [device, kernels] : kernels_) {
      const double rank = said != about.numbers.end() ? said->second : device;
      if (!(rank >= 0 && rank < kMostKinetoRanks))
        throw InputError(fmt::format("{}: rank {}", file_.string(), rank));
      ranks.push_back({static_cast<std::uint32_t>(rank), std::move(kernels), std::move(steps_of_[device])});
    }
    if (odd_ > 0)
      to_.notes.push_back(
          fmt::format("{}: {} events without a start or a duration are left out", file_.string(), odd_));
    return ranks;
  }

 private:
  static constexpr std::uint32_t kMostKinetoRanks = 1 << 20;
  static constexpr std::string_view kStepName = "ProfilerStep#";

  static bool ran_on_device(const TraceEvent& event) {
    return event.category == "kernel" || event.category == "gpu_memcpy" || event.category == "gpu_memset";
  }
  static bool is_step(const TraceEvent& event) {
    return event.category == "gpu_user_annotation" && event.name.starts_with(kStepName);
  }

  void add(const TraceEvent& event) {
    if (event.phase != "X" || (!ran_on_device(event) && !is_step(event))) return;
    const std::optional<KinetoTime> time = KinetoTime::of(event.timestamp);
    const double length = event.length.value_or(-1);
    if (!time || std::abs(time->microseconds - first_.value_or(*time).microseconds) > kKinetoSpan ||
        !(length >= 0 && length <= kKinetoLength) || event.name.empty()) {
      ++odd_;
      return;
    }
    if (!first_) first_ = time;
    const double said = event.number("device").value_or(event.process.value_or(0));
    const double device = said >= 0 && said < kMostKinetoRanks ? std::floor(said) : 0;
    KinetoKernel kernel{event.name, "", time->since(*first_), Duration(std::llround(length * 1e6))};
    if (is_step(event)) {
      const std::string number = event.name.substr(kStepName.size());
      KinetoStep step{0, kernel.start, kernel.start + kernel.length};
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), step.number);
      if (error == std::errc() && end == number.data() + number.size()) steps_of_[device].push_back(step);
      return;
    }
    const auto collective = event.texts.find("Collective name");
    kernel.exchanges = collective != event.texts.end() || event.name.find("nccl") != std::string::npos ||
                       event.name.starts_with("hcom_");
    if (kernel.exchanges) {
      const auto type = event.texts.find("dtype");
      const double elements =
          std::max(event.number("In msg nelems").value_or(0), event.number("Out msg nelems").value_or(0));
      const double bytes = type == event.texts.end() ? 0 : elements * element_of(type->second);
      if (bytes >= 1 && bytes <= kKinetoBytes) kernel.bytes = static_cast<std::uint64_t>(bytes);
      if (collective != event.texts.end()) kernel.name = collective->second;
      if (const auto group = event.texts.find("Process Group Name"); group != event.texts.end())
        kernel.group = group->second;
    }
    kernels_[device].push_back(std::move(kernel));
  }

  void finish(std::uint32_t rank, const std::vector<KinetoKernel>& kernels) {
    RankTime time;
    const Duration behind = steps_ != nullptr ? steps_->behind_first(*first_) : Duration::zero();
    for (const KinetoKernel& kernel : kernels) {
      if (steps_ != nullptr)
        steps_->add(rank, kernel.name, kernel.exchanges, behind + kernel.start,
                    behind + kernel.start + kernel.length);
      time.add(kernel.start, kernel.start + kernel.length, kernel.exchanges, !kernel.exchanges);
      if (!kernel.exchanges) {
        to_.at(rank, kernel.name).add(kernel.length, Duration::zero());
        continue;
      }
      Occurrences& exchange = to_.exchange(rank, kernel.name);
      exchange.add(kernel.length, Duration::zero());
      exchange.transit += kernel.length;
      if (kernel.bytes > 0) to_.packet(rank, kernel.bytes).add(kernel.length, Duration::zero());
    }
    to_.ranks[rank].steps = time.steps();
    to_.ranks[rank].span = time.span();
  }

  fs::path file_;
  Profile& to_;
  KinetoSteps* steps_;
  std::optional<KinetoTime> first_;                      // time of the first event; others count from it
  std::map<double, std::vector<KinetoKernel>> kernels_;  // by device
  std::map<double, std::vector<KinetoStep>> steps_of_;   // by device
  std::size_t odd_ = 0;
};

// Hands what ran on a device to a sink, as if it came from an Ascend profiler's tables.
class KinetoHandover {
 public:
  KinetoHandover(AscendSink& to, Meetings& meetings) : to_(to), meetings_(meetings) {}

  // `behind`: how much later the file's times begin than those of the first file.
  void hand(const ProfiledHome& home, KinetoRank rank, Duration behind) {
    to_.begin_rank(home);
    KernelColumns columns;
    columns.steps = !rank.steps.empty();
    to_.table(home.tables.front().string(), columns);
    std::ranges::stable_sort(rank.kernels, {}, &KinetoKernel::start);
    std::ranges::sort(rank.steps, {}, &KinetoStep::start);
    std::size_t line = 0;
    for (const KinetoKernel& kernel : rank.kernels) {
      const std::optional<std::uint64_t> step = step_of(rank, kernel);
      ++line;
      if (kernel.exchanges)
        exchange(rank.rank, kernel, step, behind, line);
      else
        compute(rank.rank, kernel, step, behind, line);
    }
    to_.end_rank(home);
  }

 private:
  static std::optional<std::uint64_t> step_of(const KinetoRank& rank, const KinetoKernel& kernel) {
    const auto after = std::ranges::upper_bound(rank.steps, kernel.start, {}, &KinetoStep::start);
    if (after == rank.steps.begin() || kernel.start >= std::prev(after)->end) return {};
    return std::prev(after)->number;
  }
  void compute(std::uint32_t rank, const KinetoKernel& kernel, std::optional<std::uint64_t> step,
               Duration behind, std::size_t line) {
    KernelRow row;
    row.name = kernel.name;
    row.step = step;
    row.start = behind + kernel.start;
    row.time = kernel.length;
    to_.kernel(rank, row, line);
  }
  void exchange(std::uint32_t rank, const KinetoKernel& kernel, std::optional<std::uint64_t> step,
                Duration behind, std::size_t line) {
    const std::string at = step ? fmt::format("step{}", *step) : "";
    const std::uint32_t call = calls_[{rank, at, kernel.name, kernel.group}]++;
    // As Ascend's profiler names an exchange, with its call and its group.
    const std::string name = fmt::format("{}__0_{}@{}", kernel.name, call, kernel.group);
    RecordedExchange seen{at, name, true, behind + kernel.start, kernel.length, kernel.length};
    seen.collective = !is_between_two_ranks(kernel.name);
    seen.bytes = static_cast<double>(kernel.bytes);
    seen.waits_told = false;
    seen.line = line;
    if (seen.collective)
      meetings_.add(rank, fmt::format("{}/{}", at, name), microseconds(*seen.start),
                    microseconds(*seen.start + seen.elapsed));
    to_.exchange(rank, seen);
  }
  static bool is_between_two_ranks(std::string_view name) {
    return is_between_two(name) || name == "send" || name == "recv" ||
           name.find("SendRecv") != std::string_view::npos;
  }

  AscendSink& to_;
  Meetings& meetings_;
  std::map<std::tuple<std::uint32_t, std::string, std::string, std::string>, std::uint32_t> calls_;
};

std::vector<fs::path> kineto_files(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error))
    if (is_kineto(entry.path())) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

class Kineto final : public ProfileReader {
 public:
  bool takes(const fs::path& path) const override { return is_kineto_profile(path); }
  Profile read(const fs::path& path) const override {
    Profile to;
    to.unit = ProfileUnit::kKernel;
    for (const fs::path& file : kineto_files(path)) KinetoFile(file, to).read();
    return to;
  }
};

A3SIM_REGISTER(
    ProfileReader, "kineto",
    "a time line of PyTorch's profiler (Kineto: .json, .json.gz), or a folder of them, one per rank", Kineto);

}  // namespace

bool is_kineto_profile(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return is_kineto(path);
  return !kineto_files(path).empty();
}

ProfiledClocks read_kineto(const fs::path& path, AscendSink& to, std::vector<std::string>& notes) {
  Profile sums;
  std::vector<ProfiledHome> homes;
  std::vector<std::pair<KinetoRank, Duration>> all;
  KinetoSteps clock;
  for (const fs::path& file : kineto_files(path)) {
    KinetoFile read(file, sums);
    for (KinetoRank& rank : read.ranks()) {
      ProfiledHome home{file.parent_path(), {file}, rank.rank};
      home.folder = file.parent_path();
      homes.push_back(std::move(home));
      all.emplace_back(std::move(rank), clock.behind_first(read.first()));
    }
  }
  to.begin(homes);
  Meetings meetings;
  KinetoHandover handover(to, meetings);
  std::vector<std::uint32_t> ranks;
  for (std::size_t i = 0; i < all.size(); ++i) {
    ranks.push_back(all[i].first.rank);
    if (std::ranges::count(ranks, ranks.back()) > 1)
      throw InputError(fmt::format("{}: rank {} is of an earlier file, too", homes[i].tables.front().string(),
                                   ranks.back()));
    handover.hand(homes[i], std::move(all[i].first), all[i].second);
  }
  std::ranges::move(sums.notes, std::back_inserter(notes));
  return meetings.clocks(ranks);
}

std::string kineto_kernels_csv(const fs::path& path) {
  Profile sums;
  KinetoSteps steps;
  for (const fs::path& file : kineto_files(path)) KinetoFile(file, sums, &steps).read();
  return kernels_csv(steps);
}

bool is_kineto(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || !is_time_line(path)) return false;
  const std::string begin = first_bytes(path, std::size_t{1} << 18);
  const auto has = [&begin](std::string_view word) { return begin.find(word) != std::string::npos; };
  if (!has("\"traceEvents\"") || has("megaKernelCycleTrace") || has("MegaKernelInternal")) return false;
  return has("\"deviceProperties\"") || has("\"distributedInfo\"") || has("\"cpu_op\"") || has("\"kernel\"");
}

}  // namespace a3sim
