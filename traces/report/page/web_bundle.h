#pragma once

#include <string_view>

namespace a3sim {

// What traces/report/web builds, as it was committed (`dist/`).
std::string_view page_script();  // what shows a page
std::string_view page_style();
std::string_view svg_script();  // a3sim.figure_to_svg(json), in ES5

}  // namespace a3sim
