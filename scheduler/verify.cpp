#include "scheduler/verify.h"

#include <fmt/format.h>

#include "scheduler/verify_parts.h"

namespace a3sim {
namespace {

void check_permutations(const Schedule& schedule, Findings& findings) {
  const std::span<const OperatorInfo> operators = schedule.front().operators();
  const std::vector<bool> with_puts = operators_with_puts(schedule);
  for (std::uint32_t op = 0; op < operators.size(); ++op) {
    if (!with_puts[op]) continue;
    findings.notes.push_back(
        fmt::format("{}: at every position of the ring the destinations {} a permutation", operators[op].name,
                    destinations_form_permutations(schedule, OpId{op}) ? "form" : "do not form"));
  }
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
  check_types(schedule, findings);
  if (!findings.errors.empty()) return findings;
  check_regions(schedule, findings);
  check_thresholds(schedule, findings);
  if (!findings.errors.empty()) return findings;
  check_operands(schedule, findings);
  check_writes(schedule, findings);
  check_reads(schedule, findings);
  check_waits(schedule, findings);
  check_rows(schedule, findings);
  check_blocks(schedule, findings);
  const std::vector<std::string> blocked = find_deadlock(schedule);
  findings.errors.insert(findings.errors.end(), blocked.begin(), blocked.end());
  if (blocked.empty()) findings.notes.push_back("no deadlock for any durations");
  check_permutations(schedule, findings);
  return findings;
}

}  // namespace a3sim
