#include "sim/cli/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "sim/cli/help.h"
#include "sim/core/terminal_text.h"

namespace a3sim {
namespace {

constexpr std::string_view kGap = "  ";  // between columns

std::vector<std::string_view> lines_of_text(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

bool has_columns(std::string_view line) {
  const std::size_t start = line.find_first_not_of(' ');
  return start != std::string_view::npos && line.find(kGap, start) != std::string_view::npos;
}

// A head is the first line of a block of columns, behind an empty line; what begins a result is its banner.
bool is_head(const std::vector<std::string_view>& lines, std::size_t at) {
  return at > 0 && lines[at - 1].empty() && at + 1 < lines.size() && has_columns(lines[at]) &&
         has_columns(lines[at + 1]) && !lines[at].starts_with(' ');
}

// "forward: Limited by HBM: ..." has its first part in bold.
std::string with_bold_verdict(std::string_view line) {
  const std::size_t what = line.find("Limited by ");
  const std::size_t end = what == std::string_view::npos ? what : line.find(": ", what);
  if (end == std::string_view::npos) return std::string(line);
  return shaded(line.substr(0, end), Shade::kBold) + std::string(line.substr(end));
}

}  // namespace

bool has_colour(std::FILE* stream) {
  const char* const none = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return isatty(fileno(stream)) == 1 && (none == nullptr || *none == '\0') && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

std::string shaded(std::string_view text, Shade shade) {
  constexpr std::string_view kCodes[] = {"1", "1;31", "33"};
  return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[static_cast<std::size_t>(shade)], text);
}

std::string page_text(std::string_view text) {
  std::string safe = terminal_text(text);
  const std::size_t width = terminal_columns();
  const bool colour = has_colour(stdout);
  if (width == 0 && !colour) return safe;
  const std::vector<std::string_view> lines = lines_of_text(safe);
  std::string page;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool sentence = width > 0 && !has_columns(lines[i]) && !lines[i].empty();
    std::string line = sentence ? wrapped(lines[i], width) : std::string(lines[i]) + '\n';
    if (colour && is_head(lines, i)) line = shaded(lines[i], Shade::kBold) + '\n';
    page += colour ? with_bold_verdict(line) : line;
  }
  return page;
}

std::string help_text(std::string_view text) {
  std::string help = wrapped(text, terminal_columns());
  if (!has_colour(stdout)) return help;
  std::string page;
  for (const std::string_view line : lines_of_text(help)) {
    const bool heading = !line.starts_with(' ') && line.ends_with(':');
    page += (heading ? shaded(line, Shade::kBold) : std::string(line)) + '\n';
  }
  return page;
}

}  // namespace a3sim
