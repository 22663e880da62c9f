#include "traces/import/kineto.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
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

// A date as a profiler writes it, whole microseconds and a fraction of at most six digits: a double of a date since 1970
// would lose the nanoseconds.
struct KinetoDate {
  std::int64_t microseconds = 0, picoseconds = 0;

  static std::optional<KinetoDate> of(std::string_view text) {
    KinetoDate date;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), date.microseconds);
    if (error != std::errc() || date.microseconds < 0 || date.microseconds > kKinetoLatest) return {};
    std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
    if (rest.empty()) return date;
    if (rest.front() != '.') return {};
    rest.remove_prefix(1);
    std::int64_t unit = 100'000;
    for (const char c : rest) {
      if (c < '0' || c > '9') return {};
      date.picoseconds += (c - '0') * unit;
      unit /= 10;
    }
    return date;
  }
  Duration since(const KinetoDate& first) const {
    return Duration((microseconds - first.microseconds) * 1'000'000 + picoseconds - first.picoseconds);
  }
};

// What ran on the devices of all files, as one step of a job.
class KinetoSteps final : public Observation {
 public:
  KinetoSteps() { job_.passes = {"step"}; }

  // Returns the time by which a file's dates are behind the first file's.
  Duration behind_first(const KinetoDate& date) {
    if (!first_) first_ = date;
    const bool near = std::abs(date.microseconds - first_->microseconds) <= kKinetoSpan;
    return near ? date.since(*first_) : Duration::zero();
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
  std::optional<KinetoDate> first_;
  FullStep step_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;  // of names
};

// One file, which is of one rank.
class KinetoFile {
 public:
  // `steps`: also collects what ran, if not null.
  KinetoFile(fs::path file, Profile& to, KinetoSteps* steps = nullptr)
      : file_(std::move(file)), to_(to), steps_(steps) {}

  void read() {
    constexpr std::array<std::string_view, 6> kWanted{"device",         "Collective name", "In msg nelems",
                                                      "Out msg nelems", "dtype",           "stream"};
    const TraceRest about = each_trace_event(file_, kWanted, [this](const TraceEvent& event) { add(event); });
    if (kernels_.empty())
      throw InputError(fmt::format(
          "{}: nothing that ran on a device: record with ProfilerActivity.CUDA or NPU", file_.string()));
    const auto said = about.numbers.find("distributedInfo.rank");
    for (const auto& [device, kernels] : kernels_) {
      const double rank = said != about.numbers.end() ? said->second : device;
      if (!(rank >= 0 && rank < kMostKinetoRanks))
        throw InputError(fmt::format("{}: rank {}", file_.string(), rank));
      finish(static_cast<std::uint32_t>(rank), kernels);
    }
    if (odd_ > 0)
      to_.notes.push_back(
          fmt::format("{}: {} events without a date or a duration are left out", file_.string(), odd_));
  }

 private:
  static constexpr std::uint32_t kMostKinetoRanks = 1 << 20;

  struct Kernel {
    std::string name;
    Duration start{}, length{};
    bool exchanges = false;
    std::uint64_t bytes = 0;  // of an exchange; 0: not known
  };

  void add(const TraceEvent& event) {
    if (event.phase != "X" ||
        (event.category != "kernel" && event.category != "gpu_memcpy" && event.category != "gpu_memset"))
      return;
    const std::optional<KinetoDate> date = KinetoDate::of(event.date);
    const double length = event.length.value_or(-1);
    if (!date || std::abs(date->microseconds - first_.value_or(*date).microseconds) > kKinetoSpan ||
        !(length >= 0 && length <= kKinetoLength) || event.name.empty()) {
      ++odd_;
      return;
    }
    if (!first_) first_ = date;
    Kernel kernel{event.name, date->since(*first_), Duration(std::llround(length * 1e6))};
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
    }
    const double device = event.number("device").value_or(event.process.value_or(0));
    kernels_[device >= 0 && device < kMostKinetoRanks ? std::floor(device) : 0].push_back(std::move(kernel));
  }

  void finish(std::uint32_t rank, const std::vector<Kernel>& kernels) {
    RankTime time;
    const Duration behind = steps_ != nullptr ? steps_->behind_first(*first_) : Duration::zero();
    for (const Kernel& kernel : kernels) {
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
  std::optional<KinetoDate> first_;                // date of the first event; others count from it
  std::map<double, std::vector<Kernel>> kernels_;  // by device
  std::size_t odd_ = 0;
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

A3SIM_REGISTER(ProfileReader, "kineto",
               "a time line of PyTorch's profiler (Kineto: .json, .json.gz), or a folder of them, one a rank",
               Kineto);

}  // namespace

bool is_kineto_profile(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return is_kineto(path);
  return !kineto_files(path).empty();
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
