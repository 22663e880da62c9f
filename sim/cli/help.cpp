#include "sim/cli/help.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace a3sim {
namespace {

constexpr std::pair<std::string_view, std::string_view> kTexts[] = {
#include "sim/cli/texts.inc"
};

// Returns the name of a command's help file: explain_whatif.txt for "explain --whatif".
std::string file_name(std::string_view command) {
  std::string name;
  for (const char c : command) {
    const bool in_word = c != ' ' && c != '-';
    if (in_word || (!name.empty() && name.back() != '_')) name += in_word ? c : '_';
  }
  return name;
}

std::string embedded_text(std::string_view name) {
  const auto found = std::ranges::find(kTexts, name, &std::pair<std::string_view, std::string_view>::first);
  return std::string(found == std::end(kTexts) ? std::string_view() : found->second);
}

// Returns where the parts of a broken line begin: below its description, if it has a column of its own, else one step
// further in than the line.
std::size_t hanging_indent(std::string_view line, std::size_t columns) {
  const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", start);
  if (gap != std::string_view::npos) {
    const std::size_t column = line.find_first_not_of(' ', gap);
    if (column != std::string_view::npos && column < columns / 2) return column;
  }
  return std::min(start + 2, columns / 2);
}

std::vector<const CLI::App*> groups_of_options(const CLI::App* app) {
  return app->get_subcommands([](const CLI::App* below) { return below->get_name().empty(); });
}

// "N in 1..1024" for "UINT:INT in [1 - 1024]"; nothing for the text that most arguments are.
std::string plain_type(const std::string& type, bool argument) {
  if (argument && type == "TEXT") return "";
  if (type.starts_with("TEXT:")) return type.substr(5);
  if (!type.starts_with("UINT") && !type.starts_with("INT")) return type;
  const std::size_t low = type.find('['), dash = type.find(" - "), high = type.find(']');
  if (low == std::string::npos || dash == std::string::npos || high == std::string::npos) return "N";
  return fmt::format("N in {}..{}", type.substr(low + 1, dash - low - 1),
                     type.substr(dash + 3, high - dash - 3));
}

// "CONFIG | --hf FILE"
std::string alternatives(const CLI::App* group) {
  std::string text;
  for (const CLI::Option* option : group->get_options()) {
    if (option == group->get_help_ptr()) continue;
    const std::string name = option->get_positional() ? option->get_name(true)
                                                      : fmt::format("--{} {}", option->get_lnames().front(),
                                                                    option->get_type_name());
    text += (text.empty() ? "" : " | ") + name;
  }
  return text;
}

}  // namespace

std::size_t terminal_columns() {
  winsize size{};
  if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  constexpr std::size_t kLeast = 40;
  return size.ws_col == 0 ? 0 : std::max<std::size_t>(kLeast, size.ws_col);
}

std::string wrapped(std::string_view text, std::size_t columns) {
  if (columns == 0) return std::string(text);
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t indent = hanging_indent(line, columns);
    while (line.size() > columns) {
      const std::size_t at = line.rfind(' ', columns);
      if (at == std::string::npos || at <= indent) break;
      result += line.substr(0, line.find_last_not_of(' ', at) + 1) + '\n';
      line = std::string(indent, ' ') + line.substr(at + 1);
    }
    result += line + '\n';
  }
  return result;
}

std::string help_of(std::string_view command, const std::string& list) {
  constexpr std::string_view kList = "{list}\n";
  std::string text = embedded_text(file_name(command));
  if (const std::size_t at = text.find(kList); at != std::string::npos) text.replace(at, kList.size(), list);
  return text;
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
  std::string usage = CLI::Formatter::make_usage(app, std::move(name));
  while (usage.ends_with('\n')) usage.pop_back();
  for (const CLI::App* group : groups_of_options(app)) usage += " " + alternatives(group);
  return usage + '\n';
}

std::string HelpFormatter::make_expanded(const CLI::App* app) const {
  if (!app->get_name().empty()) return CLI::Formatter::make_expanded(app);
  std::string options;
  for (const CLI::Option* option : app->get_options())
    options += make_option(option, option->get_positional());
  return fmt::format("\n{}:\n{}", app->get_description(), options);
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  std::string text = CLI::Formatter::make_option_opts(option);
  const std::string type = option->get_type_name();
  const std::size_t at = type.empty() ? std::string::npos : text.find(type);
  if (at != std::string::npos) text.replace(at, type.size(), plain_type(type, option->get_positional()));
  return text == " " ? "" : text;
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  if (mode == CLI::AppFormatMode::Sub) return make_expanded(app);
  const std::string footer = app->get_footer();
  const std::size_t end = std::min(footer.find("\n\n"), footer.size());
  std::string notes = footer.substr(std::min(end + 2, footer.size()));
  while (notes.ends_with('\n')) notes.pop_back();
  std::string examples = footer.substr(0, end);
  while (examples.ends_with('\n')) examples.pop_back();
  std::string options = make_positionals(app) + make_groups(app, mode) + make_subcommands(app, mode);
  for (std::size_t at = 0; (at = options.find("\n\n\n")) != std::string::npos;) options.erase(at, 1);
  while (options.ends_with('\n')) options.pop_back();
  return fmt::format("{}\n\n{}{}{}{}\n{}{}", app->get_description(), examples, examples.empty() ? "" : "\n\n",
                     make_usage(app, std::move(name)), options, notes.empty() ? "" : "\n",
                     notes.empty() ? notes : notes + '\n');
}

}  // namespace a3sim
