#include "sim/study/calibration/hardware_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"
#include "sim/core/read_file.h"

namespace a3sim {
namespace {

std::size_t place_of(const std::string& text, const Mark& mark) {
  std::size_t line = 0;
  for (std::uint32_t i = 1; i < mark.line && line != std::string::npos; ++i) {
    line = text.find('\n', line);
    if (line != std::string::npos) ++line;
  }
  return line == std::string::npos ? text.size() : std::min(text.size(), line + mark.column - 1);
}

void check(const std::string& text, const std::filesystem::path& file, std::span<const NewValue> values) {
  Diagnostics diagnostics;
  const std::vector<SourcedValue> read =
      Config::parse(text, file.string(), {}, diagnostics).map("hardware").sourced();
  diagnostics.throw_if_any();
  for (const NewValue& value : values) {
    const auto found = std::find_if(read.begin(), read.end(), [&](const SourcedValue& known) {
      return known.path == value.stated.path && known.value == value.value;
    });
    if (found != read.end()) continue;
    throw InputError(
        fmt::format("{}: '{}' cannot be written there", value.stated.value_mark.text(), value.value));
  }
}

}  // namespace

std::string with_values(const std::filesystem::path& file, std::span<const NewValue> values) {
  std::string text = read_file(file);
  std::vector<NewValue> backwards(values.begin(), values.end());
  std::sort(backwards.begin(), backwards.end(), [&](const NewValue& a, const NewValue& b) {
    return place_of(text, a.stated.value_mark) > place_of(text, b.stated.value_mark);
  });
  for (const NewValue& value : backwards) {
    std::size_t place = place_of(text, value.stated.value_mark);
    if (place < text.size() && (text[place] == '"' || text[place] == '\'')) ++place;
    if (text.compare(place, value.stated.value.size(), value.stated.value) != 0) {
      throw InputError(fmt::format("{}: '{}' does not stand there as it is", value.stated.value_mark.text(),
                                   value.stated.value));
    }
    text.replace(place, value.stated.value.size(), value.value);
  }
  check(text, file, values);
  return text;
}

}  // namespace a3sim
