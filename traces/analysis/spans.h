#pragma once

#include <utility>
#include <vector>

#include "sim/core/units.h"

namespace a3sim {

// Stretches of time.
class Spans {
 public:
  void add(Duration from, Duration to) {
    if (from < to) spans_.emplace_back(from, to);
  }
  // In order of time and apart from each other, as the others need it.
  void unite();
  Duration length() const;
  // Time that both cover.
  Duration common(const Spans& other) const;

 private:
  std::vector<std::pair<Duration, Duration>> spans_;
};

}  // namespace a3sim
