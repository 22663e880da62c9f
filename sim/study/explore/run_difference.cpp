#include "sim/study/explore/run_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/core/error.h"

namespace a3sim {
namespace {

std::vector<std::string> names_of(const SavedRun& run) {
  std::vector<std::string> names;
  for (const SavedPass& pass : run.passes) names.push_back(pass.name);
  return names;
}

// Of all passes: their operators have names of their own.
std::map<std::string, L2Rates> rates_of(const SavedRun& run) {
  const auto part = [](double amount, double of) { return of > 0 ? amount / of : 0; };
  std::map<std::string, L2Rates> rates;
  for (const SavedPass& pass : run.passes) {
    for (const TraceOperator& op : pass.trace.operators) {
      rates[op.name] = {op.l2_read > 0 ? op.l2_hit / op.l2_read : 1, part(op.hbm_read, op.l2_read),
                        part(op.hbm_written, op.l2_read + op.l2_written)};
    }
  }
  return rates;
}

// "hardware.fabric.planes.hccs.egress: 69 GB/s, B 138 GB/s", and how many more.
std::string differences_text(const std::vector<ConfigDifference>& differences) {
  const auto value = [](const std::string& text) { return text.empty() ? std::string("nothing") : text; };
  const ConfigDifference& first = differences.front();
  std::string text = fmt::format("{} is {} in A, {} in B", first.path, value(first.a), value(first.b));
  if (differences.size() > 1) text += fmt::format(", and {} more", differences.size() - 1);
  return text;
}

// The one that comes closest to A; nullptr where none does.
const Counterfactual* largest_cause(const RunDifference& difference) {
  const Duration whole = difference.total[0] - difference.total[1];
  const Counterfactual* largest = nullptr;
  Duration most{};
  for (const Counterfactual& of : difference.counterfactuals.parts) {
    if (!of.error.empty()) continue;
    const Duration change = of.makespan - difference.counterfactuals.b;
    const Duration explained = whole > Duration::zero() ? change : -change;
    if (explained <= most) continue;
    most = explained;
    largest = &of;
  }
  return largest;
}

}  // namespace

RunDifference difference_of(const SavedRun& a, const SavedRun& b, unsigned threads) {
  if (names_of(a) != names_of(b)) {
    throw InputError(fmt::format("{} has the passes {}, {} has {}: --pass names one that both have",
                                 a.directory.string(), fmt::join(names_of(a), ", "), b.directory.string(),
                                 fmt::join(names_of(b), ", ")));
  }
  RunDifference difference;
  for (std::size_t p = 0; p < a.passes.size(); ++p) {
    const Trace &of_a = a.passes[p].trace, &of_b = b.passes[p].trace;
    RunDifference::OfPass& pass = difference.passes.emplace_back(
        RunDifference::OfPass{a.passes[p].name, {&of_a, &of_b}, {explain(of_a), explain(of_b)}, {}});
    pass.blame = blame_difference(of_a, pass.explained[0].path, of_b, pass.explained[1].path);
    difference.total[0] += of_a.makespan;
    difference.total[1] += of_b.makespan;
  }
  difference.versions[0] = a.version;
  difference.versions[1] = b.version;
  difference.counterfactuals = run_counterfactuals({a.configuration(), rates_of(a)},
                                                   {b.configuration(), rates_of(b)}, names_of(a), threads);
  return difference;
}

std::string conclusion(const RunDifference& difference) {
  const Duration whole = difference.total[0] - difference.total[1];
  const Counterfactuals& counterfactuals = difference.counterfactuals;
  const bool same = counterfactuals.parts.empty() && counterfactuals.elsewhere.empty();
  if (whole == Duration::zero()) {
    return same ? "Nothing differs." : "The configurations differ, but the makespans do not.";
  }
  const std::string head =
      fmt::format("A takes {} ms ({:.1f} %) {} than B", in_milliseconds(std::chrono::abs(whole)),
                  100 * std::abs(seconds(whole)) / seconds(difference.total[1]),
                  whole > Duration::zero() ? "longer" : "less");
  if (same) {
    return fmt::format("{}, but the configurations are equal: A was written by a3sim {}, B by a3sim {}.",
                       head, difference.versions[0], difference.versions[1]);
  }
  const Counterfactual* cause = largest_cause(difference);
  if (cause == nullptr) {
    return head + ": no part of A's configuration explains it alone, only parts together do.";
  }
  const auto part = [&](Duration change) { return 100 * seconds(change) / seconds(whole); };
  std::string text = fmt::format(
      "{}; the largest cause is A's {} ({}): with it B would take {} ms, {:.0f} % of the difference", head,
      cause->part, differences_text(cause->differences), in_milliseconds(cause->makespan),
      part(cause->makespan - counterfactuals.b));
  if (counterfactuals.hit_rates)
    text += fmt::format("; A's L2 hit rates alone make {:.0f} %", part(*counterfactuals.hit_rates));
  return text + '.';
}

}  // namespace a3sim
