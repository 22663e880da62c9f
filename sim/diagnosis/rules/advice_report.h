#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "sim/diagnosis/rules/advice.h"

namespace a3sim {

// "ranks 1, 3, GMM1": where a cause is, of so many ranks.
std::string place_text(const Finding& finding, std::uint32_t ranks);
// "what: value (limit threshold)".
std::string evidence_text(const Evidence& evidence);
// For people: the cause first, then where, what speaks for it, what was ruled out, and what to do.
std::string advice_text(const Advice& advice);
// The first finding in a sentence or two: cause, place, time lost, evidence and first remedy. `of`: what it is a part
// of, "step" or "pass".
std::string first_finding(const Advice& advice, std::string_view of);
// For programs: {"findings": [...], "info": [...]}.
nlohmann::ordered_json advice_json(const Advice& advice);

}  // namespace a3sim
