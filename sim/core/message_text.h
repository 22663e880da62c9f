#pragma once

#include <string>
#include <string_view>

namespace a3sim {

// Returns an error as it is printed: safe for a terminal (terminal_text()), and without the middle of lines that repeat
// thousands of characters of a file.
std::string message_text(std::string_view message);

}  // namespace a3sim
