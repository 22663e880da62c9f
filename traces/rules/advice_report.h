#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "traces/rules/advice.h"

namespace a3sim {

// For people: the cause first, then where, what speaks for it, what was ruled out, and what to do.
std::string advice_text(const Advice& advice);
// For programs: {"findings": [...], "info": [...]}.
nlohmann::ordered_json advice_json(const Advice& advice);

}  // namespace a3sim
