#include "traces/import/measured.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sim/core/error.h"
#include "sim/core/terminal_text.h"

namespace a3sim {
namespace {

constexpr std::size_t kMostEntries = 1'000'000, kLongestName = 4096, kMostTasks = 1'000'000;
constexpr Duration kMostTime(std::int64_t{1} << 61);

Duration sum_of_times(Duration a, Duration b) {
  if (a > kMostTime - b)
    throw InputError("the times of one kernel sum to more than 26 days: is this a profile?");
  return a + b;
}

}  // namespace

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

void Measured::count_entry(std::size_t length) {
  if (length > kLongestName || ++entries > kMostEntries)
    throw InputError(
        fmt::format("more than {} names of kernels, or one of more than {} bytes: is this a profile?",
                    kMostEntries, kLongestName));
}

Occurrences& Measured::find(Names& names, std::string_view name) {
  if (const auto found = names.find(name); found != names.end()) return found->second;
  if (name.size() > kLongestName) count_entry(name.size());
  const auto [entry, is_new] = names.try_emplace(printable(name));
  if (is_new) count_entry(name.size());
  return entry->second;
}

Occurrences& Measured::packet(std::uint32_t rank, std::uint64_t bytes) {
  const auto [entry, is_new] = ranks[rank].packets.try_emplace(bytes);
  if (is_new) count_entry(0);
  return entry->second;
}

MeasuredTask* Measured::task(std::uint32_t rank, std::string_view name, std::uint32_t index) {
  auto& tasks = ranks[rank].tasks;
  auto of = tasks.find(name);
  if (of == tasks.end()) of = tasks.try_emplace(printable(name)).first;
  if (const auto known = of->second.find(index); known != of->second.end()) return &known->second;
  if (tasks_ == kMostTasks) return nullptr;
  if (++tasks_ == kMostTasks)
    notes.push_back(fmt::format("more than {} tasks: those behind them are in sums alone", kMostTasks));
  return &of->second[index];
}

Names Measured::sum(Names MeasuredRank::* names) const {
  Names all;
  for (const auto& [number, rank] : ranks)
    for (const auto& [name, of] : rank.*names) all[name] += of;
  return all;
}

Measured read_profile(const std::filesystem::path& path) {
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

}  // namespace a3sim
