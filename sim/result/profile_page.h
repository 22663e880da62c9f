#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/result/saved_run.h"
#include "traces/import/profile.h"
#include "traces/observation.h"
#include "traces/report/page/page.h"

namespace a3sim {

// A profile, from hardware or stored by 'a3sim import', with its steps if known.
struct NamedProfile {
  std::string name;
  Profile profile;
  std::unique_ptr<Observation> steps;
};

// Says what a profile holds.
std::string held_by(const Profile& profile);
// Adds how far simulated steps lie from measured ones.
void add_measured_answer(Page& page, const std::vector<NamedProfile>& profiles,
                         const std::vector<SavedRun>& runs);
// Adds what profiles show, and where the runs differ from them.
void add_profiles(Page& page, const std::vector<NamedProfile>& profiles, const std::vector<SavedRun>& runs);

}  // namespace a3sim
