#include "sim/core/message_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "sim/core/terminal_text.h"

namespace a3sim {
namespace {

constexpr std::size_t kLongestLine = 2000, kHead = 300, kTail = 300;

// Characters that are cut in two are shown as their bytes.
std::string shortened_line(std::string_view line) {
  if (line.size() <= kLongestLine) return std::string(line);
  return fmt::format("{} … ({} bytes left out) … {}", line.substr(0, kHead), line.size() - kHead - kTail,
                     line.substr(line.size() - kTail));
}

}  // namespace

std::string message_text(std::string_view message) {
  std::string shown;
  for (std::size_t begin = 0; begin <= message.size();) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    if (begin > 0) shown += '\n';
    shown += shortened_line(message.substr(begin, end - begin));
    begin = end + 1;
  }
  return terminal_text(shown);
}

}  // namespace a3sim
