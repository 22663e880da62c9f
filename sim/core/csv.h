#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace a3sim {

// The text as one cell of a table of comma-separated values (RFC 4180): in quotes if it holds a comma, a quote or an
// end of a line.
std::string csv_cell(std::string_view text);

// Splits a line at the commas outside of quotes into its cells, without their quotes. Replaces what `cells` holds.
void split_csv(std::string_view line, std::vector<std::string>& cells);

// Whether a quote is still open after the text, so that its line goes on behind the next end of a line.
bool has_open_quote(std::string_view text);

}  // namespace a3sim
