#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "sim/diagnosis/rules/advice.h"

namespace a3sim {

// Returns where a finding is, such as "ranks 1, 3, GMM1". `ranks`: the number of ranks of the job.
std::string place_text(const Finding& finding, std::uint32_t ranks);
// Returns the steps that a finding is of: "steps 12 to 23", "every step".
std::string steps_text(const Finding& finding);
// Returns what a finding explains of the slowdown, and how often findings like it are right, each behind a comma; may
// be empty.
std::string trust_text(const Finding& finding);
// Returns "what: value (limit threshold)".
std::string evidence_text(const Evidence& evidence);
// Returns the advice as text: each cause, its place, its evidence, what was ruled out, and what to do.
std::string advice_text(const Advice& advice);
// Returns the first finding in a sentence or two: cause, place, lost time, evidence and first remedy. `whole`
// names what time is lost of: "step" or "pass".
std::string first_finding(const Advice& advice, std::string_view whole);
// Returns {"findings": [...], "info": [...]}.
nlohmann::ordered_json advice_json(const Advice& advice);

}  // namespace a3sim
