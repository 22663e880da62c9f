#pragma once

#include <boost/icl/interval_set.hpp>
#include <cstdint>

#include "sim/core/units.h"

namespace a3sim {

// Stretches of time, in picoseconds. Those that meet or overlap are merged.
using Times = boost::icl::interval_set<std::int64_t>;

inline void add_stretch(Times& times, Duration from, Duration to) {
  times += Times::interval_type::right_open(from.count(), to.count());
}

inline Duration length_of(const Times& times) { return Duration(boost::icl::length(times)); }

}  // namespace a3sim
