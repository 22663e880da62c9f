#pragma once

#include <string_view>

namespace a3sim {

// Return the committed build of traces/report/web (`dist/`).
std::string_view page_script();  // shows a page
std::string_view page_style();

}  // namespace a3sim
