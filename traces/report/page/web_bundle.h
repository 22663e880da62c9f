#pragma once

#include <string_view>

namespace a3sim {

// What traces/report/web builds, as it was committed (`dist/`).
std::string_view page_script();  // what shows a page
std::string_view page_style();

}  // namespace a3sim
