#include "sim/cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/core/closest.h"

namespace a3sim {
namespace {

std::string empty_value(const std::string& text) {
  return text.empty() ? "an empty value, expected one" : "";
}

std::string wrong_number(const std::string& text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stopped == end) return "";
  return fmt::format("'{}', expected a whole number from 0{}", text,
                     error == std::errc::result_out_of_range ? " that fits into 64 bits" : "");
}

std::vector<CLI::App*> commands_of(CLI::App& app) {
  return app.get_subcommands([](CLI::App*) { return true; });
}

void add_options(CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (CLI::App* command : commands_of(app)) add_options(*command, names);
}

CLI::App* command_named(CLI::App& app, std::string_view name) {
  const std::vector<CLI::App*> all = commands_of(app);
  const auto found =
      std::ranges::find(all, name, [](const CLI::App* command) { return command->get_name(); });
  return found == all.end() ? nullptr : *found;
}

std::string unknown_command(CLI::App& app, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return fmt::format("unknown command '{}'{}", word, suggestion(word, names));
}

}  // namespace

void check_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_min() == 0) continue;  // flags, and what may stand without a value
    option->check(empty_value);
    if (option->get_type_name().starts_with("UINT")) option->check(wrong_number);
  }
  for (CLI::App* command : commands_of(app)) check_values(*command);
}

std::string unknown_words(CLI::App& app, std::span<const char* const> words) {
  CLI::App* command = nullptr;
  std::vector<std::string> options;
  for (const std::string_view word : words) {
    if (word == "--") return "";
    if (!command && !word.starts_with('-')) {
      command = command_named(app, word);
      if (!command) return unknown_command(app, word);
      add_options(*command, options);
      for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
      }
    } else if (command && word.starts_with("--")) {
      const std::string_view name = word.substr(0, word.find('='));
      if (std::ranges::find(options, name) != options.end()) continue;
      const std::string_view near = closest(name, options);
      return fmt::format("unknown option '{}' of '{}'; {}", name, command->get_name(),
                         near.empty() ? "--help lists them" : fmt::format("did you mean '{}'?", near));
    }
  }
  return "";
}

}  // namespace a3sim
