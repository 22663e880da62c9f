#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "sim/cli/command.h"
#include "sim/cli/program.h"
#include "sim/study/describe/document.h"
#include "sim/study/describe/key_list.h"

namespace a3sim {
namespace {

constexpr std::string_view kShells[] = {"bash", "zsh", "fish"};

// Keys that --set takes: those of experiments without names that users give.
std::string keys_to_set() {
  const KeyTree& tree = known_keys(Documents::get("experiment"));
  std::string keys;
  for (const ListedKey& key : listed_keys(tree)) {
    if (key.path.find('*') == std::string::npos && key.path != "include")
      keys += (keys.empty() ? "" : " ") + key.path + '=';
  }
  return keys;
}

// In single quotes, of a shell.
std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// The script of a shell (shells/), with what stands for each of its @words@.
std::string filled(const std::string& shell,
                   std::initializer_list<std::pair<std::string_view, std::string>> words) {
  std::string script = embedded_text(shell);
  for (const auto& [word, text] : words) script.replace(script.find(word), word.size(), text);
  return script;
}

std::string names_of(const std::vector<ProgramOption>& options) {
  std::string names;
  for (const ProgramOption& option : options) {
    for (const std::string& name : option.names)
      if (!option.positional && name.starts_with("--")) names += (names.empty() ? "" : " ") + name;
  }
  return names;
}

std::string first_choices(const ProgramCommand& command) {
  std::string words;
  for (const ProgramCommand& sub : command.commands) words += sub.name + ' ';
  for (const ProgramOption& option : command.options) {
    if (option.positional && !option.choices.empty()) {
      words += fmt::format("{}", fmt::join(option.choices, " "));
      break;
    }
  }
  return words;
}

std::vector<ProgramOption> with_subcommands(const ProgramCommand& command) {
  std::vector<ProgramOption> options = command.options;
  for (const ProgramCommand& sub : command.commands)
    options.insert(options.end(), sub.options.begin(), sub.options.end());
  return options;
}

std::string bash(const ProgramCommand& program) {
  std::string commands, values, options, words;
  for (const ProgramCommand& command : program.commands) {
    commands += (commands.empty() ? "" : " ") + command.name;
    options += fmt::format("      {}) words={} ;;\n", command.name,
                           in_quotes(names_of(with_subcommands(command)) + ' ' + names_of(program.options)));
    if (const std::string first = first_choices(command); !first.empty())
      words += fmt::format("      {}) words={} ;;\n", command.name, in_quotes(first));
    for (const ProgramOption& option : with_subcommands(command)) {
      if (option.positional || option.choices.empty()) continue;
      for (const std::string& name : option.names)
        values += fmt::format("    {},{}) words={} ;;\n", command.name, name,
                              in_quotes(fmt::format("{}", fmt::join(option.choices, " "))));
    }
  }
  return filled("bash", {{"@values@", values},
                         {"@keys@", in_quotes(keys_to_set())},
                         {"@options@", options},
                         {"@own options@", in_quotes(names_of(program.options))},
                         {"@commands@", in_quotes(commands)},
                         {"@first words@", words}});
}

// Brackets and colons mean something in zsh's descriptions.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_options(const std::vector<ProgramOption>& options) {
  std::string text;
  for (const ProgramOption& option : options) {
    if (option.positional) continue;
    for (const std::string& name : option.names) {
      std::string spec = fmt::format("*{}[{}]", name, zsh_text(option.description));
      if (option.takes_value) {
        const std::string value = name == "--set" ? "->keys"
                                  : option.choices.empty()
                                      ? "_files"
                                      : fmt::format("({})", fmt::join(option.choices, " "));
        spec += fmt::format(":{}:{}", zsh_text(option.type), value);
      }
      text += fmt::format("        {} \\\n", in_quotes(spec));
    }
  }
  return text;
}

// Commands have a --help of their own.
std::vector<ProgramOption> without_help(std::vector<ProgramOption> options) {
  std::erase_if(options, [](const ProgramOption& option) {
    return std::ranges::any_of(
        option.names, [](const std::string& name) { return name == "--help" || name == "--version"; });
  });
  return options;
}

std::string zsh(const ProgramCommand& program) {
  std::string commands, cases;
  for (const ProgramCommand& command : program.commands) {
    commands +=
        fmt::format("    {}\n", in_quotes(fmt::format("{}:{}", command.name, zsh_text(command.description))));
    const std::string first = first_choices(command);
    cases += fmt::format(
        "    {})\n      _arguments \\\n{}{}        {} && return ;;\n", command.name,
        zsh_options(with_subcommands(command)) + zsh_options(without_help(program.options)),
        first.empty() ? "" : fmt::format("        {} \\\n", in_quotes(fmt::format("1: :({})", first))),
        in_quotes("*: :_files"));
  }
  return filled("zsh", {{"@commands@", commands},
                        {"@keys@", keys_to_set()},
                        {"@own options@", zsh_options(program.options)},
                        {"@cases@", cases}});
}

std::string fish_options(const std::vector<ProgramOption>& options, const std::string& condition,
                         const std::string& keys) {
  std::string text;
  for (const ProgramOption& option : options) {
    if (option.positional) continue;
    std::string line = fmt::format("complete -c a3sim{}", condition);
    for (const std::string& name : option.names)
      line += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                     : fmt::format(" -s {}", name.substr(1));
    if (!option.choices.empty())
      line += fmt::format(" -x -a {}", in_quotes(fmt::format("{}", fmt::join(option.choices, " "))));
    else if (option.names.front() == "--set")
      line += fmt::format(" -x -a {}", in_quotes(keys));
    else if (option.takes_value)
      line += " -r";
    text += fmt::format("{} -d {}\n", line, in_quotes(option.description));
  }
  return text;
}

// What follows a command is its own, whatever later words are called.
std::string fish(const ProgramCommand& program) {
  const std::string keys = keys_to_set();
  std::string text = embedded_text("fish");
  text += fish_options(program.options, "", keys);
  for (const ProgramCommand& command : program.commands) {
    text += fmt::format("complete -c a3sim -n '__fish_a3sim_command \"\"' -f -a {} -d {}\n", command.name,
                        in_quotes(command.description));
    const std::string condition = fmt::format(" -n '__fish_a3sim_command {}'", command.name);
    if (const std::string first = first_choices(command); !first.empty())
      text += fmt::format("complete -c a3sim -n '__fish_a3sim_first {}' -f -a {}\n", command.name,
                          in_quotes(first));
    text += fish_options(with_subcommands(command), condition, keys);
  }
  return text;
}

struct CompletionOptions {
  const CLI::App* program = nullptr;
  std::string shell;
};

void complete(const CompletionOptions& options) {
  const ProgramCommand program = program_of(*options.program);
  std::cout << (options.shell == "bash"  ? bash(program)
                : options.shell == "zsh" ? zsh(program)
                                         : fish(program));
}

void add_completion_options(CLI::App& app, CompletionOptions& options) {
  options.program = app.get_parent();
  app.add_option("SHELL", options.shell, "whose")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kShells), std::end(kShells))));
}

A3SIM_REGISTER(Command, "completion", "Completion of commands, options and keys for a shell",
               Command(add_completion_options, complete));

}  // namespace
}  // namespace a3sim
