#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/core/error.h"
#include "traces/import/profile_report.h"

namespace a3sim {
namespace {

std::string called(const std::string& name, const NameMap& names) {
  const auto mapped = names.find(name);
  return mapped == names.end() ? name : mapped->second;
}

// How the two sides are called: in headings, and in the keys of data.
struct Sides {
  std::string a = "measured", b = "simulated";  // headings of counts
  std::string mean_a = "mean us", mean_b = "simulated us", off = "off", hits_b = "simulated";
  std::string key_a = "measured", key_b = "simulated";
};
const Sides& profiles() {
  static const Sides kProfiles{"A", "B", "mean us of A", "of B", "B against A", "of B", "a", "b"};
  return kProfiles;
}

struct MismatchRow {
  std::string name;
  Occurrences measured, simulated;
  // Returns by how much the profile's time would change with the simulated mean.
  double off() const {
    const double mean = static_cast<double>(std::chrono::abs(simulated.mean() - measured.mean()).count());
    return mean * static_cast<double>(measured.count);
  }
};

struct Mismatches {
  std::vector<MismatchRow> rows;              // the largest difference first
  std::vector<std::string> unknown, missing;  // only measured; only simulated
};

Mismatches mismatches_of(const Names& measured, const Names& simulated, const NameMap& names) {
  std::map<std::string, MismatchRow> rows;
  Mismatches all;
  for (const auto& [name, entry] : measured) {
    if (entry.count == 0) continue;
    const std::string ours = called(name, names);
    if (const auto found = simulated.find(ours); found != simulated.end()) {
      MismatchRow& row = rows[ours];
      row.name = ours;
      row.measured += entry;
      row.simulated = found->second;
    } else {
      all.unknown.push_back(name);
    }
  }
  for (const auto& [name, row] : rows) all.rows.push_back(row);
  for (const auto& [name, entry] : simulated)
    if (!rows.contains(name)) all.missing.push_back(name);
  std::ranges::stable_sort(all.rows, std::greater{}, &MismatchRow::off);
  return all;
}

void add_mismatches(const char* key, const std::string& head, const Mismatches& all, const Sides& sides,
                    Report& report) {
  Table& table = report.table(
      key, {Column::words(head, "name"), Column::count(sides.a, sides.key_a),
            Column::count(sides.b, sides.key_b), Column::microseconds(sides.mean_a, sides.key_a + "_mean_ps"),
            Column::microseconds(sides.mean_b, sides.key_b + "_mean_ps"),
            Column::signed_percent(sides.off, "error"), Column::milliseconds("off by ms", "off_ps"),
            Column::percent("L2 hits", sides.key_a + "_l2_hit_rate"),
            Column::percent(sides.hits_b, sides.key_b + "_l2_hit_rate")});
  for (const MismatchRow& row : all.rows) {
    const auto error = share(row.simulated.mean() - row.measured.mean(), row.measured.mean());
    table.add({row.name, whole(row.measured.count), whole(row.simulated.count), row.measured.mean(),
               row.simulated.mean(), error, row.off(), mean_hits(row.measured), mean_hits(row.simulated)});
  }
}

// Adds means over the ranks.
void add_steps(const Profile& profile, const Profile& simulated, const Sides& sides, Report& report) {
  const auto mean = [](const Profile& profile) {
    TimeSplit sum;
    std::int64_t ranks = 0;
    for (const auto& [number, rank] : profile.ranks) {
      if (!rank.steps) continue;
      ++ranks;
      sum.length += rank.steps->length;
      sum.computing += rank.steps->computing;
      sum.communication += rank.steps->communication;
      sum.exposed += rank.steps->exposed;
    }
    for (Duration* time : {&sum.length, &sum.computing, &sum.communication, &sum.exposed})
      *time /= std::max<std::int64_t>(1, ranks);
    return ranks ? std::optional(sum) : std::nullopt;
  };
  const std::optional<TimeSplit> theirs = mean(profile), ours = mean(simulated);
  if (!theirs || !ours) return;
  Table& table = report.table("steps", {Column::words("per rank, on average", "what"),
                                        Column::milliseconds(sides.a + " ms", sides.key_a + "_ps"),
                                        Column::milliseconds(sides.b + " ms", sides.key_b + "_ps"),
                                        Column::signed_percent(sides.off, "error")});
  const auto add = [&](const char* what, Duration a, Duration b) {
    table.add({what, a, b, share(b - a, a)});
  };
  add("whole", theirs->length, ours->length);
  add("computing", theirs->computing, ours->computing);
  add("communication", theirs->communication, ours->communication);
  add("of it exposed", theirs->exposed, ours->exposed);
}

struct TaskRow {
  std::uint32_t rank = 0, index = 0;
  const std::string* name = nullptr;  // our name
  Duration measured{}, simulated{};
  Duration off() const { return std::chrono::abs(simulated - measured); }
};

// Adds the tasks whose times differ most; tasks match by rank, operator and number.
void add_tasks(const Profile& profile, const Profile& simulated, const NameMap& names, Report& report) {
  constexpr std::size_t kWorst = 10, kWritten = 1000;
  std::vector<TaskRow> rows;
  std::size_t unmatched = 0;
  for (const auto& [number, rank] : profile.ranks) {
    const auto other = simulated.ranks.find(number);
    for (const auto& [name, tasks] : rank.tasks) {
      const auto* ours = other == simulated.ranks.end() ? nullptr : &other->second.tasks;
      const auto entry = ours ? ours->find(called(name, names)) : decltype(ours->end()){};
      if (!ours || entry == ours->end()) {
        unmatched += tasks.size();
        continue;
      }
      for (const auto& [index, task] : tasks) {
        const auto found = entry->second.find(index);
        if (found == entry->second.end())
          ++unmatched;
        else
          rows.push_back({number, index, &entry->first, task.mean(), found->second.mean()});
      }
    }
  }
  if (rows.empty()) return;
  const std::size_t count = rows.size(), kept = std::min(count, kWritten);
  std::ranges::partial_sort(
      rows, rows.begin() + static_cast<std::ptrdiff_t>(kept), [](const auto& a, const auto& b) {
        return std::tuple(b.off(), a.rank, *a.name, a.index) < std::tuple(a.off(), b.rank, *b.name, b.index);
      });
  Table& table = report.table(
      "tasks",
      {Column::words(fmt::format("worst of {} tasks", count), "name"), Column::count("rank"),
       Column::count("number", "index"), Column::microseconds("us", "measured_ps"),
       Column::microseconds("simulated us", "simulated_ps"), Column::signed_percent("off", "error")});
  for (std::size_t i = 0; i < kept; ++i) {
    const TaskRow& row = rows[i];
    table.add({*row.name, whole(row.rank), whole(row.index), row.measured, row.simulated,
               share(row.simulated - row.measured, row.measured)},
              i < kWorst ? Audience::kAll : Audience::kPrograms);
  }
  if (unmatched > 0)
    report.say_on(fmt::format("{} measured tasks have no simulated one of their operator, rank and number\n",
                              unmatched));
}

}  // namespace

Report mismatch_report(const Profile& profile, const Profile& simulated, const NameMap& names) {
  const Mismatches operators =
      mismatches_of(profile.sum(&RankProfile::operators), simulated.sum(&RankProfile::operators), names);
  const Mismatches exchanges =
      mismatches_of(profile.sum(&RankProfile::exchanges), simulated.sum(&RankProfile::exchanges), names);
  Report report;
  report.fact("schema_version", 1).fact("unit", std::string(name_of(profile.unit)));
  const Sides sides;
  add_mismatches("operators", fmt::format("{}s", name_of(profile.unit)), operators, sides, report);
  add_tasks(profile, simulated, names, report);
  if (!exchanges.rows.empty()) add_mismatches("exchanges", "exchanged", exchanges, sides, report);
  add_steps(profile, simulated, sides, report);
  const auto listed = [&](const char* key, const char* what, std::vector<std::string> names,
                          const std::vector<std::string>& more) {
    names.insert(names.end(), more.begin(), more.end());
    if (!names.empty()) report.say(fmt::format("{}: {}\n", what, fmt::join(names, ", ")), key);
  };
  // A profile without communication.json does not lack the exchanges as operators.
  const bool sent = !profile.sum(&RankProfile::exchanges).empty();
  listed("unknown", "measured, and not simulated (--name THEIRS=OURS maps them)", operators.unknown,
         exchanges.unknown);
  listed("missing", "simulated, and not measured", operators.missing,
         sent ? exchanges.missing : std::vector<std::string>{});
  say_notes(profile, report);
  return report;
}

namespace {

// Returns kernels by type, without exchanges, of which tables of kernels have rows too.
Names kernels_of(const Profile& profile) {
  Names types = profile.by_type();
  for (const auto& [name, entry] : profile.sum(&RankProfile::exchanges)) types.erase(name);
  return types;
}

// Says which kinds of kernels and exchanges take most more or less time, per rank.
void say_differences(const Profile& a, const Profile& b, Report& report) {
  constexpr std::size_t kMost = 3;
  struct Difference {
    std::string name;
    double ms = 0;
  };
  std::map<std::string, double> sums;
  const auto add = [&](const Profile& profile, double sign) {
    const auto ranks = static_cast<double>(std::max<std::size_t>(1, profile.ranks.size()));
    for (const Names& names : {kernels_of(profile), profile.sum(&RankProfile::exchanges)})
      for (const auto& [name, entry] : names) sums[name] += sign * milliseconds(entry.total) / ranks;
  };
  add(a, -1);
  add(b, 1);
  std::vector<Difference> differences;
  for (const auto& [name, ms] : sums) differences.push_back({name, ms});
  std::ranges::stable_sort(differences, std::greater{},
                           [](const Difference& one) { return std::abs(one.ms); });
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, differences.size()) && differences[i].ms != 0; ++i)
    text += fmt::format("{}{} {:+.3f} ms", i > 0 ? ", " : "", differences[i].name, differences[i].ms);
  if (!text.empty()) report.say(fmt::format("Of B against A, per rank: {}.\n", text), "differences");
}

}  // namespace

Report profiles_compared(const Profile& a, const Profile& b) {
  if (a.unit != b.unit) throw InputError("one profile has the times of kernels, the other of tasks");
  const Mismatches operators = mismatches_of(kernels_of(a), kernels_of(b), {}),
                   exchanges =
                       mismatches_of(a.sum(&RankProfile::exchanges), b.sum(&RankProfile::exchanges), {});
  Report report;
  report.fact("schema_version", 1).fact("unit", std::string(name_of(a.unit)));
  add_mismatches("operators", fmt::format("{}s by type", name_of(a.unit)), operators, profiles(), report);
  if (!exchanges.rows.empty()) add_mismatches("exchanges", "exchanged", exchanges, profiles(), report);
  add_steps(a, b, profiles(), report);
  say_differences(a, b, report);
  const bool as_often = std::ranges::all_of(
      operators.rows, [](const MismatchRow& row) { return row.measured.count == row.simulated.count; });
  if (!as_often)
    report.say(
        "Some kernels ran more often in one of them: it has other numbers of steps or of ranks, or does "
        "other work. Then "
        "means tell more than sums.\n",
        "counts");
  const auto listed = [&](const char* key, const char* what, std::vector<std::string> names,
                          const std::vector<std::string>& more) {
    names.insert(names.end(), more.begin(), more.end());
    if (!names.empty()) report.say(fmt::format("{}: {}\n", what, fmt::join(names, ", ")), key);
  };
  listed("only_a", "only in A", operators.unknown, exchanges.unknown);
  listed("only_b", "only in B", operators.missing, exchanges.missing);
  for (const Profile* profile : {&a, &b}) say_notes(*profile, report);
  return report;
}

}  // namespace a3sim
