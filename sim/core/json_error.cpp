#include "sim/core/json_error.h"

#include <fmt/format.h>

#include <regex>

namespace a3sim {

InputError json_error(const std::string& file, const nlohmann::detail::exception& error) {
  // [json.exception.parse_error.101] parse error at line 1, column 2: syntax error while parsing ...
  static const std::regex kParts(
      R"(^(?:\[json\.exception\.[^\]]*\] )?(?:parse error at line (\d+), column (\d+): |parse error: )?([\s\S]*)$)");
  std::cmatch parts;
  if (!std::regex_match(error.what(), parts, kParts))
    return InputError(file + ": is no JSON that can be read");
  const std::string what = parts[3];
  if (!parts[1].matched) return InputError(fmt::format("{}: {}", file, what));
  return InputError(fmt::format("{}:{}:{}: {}", file, parts[1].str(), parts[2].str(), what));
}

}  // namespace a3sim
