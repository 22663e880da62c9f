#include "traces/import/measured.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sim/core/error.h"
#include "traces/formats/ascend/profiled_rank.h"

namespace a3sim {
namespace {

constexpr std::size_t kMostEntries = 1'000'000, kLongestName = 4096;
constexpr Duration kMostTime(std::int64_t{1} << 61);

void add_tasks(const Trace& trace, std::uint32_t rank, Measured& to) {
  for (const TraceTask& task : trace.ranks[rank]) {
    const bool waits = task.dependent_event != kNone && !trace.machine.has_kernels();
    to.at(rank, trace.operators[task.op].name)
        .add(task.end - task.start, waits ? task.start - task.taken : Duration::zero());
  }
}

void add_kernels(std::span<const TracedPass> passes, std::uint32_t rank, Measured& to) {
  for (const ProfiledKernel& kernel : profiled(passes, rank).kernels) {
    Occurrences& of = to.at(rank, kernel.name);
    of.add(kernel.end - kernel.start, kernel.wait);
    if (!kernel.hit_rate) continue;
    of.hits += *kernel.hit_rate;
    ++of.hits_known;
  }
}

Duration sum(Duration a, Duration b) {
  if (a > kMostTime - b)
    throw InputError("the times of one kernel sum to more than 26 days: is this a profile?");
  return a + b;
}

// What a terminal and JSON take: valid UTF-8 without control characters.
std::string printable(std::string_view name) {
  std::string text;
  for (std::size_t i = 0; i < name.size();) {
    const auto c = static_cast<unsigned char>(name[i]);
    const std::size_t length = c < 0x80                ? 1
                               : c >= 0xc2 && c < 0xe0 ? 2
                               : c >= 0xe0 && c < 0xf0 ? 3
                               : c >= 0xf0 && c < 0xf5 ? 4
                                                       : 0;
    bool valid = length > 0 && i + length <= name.size() && c >= 0x20 && c != 0x7f;
    for (std::size_t k = 1; valid && k < length; ++k)
      valid = (static_cast<unsigned char>(name[i + k]) & 0xc0U) == 0x80;
    // Overlong forms, surrogates, and what lies beyond the last character.
    if (valid && length > 2) {
      const auto next = static_cast<unsigned char>(name[i + 1]);
      valid = !(c == 0xe0 && next < 0xa0) && !(c == 0xed && next > 0x9f) && !(c == 0xf0 && next < 0x90) &&
              !(c == 0xf4 && next > 0x8f);
    }
    text += valid ? name.substr(i, length) : "?";
    i += valid ? length : 1;
  }
  return text;
}

Cell hit_rate(const Occurrences& of) {
  return of.hits_known ? Cell(of.hits / static_cast<double>(of.hits_known)) : Cell();
}

}  // namespace

void Occurrences::add(Duration time, Duration waited_before) {
  ++count;
  total = sum(total, time);
  least = std::min(least, time);
  most = std::max(most, time);
  wait(waited_before);
}

void Occurrences::wait(Duration time) { waited = sum(waited, time); }

Occurrences& Occurrences::operator+=(const Occurrences& other) {
  count += other.count;
  total = sum(total, other.total);
  least = std::min(least, other.least);
  most = std::max(most, other.most);
  waited = sum(waited, other.waited);
  hits_known += other.hits_known;
  hits += other.hits;
  return *this;
}

Occurrences& Measured::at(std::uint32_t rank, std::string_view name) {
  auto& names = ranks[rank];
  if (const auto found = names.find(name); found != names.end()) return found->second;
  if (name.size() > kLongestName || ++entries > kMostEntries)
    throw InputError(
        fmt::format("more than {} names of kernels, or one of more than {} bytes: is this a profile?",
                    kMostEntries, kLongestName));
  return names[printable(name)];
}

std::map<std::string, Occurrences, std::less<>> Measured::all_ranks() const {
  std::map<std::string, Occurrences, std::less<>> all;
  for (const auto& [rank, names] : ranks)
    for (const auto& [name, of] : names) all[name] += of;
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

Measured measured(std::span<const TracedPass> passes, MeasuredUnit unit) {
  Measured to;
  to.unit = unit;
  for (std::uint32_t r = 0; r < passes.front().trace.ranks.size(); ++r) {
    if (unit == MeasuredUnit::kKernel) add_kernels(passes, r, to);
    if (unit == MeasuredUnit::kTask)
      for (const TracedPass& pass : passes) add_tasks(pass.trace, r, to);
  }
  return to;
}

Report measured_report(const Measured& profile) {
  Report report;
  report.fact("schema_version", 1).fact("unit", std::string(name_of(profile.unit)));
  report.fact("ranks", whole(profile.ranks.size()));
  Table& table = report.table(
      "operators",
      {Column::words(fmt::format("{}s of {} ranks", name_of(profile.unit), profile.ranks.size()), "name"),
       Column::count("number"), Column::microseconds("mean us", "mean_ps"),
       Column::microseconds("least us", "least_ps"), Column::microseconds("most us", "most_ps"),
       Column::milliseconds("sum ms", "total_ps"), Column::milliseconds("waited ms", "waited_ps"),
       Column::percent("L2 hits", "l2_hit_rate")});
  for (const auto& [name, of] : profile.all_ranks())
    if (of.count == 0)  // a wait whose task the profile does not have
      table.add({name, whole(0), {}, {}, {}, {}, of.waited, {}});
    else
      table.add({name, whole(of.count), of.mean(), of.least, of.most, of.total, of.waited, hit_rate(of)});
  for (const std::string& note : profile.notes) report.say("note: " + note + '\n');
  return report;
}

Report mismatch_report(const Measured& profile, const Measured& simulated,
                       const std::map<std::string, std::string, std::less<>>& names) {
  struct Row {
    std::string name;
    Occurrences measured, simulated;
    Duration off() const {
      const double mean = static_cast<double>(std::chrono::abs(simulated.mean() - measured.mean()).count());
      return Duration(static_cast<std::int64_t>(
          std::min(mean * static_cast<double>(measured.count), static_cast<double>(kMostTime.count()))));
    }
  };
  const auto ours = simulated.all_ranks();
  std::map<std::string, Row> rows;
  std::vector<std::string> unknown;
  for (const auto& [name, of] : profile.all_ranks()) {
    const auto mapped = names.find(name);
    const std::string& called = mapped == names.end() ? name : mapped->second;
    if (of.count == 0) continue;
    if (const auto found = ours.find(called); found != ours.end()) {
      Row& row = rows[called];
      row.name = called;
      row.measured += of;
      row.simulated = found->second;
    } else {
      unknown.push_back(name);
    }
  }
  std::vector<Row> sorted;
  for (const auto& [name, row] : rows) sorted.push_back(row);
  std::ranges::stable_sort(sorted, [](const Row& a, const Row& b) { return a.off() > b.off(); });

  Report report;
  report.fact("schema_version", 1).fact("unit", std::string(name_of(profile.unit)));
  Table& table = report.table(
      "operators",
      {Column::words(fmt::format("{}s", name_of(profile.unit)), "name"),
       Column::count("measured", "measured"), Column::count("simulated", "simulated"),
       Column::microseconds("mean us", "measured_mean_ps"),
       Column::microseconds("simulated us", "simulated_mean_ps"), Column::signed_percent("off", "error"),
       Column::milliseconds("off by ms", "off_ps"), Column::percent("L2 hits", "measured_l2_hit_rate"),
       Column::percent("simulated", "simulated_l2_hit_rate")});
  for (const Row& row : sorted) {
    const auto error = share(row.simulated.mean() - row.measured.mean(), row.measured.mean());
    table.add({row.name, whole(row.measured.count), whole(row.simulated.count), row.measured.mean(),
               row.simulated.mean(), error, row.off(), hit_rate(row.measured), hit_rate(row.simulated)});
  }
  const auto listed = [&](const char* key, const char* what, const std::vector<std::string>& of) {
    if (!of.empty()) report.say(fmt::format("{}: {}\n", what, fmt::join(of, ", ")), key);
  };
  listed("unknown", "measured, and not simulated (--name THEIRS=OURS maps them)", unknown);
  std::vector<std::string> missing;
  for (const auto& [name, of] : ours)
    if (!rows.contains(name)) missing.push_back(name);
  listed("missing", "simulated, and not measured", missing);
  for (const std::string& note : profile.notes) report.say("note: " + note + '\n');
  return report;
}

}  // namespace a3sim
