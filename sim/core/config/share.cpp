#include "sim/core/config/share.h"

#include <fmt/format.h>

#include <string>

#include "sim/core/config/quantity.h"

namespace a3sim {

double read_share(const Config& config, std::string_view key, double most, double fallback) {
  if (!config.has(key)) return fallback;
  const std::string text = config.text(key);
  std::string number = text;
  if (number.ends_with('%')) number.pop_back();
  while (number.ends_with(' ')) number.pop_back();
  const Parsed<double> percent = parse_number(number, 0, 100 * most);
  if (text.ends_with('%') && percent.error.empty()) return percent.value / 100;
  config.error(key,
               fmt::format("'{}': expected a percentage from 0 % to {:g} %, like 2 %", text, 100 * most));
  return 0;
}

}  // namespace a3sim
