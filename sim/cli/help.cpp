#include "sim/cli/help.h"

#include <algorithm>
#include <utility>

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

}  // namespace

std::string help_of(std::string_view command, const std::string& list) {
  constexpr std::string_view kList = "{list}\n";
  std::string text = embedded_text(file_name(command));
  if (const std::size_t at = text.find(kList); at != std::string::npos) text.replace(at, kList.size(), list);
  return text;
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
