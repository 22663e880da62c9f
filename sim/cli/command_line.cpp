#include "sim/cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

#include "sim/cli/command.h"
#include "sim/core/closest.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

constexpr std::array<std::pair<CommandGroup, std::string_view>, 6> kGroups{{
    {CommandGroup::kSimulate, "Simulate"},
    {CommandGroup::kUnderstand, "Understand"},
    {CommandGroup::kPrototype, "Prototype"},
    {CommandGroup::kReproduce, "Reproduce what was published"},
    {CommandGroup::kDiagnose, "Diagnose"},
    {CommandGroup::kExchange, "Exchange files with other tools"},
}};

std::string refuse_empty_value(const std::string& text) {
  return text.empty() ? "an empty value, expected one" : "";
}

std::string refuse_wrong_number(const std::string& text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stopped == end) return "";
  return fmt::format("'{}', expected a whole number from 0{}", text,
                     error == std::errc::result_out_of_range ? " that fits into 64 bits" : "");
}

std::vector<CLI::App*> commands_below(CLI::App& app) {
  return app.get_subcommands([](CLI::App*) { return true; });
}

// Refuses empty values, and numbers that are negative, above 64 bits, or not written in full.
void check_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_min() == 0) continue;  // a flag, or an option whose value may be missing
    option->check(refuse_empty_value);
    if (option->get_type_name().starts_with("UINT")) option->check(refuse_wrong_number);
  }
  for (CLI::App* command : commands_below(app)) check_values(*command);
}

CLI::App* command_named(const CLI::App& app, std::string_view name) {
  for (CLI::App* command : commands_below(const_cast<CLI::App&>(app)))
    if (command->get_name() == name) return command;
  return nullptr;
}

void add_option_names(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const CLI::App* group :
       app.get_subcommands([](const CLI::App* below) { return below->get_name().empty(); }))
    add_option_names(*group, names);
}

std::string unknown_name(const CLI::App& above, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::App* command :
       above.get_subcommands([](const CLI::App* below) { return !below->get_name().empty(); }))
    names.push_back(command->get_name());
  return fmt::format("unknown command '{}'{}", name, suggestion(name, names));
}

// Returns whether the words contain the option, and its value if the selector has one: "--whatif", "--to
// html".
bool selects(std::string_view selector, std::span<const std::string> words) {
  const std::size_t space = selector.find(' ');
  const std::string_view option = selector.substr(0, space);
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string_view word = words[i];
    if (!word.starts_with(option)) continue;
    const std::string_view behind = word.substr(option.size());
    if (space == std::string_view::npos) {
      if (behind.empty() || behind.starts_with('=')) return true;
      continue;
    }
    const std::string_view value = selector.substr(space + 1);
    if (behind.starts_with('=') && behind.substr(1) == value) return true;
    if (behind.empty() && i + 1 < words.size() && words[i + 1] == value) return true;
  }
  return false;
}

// Returns whether the words name no value of the selector's option, but an output that ends in the selector's: "-o ep8.html"
// selects "--to html".
bool ending_selects(std::string_view selector, std::span<const std::string> words) {
  const std::size_t space = selector.find(' ');
  if (space == std::string_view::npos) return false;
  const std::string option(selector.substr(0, space)),
      ending = fmt::format(".{}", selector.substr(space + 1));
  bool found = false;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] == option || words[i].starts_with(option + "=")) return false;
    const bool before = i > 0 && (words[i - 1] == "-o" || words[i - 1] == "--output");
    found = found || ((before || words[i].starts_with("--output=")) && words[i].ends_with(ending));
  }
  return found;
}

// Returns the modes of a command: the rest of their registered names, which begins with an option.
std::vector<std::string> modes_of(const std::string& command) {
  std::vector<std::string> modes;
  for (const std::string& name : Commands::names())
    if (name.starts_with(command + " --")) modes.push_back(name.substr(command.size() + 1));
  return modes;
}

}  // namespace

CommandLine::CommandLine(CLI::App& app, std::span<const std::string> words)
    : app_(app), words_(words.begin(), words.end()) {
  add_commands();
  check_values(app_);
}

void CommandLine::add_commands() {
  for (const auto& [group, label] : kGroups)
    for (const auto& [name, item] : Commands::all())
      if (item.object->group() == group) {
        add_command(name);
        command_named(app_, name)->group(std::string(label));
      }
  for (const auto& [name, item] : Commands::all()) {
    const std::size_t space = name.find(' ');
    if (space == std::string::npos || name[space + 1] == '-') continue;
    CLI::App* const command = command_named(app_, name.substr(0, space));
    CLI::App* const below = command->add_subcommand(name.substr(space + 1), item.description);
    below->group("Sub-commands");
    item.object->set_up(*below, name);
  }
}

void CommandLine::add_command(const std::string& name) {
  const std::string mode = chosen_mode(name);
  const std::string chosen = mode.empty() ? name : name + ' ' + mode;
  const auto& item = Commands::all().find(chosen)->second;
  CLI::App& command = *app_.add_subcommand(name, item.description);
  item.object->set_up(command, chosen);
  add_modes(command, mode);
}

// Adds the options that select modes. The option of the chosen mode is added with its value, unless the mode
// declares it itself. If no mode is chosen, those of all modes are listed in the command's help.
void CommandLine::add_modes(CLI::App& command, const std::string& chosen) {
  for (const std::string& mode : modes_of(command.get_name())) {
    const std::size_t space = mode.find(' ');
    const std::string option = mode.substr(0, space);
    if ((!chosen.empty() && mode != chosen) || command.get_option_no_throw(option) != nullptr) continue;
    const std::string description = Commands::all().find(command.get_name() + ' ' + mode)->second.description;
    if (space != std::string::npos) {
      command.add_option_function<std::string>(
                 option, [](const std::string&) {}, description)
          ->type_name(mode.substr(space + 1));
      continue;
    }
    CLI::Option* const flag = command.add_flag_callback(option, [] {}, description);
    if (chosen.empty())
      flag->group(fmt::format("Instead ('a3sim {} {} --help' says more)", command.get_name(), option));
  }
}

std::string CommandLine::chosen_mode(const std::string& command) const {
  const auto first =
      std::ranges::find_if(words_, [](const std::string& word) { return !word.starts_with('-'); });
  if (first == words_.end() || *first != command) return "";
  const std::span<const std::string> behind(&*first + 1, static_cast<std::size_t>(words_.end() - first) - 1);
  for (const std::string& mode : modes_of(command))
    if (selects(mode, behind) || ending_selects(mode, behind)) return mode;
  return "";
}

std::string CommandLine::unknown_option(const CLI::App& command, const std::string& option) const {
  const std::string& name = command.get_name();
  for (const std::string& mode : modes_of(name)) {
    CLI::App other;
    const std::string whole = name + ' ' + mode;
    Commands::get(whole).set_up(other, whole);
    std::vector<std::string> names;
    add_option_names(other, names);
    if (std::ranges::find(names, option) != names.end())
      return fmt::format("'{}' of '{}' goes with {}", option, name, mode);
  }
  std::vector<std::string> known;
  add_option_names(command, known);
  add_option_names(app_, known);
  const std::string_view near = closest(option, known);
  return fmt::format("unknown option '{}' of '{}'; {}", option, name,
                     near.empty() ? "--help lists them" : fmt::format("did you mean '{}'?", near));
}

std::optional<std::string> CommandLine::help() const {
  const CLI::App* command = &app_;
  std::string above;
  bool asked = false;
  for (const std::string& word : words_) {
    if (word == "--") break;
    asked = asked || word == "--help" || word == "-h";
    const CLI::App* const below = word.starts_with('-') ? nullptr : command_named(*command, word);
    if (below == nullptr) continue;
    above += (above.empty() ? "" : " ") + command->get_name();
    command = below;
  }
  if (!asked) return std::nullopt;
  return command->help(above);
}

void CommandLine::check_words() const {
  const CLI::App* command = nullptr;
  std::vector<std::string> options;
  for (std::size_t i = 0; i < words_.size() && words_[i] != "--"; ++i) {
    const std::string& word = words_[i];
    if (!word.starts_with('-')) {
      const bool expected = command == nullptr || command->get_require_subcommand_min() > 0;
      const CLI::App* const below = command_named(command != nullptr ? *command : app_, word);
      if (expected && below == nullptr)
        throw InputError(unknown_name(command != nullptr ? *command : app_, word));
      if (below == nullptr) continue;
      command = below;
      options.clear();
      add_option_names(*command, options);
      add_option_names(app_, options);
    } else if (command != nullptr && word.starts_with("--")) {
      const std::string option = word.substr(0, word.find('='));
      if (std::ranges::find(options, option) == options.end())
        throw InputError(unknown_option(*command, option));
    }
  }
}

}  // namespace a3sim
