#include <algorithm>

#include "sim/diagnosis/rules/advice.h"
#include "sim/diagnosis/rules/advice_report.h"
#include "sim/study/published/evaluation.h"
#include "sim/study/published/recorded_case.h"

namespace a3sim {
namespace {

std::string ordinal(std::size_t place) {
  constexpr const char* kFirst[] = {"1st", "2nd", "3rd"};
  return place < std::size(kFirst) ? kFirst[place] : std::to_string(place + 1) + "th";
}

// Returns the factor by which steps would be shorter, or their mean throughput larger, without the lost
// time. Takes the time from steps longer than usual first, in proportion to their excess.
double factor_without(const CaseObservation& records, double lost_ms) {
  const double all = milliseconds(records.took());
  if (lost_ms >= all) return 1;
  if (!records.recorded().by_throughput) return all / (all - lost_ms);
  const std::vector<double> lengths = records.step_lengths_ms();
  const double usual = *std::ranges::min_element(lengths);
  double excess = 0, before = 0, after = 0;
  for (const double length : lengths) excess += length - usual;
  const double part = excess > 0 ? std::min(1.0, lost_ms / excess) : 0;
  for (const double length : lengths) {
    before += 1 / length;
    after += 1 / (length - part * (length - usual));
  }
  return after / before;
}

void add_if_wanted(Point point, const CaseObservation& records, double lost_ms, const Wanted& wanted,
                   std::vector<Point>& points) {
  point.value = factor_without(records, lost_ms);
  point.at_most = true;
  if (wanted.has(point.coordinates)) points.push_back(std::move(point));
}

void add_case(const RecordedCase& recorded_case, const RuleBook& rules, const Wanted& wanted,
              std::vector<Point>& points) {
  const CaseObservation records(recorded_case);
  const Advice advice = advise(records, rules);
  for (std::size_t nth = 0; nth < recorded_case.causes.size(); ++nth) {
    const std::string& cause = recorded_case.causes[nth];
    const auto found = std::ranges::find(advice.findings, cause, &Finding::cause);
    Point point{{{"case", recorded_case.title}, {"cause", cause}}, "speedup", "x", 1, "recorded"};
    const bool there = found != advice.findings.end();
    const auto place = static_cast<std::size_t>(found - advice.findings.begin());
    std::string as = there ? ordinal(place) : "missed";
    if (!there || place > nth)
      as += advice.findings.empty() ? ": nothing found" : ", behind " + advice.findings.front().cause;
    point.more.emplace_back(Column::words("found", "found"), as);
    point.more.emplace_back(Column::words("place", "place"),
                            there ? place_text(*found, recorded_case.ranks) : "");
    const bool assumed = std::ranges::find(recorded_case.assumed, cause) != recorded_case.assumed.end();
    point.more.emplace_back(Column::words("times", "times"), assumed ? "assumed" : "published");
    const double unseen =
        nth == 0 ? recorded_case.unseen * milliseconds(recorded_case.length()) * recorded_case.steps : 0;
    const double lost = there ? found->lost_ms * (found->last - found->first + 1) + unseen : 0;
    if (nth > 0 || recorded_case.shards.empty()) add_if_wanted(point, records, lost, wanted, points);
    if (nth > 0) continue;
    for (const std::int64_t shards : recorded_case.shards) {
      point.coordinates["shards"] = shards;
      // Each shard communicates while another computes, except the last one.
      add_if_wanted(point, records, lost * (1 - 1 / static_cast<double>(shards)), wanted, points);
    }
  }
}

// Predicts published diagnoses: if the rules find the same causes in the published symptoms, and by what
// factor a step would at most be shorter without them.
Predictions run_hermes(const PublishedTable& table, const Scenario& scenario, const Wanted& wanted) {
  Predictions result{table.heading, {}};
  const RuleBook rules = read_rules(scenario.configs / "advice");
  for (const std::string& name : recorded_cases(scenario.configs))
    add_case(read_recorded_case(scenario.configs / "cases" / (name + ".yaml")), rules, wanted, result.points);
  return result;
}

A3SIM_REGISTER(Evaluation, "hermes", "diagnoses of slow jobs, from published symptoms",
               Evaluation{run_hermes});

}  // namespace
}  // namespace a3sim
