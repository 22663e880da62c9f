#include "traces/import/profile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <tuple>

#include "sim/core/ids.h"
#include "traces/analysis/core_idle.h"

namespace a3sim {
namespace {

constexpr std::size_t kMostRanks = 16;  // that people see

// Returns the whole profile, or one rank of it.
Profile part_of(const Profile& profile, std::uint32_t rank) {
  Profile part = profile;
  if (rank != kNone) std::erase_if(part.ranks, [&](const auto& entry) { return entry.first != rank; });
  return part;
}

template <class Part>
bool any_has(const Profile& profile, Part RankProfile::* part) {
  return std::ranges::any_of(profile.ranks,
                             [&](const auto& entry) { return (entry.second.*part).has_value(); });
}

void add_ranks(const Profile& profile, Report& report) {
  if (!any_has(profile, &RankProfile::steps) && !any_has(profile, &RankProfile::span)) return;
  const std::string unit(name_of(profile.unit));
  Table& table = report.table(
      "ranks",
      {Column::count("rank"), Column::milliseconds("profiled ms", "length_ps"),
       Column::milliseconds("computing ms", "computing_ps"),
       Column::milliseconds("hidden ms", "hidden_communication_ps"),
       Column::milliseconds("exposed ms", "exposed_communication_ps"),
       Column::milliseconds(unit + "s from ms", "first_ps"), Column::milliseconds("to ms", "last_ps"),
       Column::milliseconds("idle ms", "gaps_ps"), Column::microseconds("late us", "late_ps")});
  // Times count from the first of all.
  Duration begin = Duration::max();
  for (const auto& [number, rank] : profile.ranks)
    if (rank.span) begin = std::min(begin, rank.span->first);
  std::size_t shown = 0;
  for (const auto& [number, rank] : profile.ranks) {
    std::vector<Cell> row(9);
    row[0] = whole(number);
    if (const auto& s = rank.steps) {
      row[1] = s->length;
      row[2] = s->computing;
      row[3] = s->hidden();
      row[4] = s->exposed;
    }
    if (const auto& s = rank.span) {
      row[5] = s->first - begin;
      row[6] = s->last - begin;
      row[7] = s->last - s->first - s->covered;
    }
    if (rank.clock) row[8] = rank.clock->late;
    table.add(std::move(row), ++shown <= kMostRanks ? Audience::kAll : Audience::kPrograms);
  }
  if (profile.ranks.size() > kMostRanks)
    report.say_on(fmt::format("and {} ranks more (--rank N, --json)\n", profile.ranks.size() - kMostRanks));
}

void add_clocks(const Profile& profile, Report& report) {
  if (!any_has(profile, &RankProfile::clock)) return;
  Table& table = report.table(
      "clocks", {Column::count("clock of rank", "rank"), Column::microseconds("ahead us", "median_ps"),
                 Column::microseconds("least", "least_ps"), Column::microseconds("most", "most_ps"),
                 Column::count("sync points", "meetings"), Column::microseconds("offset us", "offset_ps")});
  std::size_t shown = 0;
  for (const auto& [number, rank] : profile.ranks) {
    if (const auto& clock = rank.clock)
      table.add(
          {whole(number), clock->median, clock->least, clock->most, whole(clock->meetings), clock->offset()},
          ++shown <= kMostRanks ? Audience::kAll : Audience::kPrograms);
  }
  report.say_on(
      "How far a clock is ahead of the first rank's, from the ends of the collectives that all share; taken "
      "off\n"
      "where all of these agree on who is ahead.\n");
}

// Returns the time of a rank's cores in tasks, by a profile's names: "GMM1 on AIC 3".
std::vector<CoreIdle> busy_cores(std::uint32_t number, const RankProfile& rank) {
  std::vector<CoreIdle> cores;
  for (const auto& [name, entry] : rank.operators) {
    const std::string core = core_in(name);
    auto found = std::ranges::find(cores, core, &CoreIdle::core);
    if (found == cores.end())
      found = cores.insert(cores.end(), {number, core.substr(0, core.find(' ')), core});
    found->busy += entry.total;
  }
  return cores;
}

// The mean time in tasks of the cores of a kind, the longest of all kinds.
Duration longest_mean(std::span<const CoreIdle> cores) {
  std::map<std::string, std::pair<Duration, std::int64_t>> sums;
  for (const CoreIdle& core : cores) {
    sums[core.kind].first += core.busy;
    ++sums[core.kind].second;
  }
  Duration longest{};
  for (const auto& [kind, sum] : sums) longest = std::max(longest, sum.first / sum.second);
  return longest;
}

// Splits the idle time of cores where no configuration tells a bound: tasks of a kind of cores that take as long as they did
// end no sooner than if they were dealt out evenly.
void add_cores(const Profile& profile, Report& report) {
  if (profile.unit != ProfileUnit::kCore || !any_has(profile, &RankProfile::span)) return;
  std::vector<CoreIdle> all;
  Duration longest{}, bound{};
  for (const auto& [number, rank] : profile.ranks) {
    if (!rank.span) continue;
    const Duration length = rank.span->last - rank.span->first;
    std::vector<CoreIdle> cores = busy_cores(number, rank);
    const Duration even = longest_mean(cores);
    for (CoreIdle& core : cores) core.split(length, even);
    if (length > longest) std::tie(longest, bound) = std::pair(length, even);
    std::ranges::move(cores, std::back_inserter(all));
  }
  add_core_idle(
      report, all, longest,
      fmt::format("Tasks that take as long as they did end no sooner than after {} ms, if each core of a "
                  "kind has as many: what a core idles until then is forced, and another order saves at "
                  "most the rest.\n",
                  in_milliseconds(bound)));
}

using NamedSum = std::pair<std::string, Occurrences>;

// Sorts by time, the longest first.
std::vector<NamedSum> by_time(const Names& names) {
  std::vector<NamedSum> sums(names.begin(), names.end());
  std::ranges::stable_sort(sums, std::ranges::greater(),
                           [](const NamedSum& sum) { return sum.second.total; });
  return sums;
}

// Adds sums, without columns that the profile leaves empty. People see the first `shown` rows.
void add_sums(const char* key, const std::string& head, const std::vector<NamedSum>& all, std::size_t shown,
              Report& report) {
  Duration sum{};
  for (const auto& [name, entry] : all) sum += entry.total;
  Table& table = report.table(
      key, {Column::words(head, "name"), Column::count("number"), Column::microseconds("mean us", "mean_ps"),
            Column::microseconds("least us", "least_ps"), Column::microseconds("most us", "most_ps"),
            Column::milliseconds("sum ms", "total_ps"), Column::percent("of all", "share"),
            Column::milliseconds("waited ms", "waited_ps"), Column::percent("cores busy", "cores_busy"),
            Column::percent("arithmetic", "arithmetic"), Column::percent("L2 hits", "l2_hit_rate"),
            Column::number("HBM GB/s", "hbm_gb_per_s", 1)});
  std::size_t row = 0;
  for (const auto& [name, entry] : all) {
    const Audience seen = ++row <= shown ? Audience::kAll : Audience::kPrograms;
    if (entry.count == 0) {  // a wait for a task that the profile lacks
      table.add({name, whole(0), {}, {}, {}, {}, {}, entry.waited, {}, {}, {}, {}}, seen);
      continue;
    }
    const bool cores = entry.run > Duration::zero() && entry.workers > 0;
    const Cell rate = entry.hbm_bytes > 0 ? share(entry.hbm_bytes * 1e-9, seconds(entry.total)) : Cell();
    table.add({name, whole(entry.count), entry.mean(), entry.least, entry.most, entry.total,
               share(entry.total, sum), entry.waited,
               cores ? share(seconds(entry.run), seconds(entry.total) * entry.workers) : Cell(),
               cores ? share(entry.arithmetic, entry.run) : Cell(), mean_hits(entry), rate},
              seen);
  }
  if (all.size() > shown)
    report.say_on(fmt::format("and {} names more, with less time (--json)\n", all.size() - shown));
}

// Adds operators by type and, if their names differ, by name below.
void add_operators(const Profile& profile, Report& report) {
  constexpr std::size_t kMostNames = 20, kAll = std::numeric_limits<std::size_t>::max();
  const Names names = profile.sum(&RankProfile::operators);
  const std::string head = fmt::format("{}s of {} rank{}", name_of(profile.unit), profile.ranks.size(),
                                       profile.ranks.size() == 1 ? "" : "s");
  const bool typed = std::ranges::any_of(names, [](const auto& entry) { return !entry.second.type.empty(); });
  if (!typed) return add_sums("operators", head, {names.begin(), names.end()}, kAll, report);
  add_sums("types", head + ", by type", by_time(profile.by_type()), kAll, report);
  add_sums("operators", head + ", by name", by_time(names), kMostNames, report);
}

void add_exchanges(const Profile& profile, Report& report) {
  const Names all = profile.sum(&RankProfile::exchanges);
  if (all.empty()) return;
  Table& table = report.table(
      "exchanges",
      {Column::words("exchanged", "name"), Column::count("number"),
       Column::microseconds("mean us", "mean_ps"), Column::milliseconds("sum ms", "total_ps"),
       Column::milliseconds("transfer ms", "transit_ps"), Column::milliseconds("waited ms", "waited_ps")});
  for (const auto& [name, entry] : all)
    table.add({name, whole(entry.count), entry.mean(), entry.total, entry.transit, entry.waited});
}

void add_packets(const Profile& profile, Report& report) {
  constexpr std::size_t kMostSizes = 12;
  std::map<std::uint64_t, Occurrences> all;
  for (const auto& [number, rank] : profile.ranks)
    for (const auto& [bytes, entry] : rank.packets) all[bytes] += entry;
  if (all.empty()) return;
  Table& table = report.table(
      "packets", {Column::number("packet MB", "megabytes", 6), Column::count("number"),
                  Column::microseconds("mean us", "mean_ps"), Column::number("GB/s", "gb_per_s", 1)});
  std::size_t shown = 0;
  for (const auto& [bytes, entry] : all) {
    const double moved = static_cast<double>(bytes) * static_cast<double>(entry.count);
    table.add({static_cast<double>(bytes) * 1e-6, whole(entry.count), entry.mean(),
               share(moved * 1e-9, seconds(entry.total))},
              ++shown <= kMostSizes ? Audience::kAll : Audience::kPrograms);
  }
}

// Says where most of the time is, and what is known of it.
void say_verdict(const Profile& profile, Report& report) {
  const Names all = profile.by_type();
  if (all.empty()) return;
  const auto most = std::ranges::max_element(all, {}, [](const auto& entry) { return entry.second.total; });
  Duration sum{}, length{}, exposed{}, spanned{}, idle{};
  for (const auto& [name, entry] : all) sum += entry.total;
  for (const auto& [number, rank] : profile.ranks) {
    if (rank.span) {
      spanned += rank.span->last - rank.span->first;
      idle += rank.span->last - rank.span->first - rank.span->covered;
    }
    if (!rank.steps) continue;
    length += rank.steps->length;
    exposed += rank.steps->exposed;
  }
  if (sum == Duration::zero()) return;
  std::string text = fmt::format("Most of the {}s' time is {}'s ({})", name_of(profile.unit), most->first,
                                 in_percent(seconds(most->second.total) / seconds(sum)));
  if (length > Duration::zero())
    text += fmt::format("; communication that nothing hides is {} of the profiled time",
                        in_percent(seconds(exposed) / seconds(length)));
  if (idle > Duration::zero())
    text += fmt::format("; for {} of the time no {} runs", in_percent(seconds(idle) / seconds(spanned)),
                        name_of(profile.unit));
  report.say(text + ".\n", "advice");
}

// Names what the profile lacks; nothing is guessed.
void say_missing(const Profile& profile, Report& report) {
  const bool kernels = profile.unit == ProfileUnit::kKernel;
  const Names all = profile.sum(&RankProfile::operators);
  const auto none = [&](auto has) { return std::ranges::none_of(all, has); };
  std::string text;
  const auto say = [&](std::string_view what, std::string_view why) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", what, why);
  };
  if (!any_has(profile, &RankProfile::steps))
    say("what communication hides", kernels ? "no step_trace_time.csv" : "no times, or no cores");
  if (!any_has(profile, &RankProfile::span)) say("gaps", kernels ? "no times in order" : "no times");
  if (profile.ranks.size() > 1 && !any_has(profile, &RankProfile::clock))
    say("offsets between clocks",
        kernels ? "no collective that all ranks share in communication.json" : "one file has one clock");
  if (kernels && profile.sum(&RankProfile::exchanges).empty()) say("bandwidths", "no communication.json");
  if (none([](const auto& entry) { return entry.second.run > Duration::zero(); }))
    say("how busy cores are", kernels ? "no PipeUtilization columns" : "records are of one core each");
  if (none([](const auto& entry) { return entry.second.hits_known > 0; }))
    say("L2 hits", "no L2Cache columns");
  if (none([](const auto& entry) { return entry.second.hbm_bytes > 0; }))
    say("the roofline's bytes", "no MemoryAccess columns");
  say("operations, the critical path", "no profile has them");
  report.say("Not in the profile: " + text + ".\n", "missing");
}

}  // namespace

Cell mean_hits(const Occurrences& occurrences) {
  return occurrences.hits_known ? Cell(occurrences.hits / static_cast<double>(occurrences.hits_known))
                                : Cell();
}

void say_notes(const Profile& profile, Report& report) {
  std::string notes;
  for (const std::string& note : profile.notes) notes += "note: " + note + '\n';
  if (!notes.empty()) report.say(notes, "notes");
}

Report profile_report(const Profile& profile, std::uint32_t rank) {
  const Profile part = part_of(profile, rank);
  Report report;
  report.fact("schema_version", 1).fact("unit", std::string(name_of(profile.unit)));
  add_ranks(part, report);
  add_operators(part, report);
  add_exchanges(part, report);
  add_packets(part, report);
  add_clocks(part, report);
  add_cores(part, report);
  say_verdict(part, report);
  say_missing(part, report);
  say_notes(profile, report);
  return report;
}

}  // namespace a3sim
