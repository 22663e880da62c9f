#include "models/traffic/log_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.h"

namespace a3sim {
namespace {

constexpr std::size_t kLongestLogLine = std::size_t{1} << 26;  // counts of all layers may stand in one

}  // namespace

LogLines::LogLines(const std::filesystem::path& file) : source_(file, kAnyRatio) {}

void LogLines::fail(const std::string& what) const {
  throw InputError(fmt::format("{}:{}: {}", source_.name(), std::max<std::size_t>(number_, 1), what));
}

bool LogLines::next(std::string_view& line) {
  kept_.clear();
  for (;;) {
    if (rest_.empty()) rest_ = source_.piece();
    if (rest_.empty()) {
      if (kept_.empty()) return false;
      ended_ = false;
      break;
    }
    const std::size_t end = rest_.find('\n');
    const std::string_view part = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (end != std::string_view::npos && kept_.empty()) {
      ++number_;
      line = part;
      return true;
    }
    kept_ += part;
    if (kept_.size() > kLongestLogLine)
      fail(fmt::format("a line of more than {} MiB: is this a log?", kLongestLogLine >> 20U));
    if (end != std::string_view::npos) break;
  }
  ++number_;
  line = kept_;
  return true;
}

}  // namespace a3sim
