#include "scheduler/verify/verify.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "scheduler/verify/parts.h"

namespace a3sim {
namespace {

using Checks = std::vector<std::unique_ptr<Check>>;

template <class... Makers>
Checks make(const CheckedGroup& group, Makers... makers) {
  Checks checks;
  (checks.push_back(makers(group)), ...);
  return checks;
}

void visit(const Checks& checks, std::uint32_t rank) {
  for (const std::unique_ptr<Check>& check : checks) check->visit(rank);
}

bool any_errors(const Checks& checks) {
  return std::ranges::any_of(checks, [](const auto& check) { return !check->findings().errors.empty(); });
}

void add(const Findings& more, Findings& to) {
  to.errors.insert(to.errors.end(), more.errors.begin(), more.errors.end());
  to.notes.insert(to.notes.end(), more.notes.begin(), more.notes.end());
}

void finish(const Checks& checks, Findings& findings) {
  for (const std::unique_ptr<Check>& check : checks) {
    check->finish();
    add(check->findings(), findings);
  }
}

void run(const Checks& checks, const CheckedGroup& group, Findings& findings) {
  for (std::uint32_t r = 0; r < group.taskflow.ranks.size(); ++r) visit(checks, r);
  finish(checks, findings);
}

// Checks types and tables, and tasks as long as these are right. Returns whether they are.
bool check_tasks(const CheckedGroup& group, Findings& findings) {
  const Checks types = make(group, types_check);
  const Checks tables = make(group, regions_check, thresholds_check);
  Checks tasks;
  if (!any_errors(types)) tasks = make(group, operands_check, writes_check, reads_check);
  for (std::uint32_t r = 0; r < group.taskflow.ranks.size(); ++r) {
    visit(types, r);
    visit(tables, r);
    if (any_errors(types) || any_errors(tables)) tasks.clear();  // their look-ups could be out of range
    visit(tasks, r);
  }
  finish(types, findings);
  if (!findings.errors.empty()) return false;
  finish(tables, findings);
  if (!findings.errors.empty()) return false;
  finish(tasks, findings);
  return true;
}

}  // namespace

Findings verify(const Schedule& schedule) {
  Findings findings;
  if (schedule.empty()) {
    findings.errors.push_back("there is no schedule");
    return findings;
  }
  check_group(schedule, findings);
  if (!findings.errors.empty()) return findings;  // the checks below look up tasks and tensors on other ranks
  const CheckedGroup group(schedule);
  if (!check_tasks(group, findings)) return findings;
  run(make(group, waits_check, rows_check, blocks_check), group, findings);
  const std::vector<std::string> blocked = find_deadlock(schedule);
  findings.errors.insert(findings.errors.end(), blocked.begin(), blocked.end());
  if (blocked.empty()) findings.notes.push_back("no deadlock for any durations");
  run(make(group, ring_check), group, findings);
  return findings;
}

}  // namespace a3sim
