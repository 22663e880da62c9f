#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

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

}  // namespace a3sim
