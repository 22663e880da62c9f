#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "sim/diagnosis/rules/advice.h"

namespace a3sim {

// Returns where a finding is, such as "ranks 1, 3, GMM1". `ranks`: the number of ranks of the job.
std::string place_text(const Finding& finding, std::uint32_t ranks);
// Returns the steps of a finding, such as "steps 12 to 23" or "every step".
std::string steps_text(const Finding& finding);
// Returns which part of the slowdown a finding explains, and how often findings like it are right, each after
// a comma; may be empty.
std::string trust_text(const Finding& finding);
// Returns what part of a step a finding costs: "12.3 %", or "2.5 times a usual step".
std::string share_text(const Finding& finding);
// Returns "what: value (limit threshold)".
std::string evidence_text(const Evidence& evidence);
// Returns the advice as text: each cause, its place, its evidence, what was ruled out, and what to do.
std::string advice_text(const Advice& advice);
// Returns what a cause is, in words: "communication without computing beside it". Empty for an open cause.
std::string cause_in_words(std::string_view cause);

// Returns the first finding in one or two sentences: cause, place, lost time, evidence and first remedy.
// `whole` is what loses the time: "step" or "pass".
std::string first_finding(const Advice& advice, std::string_view whole);
// Returns {"findings": [...], "info": [...]}.
nlohmann::ordered_json advice_json(const Advice& advice);

}  // namespace a3sim
