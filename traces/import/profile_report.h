#pragma once

#include <map>
#include <string>

#include "traces/import/profile.h"
#include "traces/report/report.h"

namespace a3sim {

// Reports a profile: time, operators and communication of `rank` (kNone: all), and what it lacks for more.
Report profile_report(const Profile& profile, std::uint32_t rank);

// Reports simulated and measured times by operator and by task, the largest differences first, and what
// only one of them has. `names` maps the profile's names to ours.
using NameMap = std::map<std::string, std::string, std::less<>>;
Report mismatch_report(const Profile& profile, const Profile& simulated, const NameMap& names);

// Reports two profiles beside each other: kernels by type, exchanges, and the time of a rank, what differs most first.
Report profiles_compared(const Profile& a, const Profile& b);

// Returns the L2 hit rate; empty if none is known.
Cell mean_hits(const Occurrences& occurrences);
// Adds the last sentences of both reports: what was left out, and why.
void say_notes(const Profile& profile, Report& report);

}  // namespace a3sim
