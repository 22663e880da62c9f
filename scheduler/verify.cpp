#include "scheduler/verify.h"

#include <memory>
#include <vector>

#include "scheduler/verify_parts.h"

namespace a3sim {
namespace {

using Checks = std::vector<std::unique_ptr<Check>>;

void add(const Findings& more, Findings& to) {
  to.errors.insert(to.errors.end(), more.errors.begin(), more.errors.end());
  to.notes.insert(to.notes.end(), more.notes.begin(), more.notes.end());
}

Checks run(Checks checks, std::size_t ranks) {
  for (std::uint32_t r = 0; r < ranks; ++r) {
    for (const std::unique_ptr<Check>& check : checks) check->look_at(r);
  }
  for (const std::unique_ptr<Check>& check : checks) check->finish();
  return checks;
}

template <class... Makers>
Checks run(const Group& group, Makers... makers) {
  Checks checks;
  (checks.push_back(makers(group)), ...);
  return run(std::move(checks), group.taskflow.ranks.size());
}

void add(const Checks& checks, Findings& to) {
  for (const std::unique_ptr<Check>& check : checks) add(check->findings(), to);
}

}  // namespace

Findings verify(const Schedule& schedule) {
  Findings findings;
  if (schedule.empty()) {
    findings.errors.push_back("there is no schedule");
    return findings;
  }
  check_group(schedule, findings);
  if (!findings.errors.empty()) return findings;  // what follows looks tasks and tensors up on other ranks
  const Group group(schedule);
  {
    const Checks tables = run(group, types_check, regions_check, thresholds_check);
    add(tables.front()->findings(), findings);
    if (!findings.errors.empty()) return findings;
    for (std::size_t i = 1; i < tables.size(); ++i) add(tables[i]->findings(), findings);
    if (!findings.errors.empty()) return findings;
  }
  // What these two keep of all ranks need not be there at a time.
  add(run(group, operands_check, writes_check, reads_check), findings);
  add(run(group, waits_check, rows_check, blocks_check), findings);
  const std::vector<std::string> blocked = find_deadlock(schedule);
  findings.errors.insert(findings.errors.end(), blocked.begin(), blocked.end());
  if (blocked.empty()) findings.notes.push_back("no deadlock for any durations");
  add(run(group, ring_check), findings);
  return findings;
}

}  // namespace a3sim
