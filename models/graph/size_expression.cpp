#include "models/graph/size_expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <muParser.h>

#include <cmath>
#include <limits>
#include <span>

#include "sim/core/closest.h"

namespace a3sim {
namespace {

constexpr double kLargestSize = std::numeric_limits<std::int32_t>::max();

double rounded_up(double value) { return std::ceil(value); }
double rounded_down(double value) { return std::floor(value); }

// Returns why a value is not a size, such as "it is 3.25, where m is 13 and ranks is 4, expected ...".
std::string why_no_size(double value, std::span<const std::string> names, const SizeSymbols& symbols) {
  std::vector<std::string> values;
  for (const std::string& name : names)
    values.push_back(fmt::format("{} is {}", name, symbols.find(name)->second));
  const std::string where = values.empty() ? "" : fmt::format(", where {}", fmt::join(values, " and "));
  if (!std::isfinite(value)) return "it divides by 0 or has no finite value" + where;
  if (value != std::floor(value))
    return fmt::format("it is {:.10g}{}, expected a whole number", value, where);
  if (value >= 1 && value <= kLargestSize) return {};
  return fmt::format("it is {:.10g}{}, expected 1 to {:.0f}", value, where, kLargestSize);
}

}  // namespace

SizeValue evaluate_size(const std::string& text, const SizeSymbols& symbols) {
  if (text.find('=') != std::string::npos) return {1, {}, "it has a '='"};
  std::map<std::string, double> values(symbols.begin(), symbols.end());
  mu::Parser parser;
  parser.DefineFun("ceil", rounded_up);
  parser.DefineFun("floor", rounded_down);
  SizeValue size;
  try {
    parser.SetExpr(text);
    for (const auto& [name, unset] : parser.GetUsedVar()) {
      if (symbols.contains(name)) {
        size.names.push_back(name);
        continue;
      }
      std::vector<std::string> known;
      for (const auto& symbol : symbols) known.push_back(symbol.first);
      return {1, {}, fmt::format("there is no size '{}'{}", name, suggestion(name, known))};
    }
    for (const std::string& name : size.names) parser.DefineVar(name, &values.at(name));
    int count = 0;
    const double value = parser.Eval(count)[0];
    if (count > 1) return {1, {}, "it is several numbers"};
    size.wrong = why_no_size(value, size.names, symbols);
    if (size.wrong.empty()) size.value = static_cast<std::uint32_t>(value);
    return size;
  } catch (const mu::ParserError& error) {
    return {1, {}, error.GetMsg()};
  }
}

}  // namespace a3sim
