#pragma once

#include <rapidcheck.h>

#include <string_view>
#include <vector>

#include "tests/invariants/observed_run.h"

namespace a3sim {

// A property of every run. A check registers itself; run_check_test.cpp runs each random configuration once
// for all.
class RunCheck {
 public:
  using Holds = void (*)(const CountedRun&);  // asserts with RC_ASSERT

  RunCheck(std::string_view name, Holds holds) : name(name), holds(holds) { all().push_back(this); }

  static std::vector<const RunCheck*>& all() {
    static std::vector<const RunCheck*> checks;
    return checks;
  }

  const std::string_view name;
  const Holds holds;
};

}  // namespace a3sim
