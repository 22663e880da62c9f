#include <duktape.h>
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "traces/report/figure.h"
#include "traces/report/page/web_bundle.h"

// Duktape, a small engine that Debian has, runs the one script that draws figures: pages and files cannot differ, and no
// other program has to be installed.
namespace a3sim {

std::string svg_of(const Figure& figure) {
  const std::unique_ptr<duk_context, decltype(&duk_destroy_heap)> context(duk_create_heap_default(),
                                                                          duk_destroy_heap);
  if (!context) throw std::bad_alloc();
  duk_context* const js = context.get();
  const std::string_view script = svg_script();
  const std::string json =
      figure_json(figure).dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  const auto check = [js](duk_int_t error) {
    if (error != 0) throw std::logic_error(fmt::format("drawing a figure: {}", duk_safe_to_string(js, -1)));
  };
  // As a program, not as eval's code, whose names in strict mode are its own.
  check(duk_pcompile_lstring(js, 0, script.data(), script.size()));
  check(duk_pcall(js, 0));
  duk_pop(js);
  check(duk_peval_string(js, "a3sim.figure_to_svg"));
  duk_push_lstring(js, json.data(), json.size());
  check(duk_pcall(js, 1));
  return std::string(duk_get_string(js, -1)) + '\n';
}

}  // namespace a3sim
