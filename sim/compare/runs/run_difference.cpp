#include "sim/compare/runs/run_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/core/error.h"
#include "sim/verdict/difference_verdict.h"

namespace a3sim {
namespace {

std::vector<std::string> names_of(const SavedRun& run) {
  std::vector<std::string> names;
  for (const TracedPass& pass : run.passes) names.push_back(pass.name);
  return names;
}

// Returns the rates in all passes, whose operators have different names.
std::map<std::string, L2Rates> rates_of(const SavedRun& run) {
  const auto part = [](double amount, double value) { return value > 0 ? amount / value : 0; };
  std::map<std::string, L2Rates> rates;
  for (const TracedPass& pass : run.passes) {
    for (const TraceOperator& op : pass.trace.operators) {
      rates[op.name] = {op.l2_read > 0 ? op.l2_hit / op.l2_read : 1, part(op.hbm_read, op.l2_read),
                        part(op.hbm_written, op.l2_read + op.l2_written)};
    }
  }
  return rates;
}

// Returns whether a key follows the machine's number of workers, and so is no cause beside it.
bool follows_workers(const ConfigDifference& difference, const std::vector<ConfigDifference>& all) {
  if (!difference.path.starts_with("workers.") && difference.path != "cut.shares") return false;
  return std::ranges::any_of(all, [&](const ConfigDifference& other) {
    return other.path.starts_with("hardware.workers.") && other.path.ends_with(".count") &&
           other.a == difference.a && other.b == difference.b;
  });
}

// Returns the first difference, and how many more there are.
std::string differences_text(std::vector<ConfigDifference> differences) {
  std::erase_if(differences,
                [all = differences](const ConfigDifference& one) { return follows_workers(one, all); });
  std::string text = difference_text(differences.front());
  if (differences.size() > 1) text += fmt::format(", and {} more", differences.size() - 1);
  return text;
}

// Returns the largest difference on the critical paths in the direction of the total, and the operator with
// most of it: "L2 misses: 0.912 ms more, 0.700 of it in GMM1 of forward".
std::string blame_text(const RunDifference& difference) {
  if (difference.passes.empty()) return {};
  const std::int64_t sign = difference.total[1] > difference.total[0] ? 1 : -1;
  BlameTimes sums{};
  for (const RunDifference::ExplainedPass& pass : difference.passes) {
    for (const BlameTimes& times : pass.blame.blame) {
      for (std::uint32_t b = 0; b < kBlames; ++b) sums[b] += sign * times[b];
    }
  }
  const auto most = static_cast<std::size_t>(std::ranges::max_element(sums) - sums.begin());
  Duration there{};
  std::string where;
  for (const RunDifference::ExplainedPass& pass : difference.passes) {
    for (std::size_t op = 0; op < pass.blame.operators.size(); ++op) {
      const Duration time = sign * pass.blame.blame[op][most];
      if (time <= there) continue;
      there = time;
      where = pass.blame.operators[op] + (difference.passes.size() > 1 ? " of " + pass.name : "");
    }
  }
  const bool all = there >= sums[most];
  const TraceMachine& longer = difference.passes.front().trace[sign > 0 ? 1 : 0]->machine;
  return fmt::format("{}: {} {}{} in {}", described(static_cast<Blame>(most), longer), in_ms_or_s(sums[most]),
                     sign > 0 ? "more" : "less", all ? "," : ", " + in_ms_or_s(there) + " of it", where);
}

// The share of the difference that B loses with a part of A's.
double share_explained(const RunDifference& difference, const Counterfactual& counterfactual) {
  return -difference_between(counterfactual.totals, difference.counterfactuals.b).median /
         difference.apart().median;
}

bool is_clear(const RunDifference& difference, const Counterfactual& counterfactual) {
  return difference_between(counterfactual.totals, difference.counterfactuals.b).clear();
}

// The one that explains most of the difference; nullptr where none explains any. `clear`: of those by more than noise.
const Counterfactual* largest_cause(const RunDifference& difference, bool clear) {
  const Counterfactual* largest = nullptr;
  double most = 0;
  for (const Counterfactual& counterfactual : difference.counterfactuals.parts) {
    if (counterfactual.totals.empty() || (clear && !is_clear(difference, counterfactual))) continue;
    const double explained = share_explained(difference, counterfactual);
    if (explained <= most) continue;
    most = explained;
    largest = &counterfactual;
  }
  return largest;
}

DifferenceCause cause_of(const RunDifference& difference, const Counterfactual& cause) {
  DifferenceCause found{cause.part, differences_text(cause.differences), share_explained(difference, cause)};
  // If only one part differs, B with it is A.
  const Counterfactuals& all = difference.counterfactuals;
  if (all.parts.size() > 1 || !all.elsewhere.empty()) found.with_it = median_of(cause.totals);
  return found;
}

// Says what differs, unless only the program's version does.
DifferenceVerdict verdict_of(const RunDifference& difference) {
  const Counterfactuals& counterfactuals = difference.counterfactuals;
  DifferenceVerdict verdict{difference.apart(),
                            relative_difference(counterfactuals.b, counterfactuals.a).median,
                            difference.total[1] - difference.total[0]};
  if (!verdict.apart.clear()) return verdict;
  const Counterfactual *const cause = largest_cause(difference, true), *const first =
                                                                           largest_cause(difference, false);
  if (cause) verdict.cause = cause_of(difference, *cause);
  if (first && first != cause) verdict.hidden = cause_of(difference, *first);
  verdict.changed = blame_text(difference);
  if (counterfactuals.hit_rates && counterfactuals.hit_rates->clear())
    verdict.hit_rates = -counterfactuals.hit_rates->median / verdict.apart.median;
  return verdict;
}

}  // namespace

std::string difference_text(const ConfigDifference& difference) {
  constexpr std::size_t kLongest = 48;
  const auto value = [](const std::string& text) {
    if (text.empty()) return std::string("nothing");
    return text.size() <= kLongest ? text : text.substr(0, kLongest - 1) + "…";
  };
  return fmt::format("{} is {} in A, {} in B", difference.path, value(difference.a), value(difference.b));
}

std::string different_work(const std::vector<ConfigDifference>& differences) {
  const auto found = std::ranges::find_if(differences, [](const ConfigDifference& one) {
    return one.path.starts_with("model.") || one.path == "experiment.pass";
  });
  if (found == differences.end()) return {};
  return fmt::format(
      "A and B do different work ({}): their times say nothing of which is the better way to do it.",
      difference_text(*found));
}

RunDifference difference_of(const SavedRun& a, const SavedRun& b, const JitterOptions& jitter,
                            unsigned threads, const std::function<void(const RunDifference&)>& seen) {
  std::vector<std::string> names = names_of(a);
  if (names != names_of(b)) {
    if (a.passes.size() != 1 || b.passes.size() != 1) {
      throw InputError(fmt::format("{} has the passes {}, {} has {}: --pass names one that both have",
                                   a.directory.string(), fmt::join(names, ", "), b.directory.string(),
                                   fmt::join(names_of(b), ", ")));
    }
    names.push_back(b.passes[0].name);
  }
  RunDifference difference;
  for (std::size_t p = 0; p < a.passes.size(); ++p) {
    const Trace &of_a = a.passes[p].trace, &of_b = b.passes[p].trace;
    RunDifference::ExplainedPass& pass = difference.passes.emplace_back(
        RunDifference::ExplainedPass{a.passes[p].name, {&of_a, &of_b}, {explain(of_a), explain(of_b)}, {}});
    if (b.passes[p].name != pass.name) pass.name += " and " + b.passes[p].name;
    pass.blame = blame_difference(of_b, pass.explained[1].path, of_a, pass.explained[0].path);
    difference.total[0] += of_a.makespan;
    difference.total[1] += of_b.makespan;
  }
  difference.versions[0] = a.version;
  difference.versions[1] = b.version;
  if (seen) seen(difference);
  difference.counterfactuals =
      run_counterfactuals({a.configuration(), rates_of(a)}, {b.configuration(), rates_of(b)}, names, jitter,
                          threads, [&](const Counterfactuals& so_far) {
                            difference.counterfactuals = so_far;
                            if (seen) seen(difference);
                          });
  return difference;
}

std::string conclusion(const RunDifference& difference) {
  const Counterfactuals& counterfactuals = difference.counterfactuals;
  const bool same = counterfactuals.parts.empty() && counterfactuals.elsewhere.empty();
  const Duration saved = difference.total[1] - difference.total[0];
  if (counterfactuals.a == counterfactuals.b) {
    if (!same) return "The configurations differ, but the latencies do not.";
    if (saved == Duration::zero()) return "Nothing differs.";
    return fmt::format(
        "The configurations are equal: the saved latencies differ because A was written by a3sim {}, "
        "B by a3sim {}.",
        difference.versions[0], difference.versions[1]);
  }
  return verdict_text(verdict_of(difference));
}

}  // namespace a3sim
