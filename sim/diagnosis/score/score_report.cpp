#include <fmt/format.h>

#include <map>

#include "sim/diagnosis/score/score.h"

namespace a3sim {
namespace {

struct Tally {
  std::uint32_t faults = 0, found = 0, placed = 0, soon = 0, vendor = 0;
  double delay = 0;
  void add(const ScoredFault& fault) {
    constexpr std::uint32_t kSoon = 2;
    ++faults;
    found += fault.found;
    placed += fault.placed;
    soon += fault.found && fault.delay <= kSoon;
    delay += fault.found ? fault.delay : 0;
    vendor += fault.vendor;
  }
  std::vector<Cell> cells(std::string name) const {
    return {std::move(name),       whole(faults),       share(found, faults),
            share(placed, faults), share(soon, faults), found > 0 ? Cell(delay / found) : Cell(),
            share(vendor, faults)};
  }
};

Table& table_of(Report& report, const char* key, const char* first) {
  return report.table(key, {Column::words(first), Column::count("faults"), Column::percent("recall"),
                            Column::percent("place"), Column::percent("in 2 steps"),
                            Column::number("delay", "delay_steps", 2), Column::percent("vendor's recall")});
}

}  // namespace

Report score_report(const std::vector<ScoredJob>& jobs, double least) {
  constexpr double kFrom[] = {0, 0.01, 0.03, 0.1, 0.3, 1};
  constexpr const char* kSeverities[] = {"below 1 %",  "1 to 3 %",    "3 to 10 %",
                                         "10 to 30 %", "30 to 100 %", "above"};
  std::map<std::string, Tally> kinds;
  std::vector<Tally> severities(std::size(kFrom));
  Tally all;
  std::uint32_t findings = 0, right = 0, vendor = 0, vendor_right = 0, healthy = 0, slow = 0;
  for (const ScoredJob& job : jobs) {
    findings += job.findings;
    right += job.right;
    vendor += job.vendor_findings;
    vendor_right += job.vendor_right;
    healthy += job.healthy;
    slow += job.false_slow;
    for (const ScoredFault& fault : job.faults) {
      std::size_t severity = 0;
      while (severity + 1 < std::size(kFrom) && fault.slowdown >= kFrom[severity + 1]) ++severity;
      severities[severity].add(fault);
      if (fault.slowdown < least) continue;
      kinds[fault.kind].add(fault);
      all.add(fault);
    }
  }
  Report report;
  report.fact("jobs", whole(jobs.size())).fact("findings", whole(findings)).fact("right", whole(right));
  report.fact("precision", share(right, findings)).fact("recall", share(all.found, all.faults));
  report.fact("place", share(all.placed, all.faults)).fact("in_2_steps", share(all.soon, all.faults));
  report.fact("healthy_steps", whole(healthy)).fact("false_slow_steps", whole(slow));
  report.fact("vendor_precision", share(vendor_right, vendor));
  report.say(fmt::format(
      "{} jobs: {} of {} findings are right; of {} faults that slow steps by {:.0f} % or more {} are "
      "found, {} with their place, {} within 2 steps\n",
      jobs.size(), right, findings, all.faults, 100 * least, all.found, all.placed, all.soon));
  report.say_on(fmt::format("{} of {} steps without faults were called slow\n", slow, healthy));
  report.say_on(
      fmt::format("the vendor's thresholds alone: {} of {} findings are right, {} faults are found\n",
                  vendor_right, vendor, all.vendor));
  Table& by_kind = table_of(report, "kinds", "fault");
  for (const auto& [kind, tally] : kinds) by_kind.add(tally.cells(kind));
  by_kind.add(all.cells("all"), Seen::kByPeople);
  Table& by_severity = table_of(report, "severities", "slowdown");
  for (std::size_t s = 0; s < severities.size(); ++s)
    if (severities[s].faults > 0) by_severity.add(severities[s].cells(kSeverities[s]));
  return report;
}

}  // namespace a3sim
