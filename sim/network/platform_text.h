#pragma once

#include <string>
#include <string_view>

namespace a3sim {

// Throws InputError, with file and line, for what a plain SimGrid platform does not have: options of a run, profiles over time,
// entities and other files; links without bandwidth, and more of them than a layout of cables may have.
void check_platform_text(std::string_view xml, const std::string& name);

// The line that an element of this id begins in; 0: none has it.
std::size_t line_of_id(std::string_view xml, std::string_view id);

}  // namespace a3sim
