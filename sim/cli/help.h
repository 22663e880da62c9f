#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace a3sim {

// Returns the examples and notes of a command, from help/: for "explain --whatif" those in
// help/explain_whatif.txt. `list` replaces the line {list}.
std::string help_of(std::string_view command, const std::string& list = "");

// Returns the width of the terminal that stdout is, or 0 if it is none.
std::size_t terminal_columns();

// Breaks lines that are longer than `columns` between words, with the parts below one another; 0: leaves them.
std::string wrapped(std::string_view text, std::size_t columns);

// Prints a command's help: what it does, its examples, usage, options, notes. The examples are the first paragraph of
// the footer; the notes are the rest of it.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  // Names the arguments of option groups too: "CONFIG | --hf FILE | --script FILE".
  std::string make_usage(const CLI::App* app, std::string name) const override;
  // Lists a group's arguments and options below its description.
  std::string make_expanded(const CLI::App* app) const override;
  // Shows a whole number as "N", with its range: "N in 1..1024".
  std::string make_option_opts(const CLI::Option* option) const override;
};

// Returns one line for each registered name: the name, padded to `columns`, and its description.
template <class Registry>
std::string lines_of(int columns) {
  std::string lines;
  for (const auto& [name, item] : Registry::all())
    lines += fmt::format("  {:<{}} {}\n", name, columns, item.description);
  return lines;
}

}  // namespace a3sim
