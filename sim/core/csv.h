#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace a3sim {

// Returns the text as one cell of comma-separated values (RFC 4180): in quotes if it contains a comma, a
// quote or a line end.
std::string csv_cell(std::string_view text);

// Splits a line into its cells, at the commas outside of quotes, and removes their quotes. Overwrites
// `cells`.
void split_csv(std::string_view line, std::vector<std::string>& cells);

// True if a quote is still open at the end of the text, so that the record continues on the next line.
bool has_open_quote(std::string_view text);

}  // namespace a3sim
