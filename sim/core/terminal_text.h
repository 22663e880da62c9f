#pragma once

#include <string>
#include <string_view>

namespace a3sim {

// A text as a terminal may have it: control characters but for ends of lines and tabs, and what is no UTF-8,
// as \xHH. A name must not move the cursor.
std::string terminal_text(std::string_view text);

// The bytes of the character that the text begins with, which is not empty; 0 where it must not be shown.
std::size_t shown_bytes(std::string_view text);

}  // namespace a3sim
