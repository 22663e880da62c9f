#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bench/score/score.h"

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

namespace {

// Findings with about the same confidence.
struct Sure {
  std::uint32_t findings = 0, right = 0;
  double confidence = 0;
};

void add_calibration(const std::vector<ScoredJob>& jobs, Report& report) {
  constexpr double kFrom[] = {0, 0.5, 0.7, 0.8, 0.9, 0.95};
  std::vector<Sure> bins(std::size(kFrom));
  for (const ScoredJob& job : jobs) {
    for (const ScoredFinding& finding : job.findings) {
      std::size_t bin = 0;
      while (bin + 1 < std::size(kFrom) && finding.confidence >= kFrom[bin + 1]) ++bin;
      ++bins[bin].findings;
      bins[bin].right += finding.right;
      bins[bin].confidence += finding.confidence;
    }
  }
  Table& table = report.table("calibration", {Column::percent("sure from"), Column::count("findings"),
                                              Column::percent("sure to"), Column::percent("right")});
  for (std::size_t b = 0; b < bins.size(); ++b)
    if (bins[b].findings > 0)
      table.add({kFrom[b], whole(bins[b].findings), bins[b].confidence / bins[b].findings,
                 share(bins[b].right, bins[b].findings)});
}

void add_numbers(const std::vector<ScoredJob>& jobs, double least, Report& report) {
  struct Number {
    std::uint32_t jobs = 0, faults = 0, found = 0, placed = 0, findings = 0, right = 0, healthy = 0;
  };
  std::map<std::size_t, Number> numbers;
  for (const ScoredJob& job : jobs) {
    Number& number = numbers[job.faults.size()];
    ++number.jobs;
    for (const ScoredFault& fault : job.faults) {
      if (fault.slowdown < least) continue;
      ++number.faults;
      number.found += fault.found;
      number.placed += fault.placed;
    }
    for (const ScoredFinding& finding : job.findings) {
      ++number.findings;
      number.right += finding.right;
      number.healthy += finding.healthy;
    }
  }
  Table& table = report.table(
      "numbers", {Column::count("faults of a job"), Column::count("jobs"), Column::count("faults"),
                  Column::percent("recall"), Column::percent("place"), Column::count("findings"),
                  Column::percent("precision"), Column::count("of healthy ranks")});
  for (const auto& [faults, number] : numbers)
    table.add({whole(faults), whole(number.jobs), whole(number.faults), share(number.found, number.faults),
               share(number.placed, number.faults), whole(number.findings),
               share(number.right, number.findings), whole(number.healthy)});
}

}  // namespace

Report score_report(const std::vector<ScoredJob>& jobs, double least) {
  constexpr double kFrom[] = {0, 0.01, 0.03, 0.1, 0.3, 1};
  constexpr const char* kSeverities[] = {"below 1 %",  "1 to 3 %",    "3 to 10 %",
                                         "10 to 30 %", "30 to 100 %", "above"};
  std::map<std::string, Tally> kinds;
  std::vector<Tally> severities(std::size(kFrom));
  Tally all;
  std::uint32_t findings = 0, right = 0, of_healthy = 0, open = 0, vendor = 0, vendor_right = 0, healthy = 0,
                slow = 0;
  for (const ScoredJob& job : jobs) {
    open += job.open;
    for (const ScoredFinding& finding : job.findings) {
      ++findings;
      right += finding.right;
      of_healthy += finding.healthy;
    }
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
  report.fact("open", whole(open)).fact("healthy_rank_findings", whole(of_healthy));
  report.fact("healthy_steps", whole(healthy)).fact("false_slow_steps", whole(slow));
  report.fact("vendor_precision", share(vendor_right, vendor));
  report.say(fmt::format(
      "{} jobs: {} of {} findings are right; of {} faults that slow steps by {:.0f} % or more {} are "
      "found, {} with their place, {} within 2 steps\n",
      jobs.size(), right, findings, all.faults, 100 * least, all.found, all.placed, all.soon));
  report.say_on(
      fmt::format("{} of {} steps without faults were called slow; {} findings name a healthy rank; {} "
                  "slowdowns are left "
                  "open\n",
                  slow, healthy, of_healthy, open));
  const auto isolated = std::ranges::count_if(jobs, &ScoredJob::isolated);
  report.say_on(fmt::format(
      "slowdowns of faults: in {} jobs from simulations without each fault, in {} from other steps of the "
      "job\n",
      isolated, static_cast<std::ptrdiff_t>(jobs.size()) - isolated));
  report.say_on(
      fmt::format("the vendor's thresholds alone: {} of {} findings are right, {} faults are found\n",
                  vendor_right, vendor, all.vendor));
  Table& by_kind = table_of(report, "kinds", "fault");
  for (const auto& [kind, tally] : kinds) by_kind.add(tally.cells(kind));
  by_kind.add(all.cells("all"), Audience::kPeople);
  add_numbers(jobs, least, report);
  add_calibration(jobs, report);
  Table& by_severity = table_of(report, "severities", "slowdown");
  for (std::size_t s = 0; s < severities.size(); ++s)
    if (severities[s].faults > 0) by_severity.add(severities[s].cells(kSeverities[s]));
  return report;
}

}  // namespace a3sim
