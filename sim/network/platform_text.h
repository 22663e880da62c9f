#pragma once

#include <string>
#include <string_view>

namespace a3sim {

// Throws InputError, with file and line, if the platform is not plain: it has options of a run, profiles over
// time, other entities or files, links without bandwidth, or more links than a layout may have cables.
void check_platform_text(std::string_view xml, const std::string& name);

// Returns the line in which an element with this id begins; 0 if there is none.
std::size_t line_of_id(std::string_view xml, std::string_view id);

// Returns the line of a platform's only zone or cluster; 0 if there are several.
std::size_t line_of_only_zone(std::string_view xml);

// Returns the line of the last element that has a name in an attribute, as its own or another's; 0 if there is none.
std::size_t line_of_value(std::string_view xml, std::string_view value);

}  // namespace a3sim
