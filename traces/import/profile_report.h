#pragma once

#include <map>
#include <string>

#include "traces/import/profile.h"
#include "traces/report/report.h"

namespace a3sim {

// What a profile says: each rank's time, operators, communication; what it lacks for more is named. `rank` (all:
// kNone) chooses whose.
Report profile_report(const Profile& profile, std::uint32_t rank);

// Simulated beside measured, by operator and by task, what is off by most time first; what only one of them has
// is listed. `names` maps the profile's to ours.
using NameMap = std::map<std::string, std::string, std::less<>>;
Report mismatch_report(const Profile& profile, const Profile& simulated, const NameMap& names);

// The hit rate in the L2; nothing where none is known.
Cell mean_hits(const Occurrences& occurrences);
// The last sentences of both: what was left out, and why.
void say_notes(const Profile& profile, Report& report);

}  // namespace a3sim
