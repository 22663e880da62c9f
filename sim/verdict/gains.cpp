#include "sim/verdict/gains.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "sim/core/error.h"
#include "sim/experiment/run/run_estimate.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/variation/cable_level.h"
#include "sim/variation/difference_table.h"

namespace a3sim {
namespace {

constexpr double kTenth = 1.1;
constexpr double kLeastShare = 0.02;      // of a path; a cause with less has no candidates
constexpr double kMostSeconds = 20;       // of one core, as foreseen
constexpr double kCheapSeconds = 10;      // the same, for all runs under random times
constexpr double kMostApart = 0.01;       // of a latency that few ranks tell, from that of all
constexpr std::size_t kMostTogether = 3;  // parts

// Returns the experiment with the few ranks that can stand for all, prepared; without work if they cannot.
Variant with_few_ranks(const Experiment& experiment, unsigned threads) {
  if (experiment.representatives != 0 || !experiment.work->why_no_schedule_run().empty()) return {};
  try {
    const std::vector<std::string> alike{"experiment.simulate=alike"};
    Variant few{experiment.with(alike), nullptr};
    few.work = few.experiment.work->prepare(few.experiment, threads);
    return few;
  } catch (const InputError&) {
    return {};
  }
}

bool is_blamed(const Verdict& verdict, const MachinePart& part) {
  return std::ranges::any_of(
      part.blamed, [&](const std::string& cause) { return part_of_path(verdict, cause) >= kLeastShare; });
}

// Runs variations of an experiment that is prepared once, and says what they gain in each pass.
class Trials {
 public:
  Trials(Variant base, std::span<Verdict> verdicts, const JitterOptions& jitter, unsigned threads)
      : base_(std::move(base)), verdicts_(verdicts) {
    how_.jitter = jitter;
    how_.threads = threads;
    how_.hold = false;
    // Random times make a run longer where many tasks meet, so what was recorded is compared with a run without them.
    if (jitter.draws() > JitterOptions::none().draws())
      plain_ = differences(base_, {}, {.jitter = JitterOptions::none(), .threads = threads}).base;
  }

  const Experiment& experiment() const { return base_.experiment; }
  Improvement free() const { return Improvement::to_free(2 * base_.work->footprint().count); }

  // A candidate with the variations that it gains by; `free` alone where nothing is a tenth better.
  void add(LimitCandidate candidate, std::optional<Variation> better, Variation free) {
    entries_.push_back({std::move(candidate), better.has_value()});
    if (better) variations_.push_back(std::move(*better));
    variations_.push_back(std::move(free));
  }

  std::size_t size() const { return variations_.size(); }

  // Runs what was added, and appends the candidates to the verdicts of the passes.
  void run() {
    const DifferenceTable table = differences(base_, variations_, how_);
    for (Verdict& verdict : verdicts_) {
      const auto pass =
          static_cast<std::size_t>(std::ranges::find(table.passes, verdict.pass) - table.passes.begin());
      if (pass == table.passes.size() || verdict.path.empty()) continue;
      if (differs(verdict, median_of((plain_ ? *plain_ : table.base).passes[pass]))) continue;
      std::size_t row = 0;
      for (const Entry& entry : entries_) {
        LimitCandidate candidate = entry.candidate;
        if (entry.better) candidate.better = gain(table, table.rows[row++], pass);
        candidate.free = gain(table, table.rows[row++], pass);
        if (!candidate.free) continue;  // there is no such experiment
        verdict.candidates.push_back(std::move(candidate));
      }
      rank(verdict);
    }
    entries_.clear();
    variations_.clear();
  }

 private:
  struct Entry {
    LimitCandidate candidate;
    bool better;
  };

  static std::optional<MedianInterval> gain(const DifferenceTable& table, const Difference& row,
                                            std::size_t pass) {
    if (!row.ran()) return {};
    const MedianInterval longer = relative_difference(row.outcome.passes[pass], table.base.passes[pass]);
    return MedianInterval{-longer.median, -longer.high, -longer.low};
  }

  static bool differs(Verdict& verdict, Duration again) {
    if (std::abs(seconds(again) / seconds(verdict.latency) - 1) <= kMostApart) return false;
    verdict.not_tried = fmt::format(
        "No variation was tried: run again, the pass takes {} ms, so that another a3sim or configuration "
        "wrote it.",
        in_milliseconds(again));
    return true;
  }

  Variant base_;
  std::span<Verdict> verdicts_;
  DifferenceOptions how_;
  std::optional<VariedOutcome> plain_;  // the experiment without random times, if variations have them
  std::vector<Entry> entries_;
  std::vector<Variation> variations_;
};

// Parts that are improved together.
using Parts = std::vector<const MachinePart*>;

Variation better_parts(const Experiment& experiment, const Parts& parts, const Improvement& by) {
  if (parts.size() == 1) return better_part(experiment, *parts.front(), by, parts.front()->name);
  std::vector<std::string> changes;
  for (const MachinePart* const part : parts)
    for (std::string& change : changes_of(*part, experiment, by)) changes.push_back(std::move(change));
  return other_machine("together", std::move(changes));
}

std::vector<std::string> names_of_parts(const Parts& parts) {
  std::vector<std::string> names;
  for (const MachinePart* const part : parts) names.push_back(part->name);
  return names;
}

// The causes that a part's own time is blamed on. A collective has one rate, whether its exchanges share it or not.
std::vector<std::string> own_causes(const MachinePart& part) {
  if (part.transport == "collective") return part.blamed;
  return {part.blamed.front()};
}

void add_parts(Trials& trials, const Parts& parts) {
  const std::vector<std::string> names = names_of_parts(parts);
  const std::vector<std::string> own = own_causes(*parts.front());
  trials.add({.name = parts.size() > 1 ? joined_name(names) : names.front(),
              .cause = own.front(),
              .better = {},
              .free = {},
              .parts = parts.size() > 1 ? names : std::vector<std::string>(),
              .also = {own.begin() + 1, own.end()}},
             better_parts(trials.experiment(), parts, {kTenth}),
             better_parts(trials.experiment(), parts, trials.free()));
}

Parts blamed_parts(const Experiment& experiment, std::span<const Verdict> verdicts) {
  Parts parts;
  for (const MachinePart& part : machine_parts()) {
    if (part.kind != MachinePart::Kind::kSingle || part.cables || !part.is_described(experiment) ||
        !part.matters_to(options_of(experiment, false)))
      continue;
    if (std::ranges::any_of(verdicts, [&](const Verdict& verdict) { return is_blamed(verdict, part); }))
      parts.push_back(&part);
  }
  return parts;
}

// Up and down cables between the same switches carry the same bytes, so that both hold them up: they are one candidate.
void add_cables(Trials& trials) {
  const std::vector<CableLevel> levels = cable_levels(trials.experiment());
  const auto reversed = [](const std::string& name) {
    const std::size_t dash = name.find('-');
    return dash == std::string::npos ? name : name.substr(dash + 1) + "-" + name.substr(0, dash);
  };
  for (std::size_t l = 0; l < levels.size(); ++l) {
    std::vector<CableLevel> both{levels[l]};
    const auto is_back = [&](const CableLevel& other) {
      return &other != &levels[l] && other.plane == levels[l].plane && other.name == reversed(levels[l].name);
    };
    const auto back = std::ranges::find_if(levels, is_back);
    if (back != levels.end() && back < levels.begin() + static_cast<std::ptrdiff_t>(l))
      continue;  // seen from there
    if (back != levels.end()) both.push_back(*back);
    const auto at = [&](double factor) {
      return Variation{"cables",
                       {},
                       [both, factor](const Experiment& base) {
                         Experiment changed = base;
                         for (const CableLevel& level : both) changed = cables_at(level, factor).of(changed);
                         return changed;
                       },
                       true};
    };
    trials.add({.name = "cables " + levels[l].name, .cause = "link", .better = {}, .free = {}, .parts = {}},
               at(kTenth), at(trials.free().factor));
  }
}

void add_first(Trials& trials, const Parts& parts) {
  for (const MachinePart* const part : parts) add_parts(trials, {part});
  add_cables(trials);
  if (trials.experiment().shape.ep > 1 && trials.experiment().routing.kind != "balanced")
    trials.add({.name = "imbalance of the routing", .cause = {}, .better = {}, .free = {}, .parts = {}},
               std::nullopt, Variation{"balanced", {"routing.kind=balanced"}});
}

// The candidate of one part alone; nullptr if it was not tried.
const LimitCandidate* tried(const Verdict& verdict, const MachinePart& part) {
  const auto found = std::ranges::find(verdict.candidates, part.name, &LimitCandidate::name);
  return found == verdict.candidates.end() ? nullptr : &*found;
}

// Parts that pace the tasks of the path's main cause, if its own part gains far less than that cause takes: its own part first,
// then the others by what they gain if free.
Parts pacing_parts(const Verdict& verdict, const Parts& parts) {
  if (verdict.path.empty()) return {};
  const PathShare& most = verdict.path.front();
  const std::string cause(name_of(most.cause));
  Parts pacing;
  for (const MachinePart* const part : parts) {
    const LimitCandidate* const alone = tried(verdict, *part);
    if (alone && std::ranges::find(part->blamed, cause) != part->blamed.end()) pacing.push_back(part);
  }
  // Where the cause is that of several parts, such as a port and a collective on it, the one that gains most is its own.
  const auto is_own = [&](const MachinePart* part) {
    const std::vector<std::string> own = own_causes(*part);
    return std::ranges::find(own, cause) != own.end();
  };
  const auto gain = [&](const MachinePart* part) { return tried(verdict, *part)->free->median; };
  const auto own = std::ranges::max_element(
      pacing, {}, [&](const MachinePart* part) { return std::pair(is_own(part), gain(part)); });
  if (own == pacing.end() || !is_own(*own) || gain(*own) > most.part / kFarLess) return {};
  std::rotate(pacing.begin(), own, own + 1);
  std::ranges::stable_sort(pacing.begin() + 1, pacing.end(), std::greater{}, gain);
  pacing.resize(std::min(pacing.size(), kMostTogether));
  return pacing;
}

// Keeps one group: that which gains most, or a smaller one that gains next to as much; none that gains no more than a part
// of it alone.
void keep_smallest_group(Verdict& verdict) {
  constexpr double kMore = 0.01;
  const auto gain_if_free = [](const LimitCandidate& candidate) { return candidate.free->median; };
  double alone = 0;
  std::vector<LimitCandidate> groups;  // the smaller ones were tried first
  for (LimitCandidate& candidate : verdict.candidates) {
    if (candidate.together())
      groups.push_back(candidate);
    else
      alone = std::max(alone, gain_if_free(candidate));
  }
  std::erase_if(verdict.candidates, [](const LimitCandidate& candidate) { return candidate.together(); });
  std::ranges::stable_sort(groups, {}, [](const LimitCandidate& group) { return group.parts.size(); });
  const LimitCandidate* kept = nullptr;
  for (const LimitCandidate& group : groups)
    if (gain_if_free(group) >= (kept ? gain_if_free(*kept) : alone) + kMore) kept = &group;
  if (!kept) return;
  verdict.candidates.push_back(*kept);
  rank(verdict);
}

}  // namespace

void find_gains(const Experiment& experiment, std::span<Verdict> verdicts, unsigned threads) {
  const Parts parts = blamed_parts(experiment, verdicts);
  Variant base = with_few_ranks(experiment, threads);
  if (!base.work) base.experiment = experiment;
  const double foreseen = base.experiment.work->estimate(base.experiment, false).seconds * 2 *
                          static_cast<double>(parts.size() + 1);
  if (foreseen > kMostSeconds) {
    for (Verdict& verdict : verdicts)
      verdict.not_tried = "'a3sim explain CONFIG --whatif' says what each part of the machine would gain.";
    return;
  }
  if (!base.work) base.work = experiment.work->prepare(experiment, threads);
  const JitterOptions random;
  Trials trials(std::move(base), verdicts,
                foreseen * random.draws() <= kCheapSeconds ? random : JitterOptions::none(), threads);
  add_first(trials, parts);
  trials.run();
  std::set<Parts> groups;
  for (const Verdict& verdict : verdicts) {
    const Parts pacing = pacing_parts(verdict, parts);
    for (std::size_t count = 2; count <= pacing.size(); ++count)
      groups.emplace(pacing.begin(), pacing.begin() + static_cast<std::ptrdiff_t>(count));
  }
  for (const Parts& group : groups) add_parts(trials, group);
  if (trials.size() > 0) trials.run();
  for (Verdict& verdict : verdicts) keep_smallest_group(verdict);
}

}  // namespace a3sim
