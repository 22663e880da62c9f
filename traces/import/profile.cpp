#include "traces/import/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sim/core/error.h"
#include "sim/core/terminal_text.h"
#include "traces/formats/ascend/profiled_rank.h"
#include "traces/formats/stage_names.h"
#include "traces/import/rank_time.h"

namespace a3sim {
namespace {

constexpr std::size_t kMostEntries = 1'000'000, kLongestName = 4096, kMostTasks = 1'000'000;
constexpr Duration kMostTime(std::int64_t{1} << 61);

Duration sum_of_times(Duration a, Duration b) {
  if (a > kMostTime - b)
    throw InputError("the times of one kernel sum to more than 26 days: is this a profile?");
  return a + b;
}

// Adds a simulated run as a profiler would have measured it: its tasks, kernels, exchanges and time.
void add_tasks(const Trace& trace, std::uint32_t rank, Duration begin, RankTime& time, Profile& to) {
  for (const TraceTask& task : trace.ranks[rank]) {
    const std::string& name = trace.operators[task.op].name;
    const bool waits = task.dependent_event != kNone && !trace.machine.has_kernels;
    const Duration ran = task.end - task.start;
    to.at(rank, name).add(ran, waits ? task.start - task.taken : Duration::zero());
    if (TaskTimes* times = to.task(rank, name, task.index)) {
      ++times->count;
      times->total += ran;
    }
    time.add(begin + task.start, begin + task.end, is_exchange(name),
             trace.operators[task.op].unit == TaskUnit::kCube);
  }
}

void add_kernels(const ProfiledStep& step, std::uint32_t rank, Profile& to) {
  KernelOrder order;
  for (const ProfiledKernel& kernel : step.kernels) {
    Occurrences& sum = to.at(rank, kernel.name);
    sum.add(kernel.end - kernel.start, kernel.wait);
    sum.workers = std::max(sum.workers, kernel.workers);
    sum.run += kernel.run;
    sum.arithmetic += kernel.arithmetic;
    order.add(kernel.start, kernel.end);
    if (!kernel.hit_rate) continue;
    sum.hits += *kernel.hit_rate;
    ++sum.hits_known;
  }
  to.ranks[rank].span = order.span();
}

void add_exchanges(const ProfiledStep& step, std::uint32_t rank, Profile& to) {
  for (const ProfiledExchange& exchange : step.exchanges) {
    Occurrences& sum = to.exchange(rank, exchange.name);
    sum.add(exchange.end - exchange.start, Duration::zero());
    sum.transit += exchange.transit;
    for (const auto& [bytes, time] : exchange.puts) to.packet(rank, bytes).add(time, Duration::zero());
  }
}

void add_by_core(const Trace& trace, std::uint32_t rank, Profile& to) {
  for (const TraceTask& task : trace.ranks[rank]) {
    const bool waits = task.dependent_event != kNone && !trace.machine.has_kernels;
    to.at(rank, name_on_core(trace.operators[task.op].name, trace.machine.workers.worker_name(task.worker)))
        .add(task.end - task.start, waits ? task.start - task.taken : Duration::zero());
  }
}

TimeSplit steps_of(const ProfiledStep& step) {
  return {step.length, length_of(step.computing), length_of(step.communicating),
          length_of(step.communicating - step.computing)};
}

}  // namespace

std::string name_on_core(std::string_view op, std::string_view core) {
  return fmt::format("{} on {}", op, core);
}

std::string core_in(std::string_view name) {
  constexpr std::string_view kOn = " on ";
  const std::size_t at = name.rfind(kOn);
  return std::string(at == std::string_view::npos ? name : name.substr(at + kOn.size()));
}

std::string printable(std::string_view name) {
  constexpr std::string_view kSpace = " \t\r\n";
  name.remove_prefix(std::min(name.find_first_not_of(kSpace), name.size()));
  name = name.substr(0, name.find_last_not_of(kSpace) + 1);
  std::string text;
  while (!name.empty()) {
    const std::size_t length = name.front() == '\n' ? 0 : shown_bytes(name);
    text += length ? name.substr(0, length) : "?";
    name.remove_prefix(std::max<std::size_t>(1, length));
  }
  return text;
}

void Occurrences::add(Duration time, Duration waited_before) {
  ++count;
  total = sum_of_times(total, time);
  least = std::min(least, time);
  most = std::max(most, time);
  wait(waited_before);
}

void Occurrences::wait(Duration time) { waited = sum_of_times(waited, time); }

Occurrences& Occurrences::operator+=(const Occurrences& other) {
  if (type.empty()) type = other.type;
  count += other.count;
  total = sum_of_times(total, other.total);
  least = std::min(least, other.least);
  most = std::max(most, other.most);
  waited = sum_of_times(waited, other.waited);
  hits_known += other.hits_known;
  hits += other.hits;
  workers = std::max(workers, other.workers);
  run = sum_of_times(run, other.run);
  arithmetic = sum_of_times(arithmetic, other.arithmetic);
  hbm_bytes += other.hbm_bytes;
  transit = sum_of_times(transit, other.transit);
  return *this;
}

void Profile::count_entry(std::size_t length) {
  if (length > kLongestName || ++entries > kMostEntries)
    throw InputError(
        fmt::format("more than {} names of kernels, or one of more than {} bytes: is this a profile?",
                    kMostEntries, kLongestName));
}

Occurrences& Profile::find(Names& names, std::string_view name) {
  if (const auto found = names.find(name); found != names.end()) return found->second;
  if (name.size() > kLongestName) count_entry(name.size());
  const auto [entry, is_new] = names.try_emplace(printable(name));
  if (is_new) count_entry(name.size());
  return entry->second;
}

Occurrences& Profile::packet(std::uint32_t rank, std::uint64_t bytes) {
  const auto [entry, is_new] = ranks[rank].packets.try_emplace(bytes);
  if (is_new) count_entry(0);
  return entry->second;
}

TaskTimes* Profile::task(std::uint32_t rank, std::string_view name, std::uint32_t index) {
  auto& tasks = ranks[rank].tasks;
  auto found = tasks.find(name);
  if (found == tasks.end()) found = tasks.try_emplace(printable(name)).first;
  if (const auto known = found->second.find(index); known != found->second.end()) return &known->second;
  if (tasks_ == kMostTasks) return nullptr;
  if (++tasks_ == kMostTasks)
    notes.push_back(fmt::format("more than {} tasks: those behind them are in sums alone", kMostTasks));
  return &found->second[index];
}

Names Profile::sum(Names RankProfile::* names) const {
  Names all;
  for (const auto& [number, rank] : ranks)
    for (const auto& [name, entry] : rank.*names) all[name] += entry;
  return all;
}

Names Profile::by_type() const {
  Names types;
  for (const auto& [number, rank] : ranks)
    for (const auto& [name, entry] : rank.operators) types[entry.type.empty() ? name : entry.type] += entry;
  return types;
}

Profile read_profile(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw InputError(fmt::format("{}: does not exist", path.string()));
  std::string known;
  for (const auto& [name, item] : ProfileReaders::all()) {
    if (item.object->takes(path)) return item.object->read(path);
    known += fmt::format("\n  {}", item.description);
  }
  throw InputError(fmt::format("{}: is no profile; what is read:{}", path.string(), known));
}

Profile profile_of(std::span<const TracedPass> passes, ProfileUnit unit) {
  Profile to;
  to.unit = unit;
  for (std::uint32_t r = 0; r < passes.front().trace.ranks.size(); ++r) {
    if (unit == ProfileUnit::kKernel) {
      const ProfiledStep step = profiled(passes, r);
      add_kernels(step, r, to);
      add_exchanges(step, r, to);
      to.ranks[r].steps = steps_of(step);
      continue;
    }
    if (unit == ProfileUnit::kCore) {
      for (const TracedPass& pass : passes) add_by_core(pass.trace, r, to);
      continue;
    }
    RankTime time;
    Duration begin{};
    for (const TracedPass& pass : passes) {
      add_tasks(pass.trace, r, begin, time, to);
      begin += pass.trace.makespan;
    }
    to.ranks[r].steps = time.steps();
    to.ranks[r].span = time.span();
  }
  return to;
}

}  // namespace a3sim
