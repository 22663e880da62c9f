#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "traces/report/page/page.h"
#include "traces/trace.h"

namespace a3sim {

struct NamedRun {
  std::string name;
  std::span<const TracedPass> passes;
};

// A colour for each operator of a pass: the same in all runs of a page, wherever it is drawn.
class OperatorColors {
 public:
  explicit OperatorColors(std::span<const NamedRun> runs);
  std::uint32_t of(const std::string& pass, const std::string& op) const;

 private:
  std::map<std::string, std::vector<std::string>> names_;  // by pass, in the order of their colours
};

// The timelines of runs, one below the other, with their critical paths, what happened over time, and what
// went between ranks. Throws InputError where a trace's tasks do not fit each other.
void add_runs(Page& page, std::span<const NamedRun> runs, const OperatorColors& colors);

}  // namespace a3sim
