#pragma once

#include <string>
#include <string_view>

namespace a3sim {

// The text as a .gz file holds it, without name and date: the same text gives the same bytes.
std::string gzip(std::string_view text);

}  // namespace a3sim
