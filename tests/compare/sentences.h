#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/verdict/verdict.h"

namespace a3sim {

// Returns the data of a page.
nlohmann::ordered_json page_json(const std::string& html);

// Checks that each number with a unit that a sentence says, of a page or of blocks, stands in a table or a finding of the same
// document, or is the ratio or the difference of two numbers of one row.
void check_sentences(const nlohmann::ordered_json& document);

// Checks that the sentence names the first candidate, and nobody says that nothing is to gain where a candidate gains over 1 %.
void check_verdict(const Verdict& verdict);

}  // namespace a3sim
