#include "traces/blame_difference.h"

#include <algorithm>

namespace a3sim {
namespace {

void add(BlameDifference& difference, const Trace& trace, const CriticalPath& path, int sign) {
  for (std::size_t op = 0; op < path.blame.size(); ++op) {
    const std::string& name = trace.operators[op].name;
    const auto found = std::find(difference.operators.begin(), difference.operators.end(), name);
    const auto place = static_cast<std::size_t>(found - difference.operators.begin());
    if (found == difference.operators.end()) {
      difference.operators.push_back(name);
      difference.blame.emplace_back();
    }
    for (std::uint32_t b = 0; b < kBlames; ++b) difference.blame[place][b] += sign * path.blame[op][b];
  }
}

}  // namespace

BlameDifference blame_difference(const Trace& a, const CriticalPath& of_a, const Trace& b,
                                 const CriticalPath& of_b) {
  BlameDifference difference;
  add(difference, a, of_a, 1);
  add(difference, b, of_b, -1);
  return difference;
}

}  // namespace a3sim
