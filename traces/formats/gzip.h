#pragma once

#include <string>
#include <string_view>

namespace a3sim {

// Returns the text as a .gz file without name and date. Equal texts give equal bytes.
std::string gzip(std::string_view text);

}  // namespace a3sim
