#include "sim/cli/help.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace a3sim {
namespace {

constexpr std::pair<std::string_view, std::string_view> kTexts[] = {
#include "sim/cli/texts.inc"
};

std::string embedded_text(const std::string& name) {
  const auto found = std::ranges::find(kTexts, name, &std::pair<std::string_view, std::string_view>::first);
  return std::string(found == std::end(kTexts) ? std::string_view() : found->second);
}

}  // namespace

std::string help_of(const std::string& command, const std::string& list) {
  constexpr std::string_view kList = "{list}\n";
  std::string text = embedded_text(command);
  if (const std::size_t at = text.find(kList); at != std::string::npos) text.replace(at, kList.size(), list);
  return text;
}

}  // namespace a3sim
