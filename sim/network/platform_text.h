#pragma once

#include <string>
#include <string_view>

namespace a3sim {

// Throws InputError, with file and line, if the platform is not plain: it has options of a run, profiles over
// time, other entities or files, links without bandwidth, or more links than a layout may have cables.
void check_platform_text(std::string_view xml, const std::string& name);

// Returns the line in which an element with this id begins; 0 if there is none.
std::size_t line_of_id(std::string_view xml, std::string_view id);

}  // namespace a3sim
