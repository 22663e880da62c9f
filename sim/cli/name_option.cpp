#include "sim/cli/name_option.h"

#include <fmt/format.h>

#include "sim/core/error.h"

namespace a3sim {

void add_names(CLI::App& app, std::vector<std::string>& names) {
  app.add_option("--name", names, "with a profile: a kernel's name in it, and the operator's; repeatable")
      ->type_name("THEIRS=OURS")
      ->expected(1)
      ->take_all();
}

std::map<std::string, std::string, std::less<>> name_map(const std::vector<std::string>& names) {
  std::map<std::string, std::string, std::less<>> map;
  for (const std::string& text : names) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw InputError(fmt::format("--name: '{}', expected THEIRS=OURS", text));
    map[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return map;
}

}  // namespace a3sim
