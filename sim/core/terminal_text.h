#pragma once

#include <string>
#include <string_view>

namespace a3sim {

// Returns text that is safe for a terminal: control characters, except ends of lines and tabs, and bytes that
// are not UTF-8 become \xHH, so that a name cannot move the cursor.
std::string terminal_text(std::string_view text);

// Returns the number of bytes of the first character of a non-empty text, or 0 if it must not be shown.
std::size_t shown_bytes(std::string_view text);

}  // namespace a3sim
