#include <algorithm>
#include <array>
#include <iostream>
#include <string>
#include <vector>

#include "sim/cli/command.h"
#include "sim/describe/document.h"
#include "sim/describe/key_list.h"
#include "sim/experiment/config/configs_folder.h"

namespace a3sim {
namespace {

constexpr std::array<const char*, 3> kShells{"bash", "zsh", "fish"};

struct CompletionOptions {
  const CLI::App* program = nullptr;
  std::string shell;
};

// A command with its long options and the shipped names that it takes.
struct Completed {
  std::string name, description;
  std::vector<std::string> options, names;
};

// Keys of an experiment that --set takes. Names that a user chooses have no completion.
std::vector<std::string> settable_keys() {
  std::vector<std::string> keys;
  for (const ListedKey& key : listed_keys(known_keys(Documents::get("experiment"))))
    if (key.path.find('*') == std::string::npos) keys.push_back(key.path);
  return keys;
}

// Returns what a command takes by name: shipped files, or words of its own.
std::vector<std::string> names_for(const std::string& command, const std::vector<std::string>& keys) {
  const auto names = [](const char* folder) { return names_in(configs_folder() / folder); };
  if (command == "try") return names("orders");
  if (command == "reproduce") return names("published");
  if (command == "sweep") return names("sweeps");
  if (command == "completion") return {kShells.begin(), kShells.end()};
  if (command == "config") {
    std::vector<std::string> words = keys;
    for (const std::string& kind : Documents::names()) words.push_back(kind);
    return words;
  }
  for (const char* other : {"run", "search", "check", "compare", "explain", "schedule", "export"})
    if (command == other) return names("experiments");
  return {};
}

// Adds the long options of a command, of its groups and of its sub-commands.
void add_options(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames())
      if (std::ranges::find(names, "--" + name) == names.end()) names.push_back("--" + name);
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; }))
    add_options(*below, names);
}

// Adds the options of a command's modes, such as --paths of 'run --traffic'.
void add_mode_options(const std::string& command, std::vector<std::string>& names) {
  for (const std::string& name : Commands::names()) {
    if (!name.starts_with(command + " --")) continue;
    CLI::App mode;
    Commands::get(name).set_up(mode, name);
    add_options(mode, names);
  }
}

std::vector<Completed> commands_of(const CLI::App& program, const std::vector<std::string>& keys) {
  std::vector<Completed> commands;
  for (const CLI::App* app :
       program.get_subcommands([](const CLI::App* below) { return !below->get_name().empty(); })) {
    Completed command{app->get_name(), app->get_description(), {}, names_for(app->get_name(), keys)};
    add_options(*app, command.options);
    add_mode_options(command.name, command.options);
    for (const CLI::App* below :
         app->get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); }))
      command.names.push_back(below->get_name());
    commands.push_back(std::move(command));
  }
  return commands;
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

// Returns the branches of a shell's `case` that say what each command takes.
std::string cases_of(const std::vector<Completed>& commands) {
  std::string cases, names;
  for (const Completed& command : commands) {
    names += command.name + ' ';
    cases += fmt::format("    {}) options='{}' names='{}' ;;\n", command.name, joined(command.options),
                         joined(command.names));
  }
  return fmt::format("{}    help) names='{}' ;;\n", cases, names);
}

std::string command_names(const std::vector<Completed>& commands) {
  std::string names;
  for (const Completed& command : commands) names += command.name + ' ';
  return names + "help";
}

// Behind --set stand keys, whose values no shell knows.
std::string bash(const std::vector<Completed>& commands, const std::string& keys) {
  return fmt::format(R"(_a3sim() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} options='' names='' last='' at
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{}' -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  for ((at = 2; at < COMP_CWORD; ++at)); do
    [[ ${{COMP_WORDS[at]}} == -* ]] && last=${{COMP_WORDS[at]}}
  done
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [[ $last == --set && $word != *=* && ${{COMP_WORDS[COMP_CWORD - 1]}} != = ]]; then
    COMPREPLY=($(compgen -S = -W '{}' -- "$word"))
    compopt -o nospace +o filenames 2>/dev/null
  else
    COMPREPLY=($(compgen -W "$names" -- "$word") $(compgen -f -- "$word"))
  fi
}}
complete -o filenames -F _a3sim a3sim
)",
                     command_names(commands), cases_of(commands), keys);
}

// A shell whose start-up file does not load the completion system gets it here.
std::string zsh(const std::vector<Completed>& commands, const std::string& keys) {
  return fmt::format(R"((( $+functions[compdef] )) || {{ autoload -Uz compinit && compinit -i; }}
_a3sim() {{
  local options='' names=''
  local -a given
  if ((CURRENT == 2)); then
    compadd -- ${{=:-{}}}
    return
  fi
  case $words[2] in
{}  esac
  given=(${{(M)words[3,CURRENT-1]:#-*}})
  if [[ $PREFIX == -* ]]; then
    compadd -- ${{=options}}
  elif [[ $given[-1] == --set && $PREFIX != *=* ]]; then
    compadd -S = -- ${{=:-{}}}
  else
    compadd -- ${{=names}}
    _files
  fi
}}
compdef _a3sim a3sim
)",
                     command_names(commands), cases_of(commands), keys);
}

std::string fish(const std::vector<Completed>& commands, const std::vector<std::string>& keys) {
  const std::string set = fmt::format(" -x -a '{}='", fmt::join(keys, "= "));
  std::string text;
  for (const Completed& command : commands) {
    text += fmt::format("complete -c a3sim -n __fish_use_subcommand -a {} -d '{}'\n", command.name,
                        fmt::join(CLI::detail::split(command.description, '\''), "\\'"));
    const std::string seen = fmt::format("'__fish_seen_subcommand_from {}'", command.name);
    for (const std::string& option : command.options)
      text += fmt::format("complete -c a3sim -n {} -l {}{}\n", seen, option.substr(2),
                          option == "--set" ? set : "");
    if (!command.names.empty())
      text += fmt::format("complete -c a3sim -n {} -a '{}'\n", seen, joined(command.names));
  }
  return text + fmt::format(
                    "complete -c a3sim -n __fish_use_subcommand -a help -d 'Help of a command'\n"
                    "complete -c a3sim -n '__fish_seen_subcommand_from help' -x -a '{}'\n",
                    command_names(commands));
}

void print_completion(const CompletionOptions& options) {
  const std::vector<std::string> keys = settable_keys();
  const std::vector<Completed> commands = commands_of(*options.program, keys);
  if (options.shell == "fish")
    std::cout << fish(commands, keys);
  else
    std::cout << (options.shell == "zsh" ? zsh : bash)(commands, joined(keys));
}

void add_completion_options(CLI::App& app, CompletionOptions& options) {
  options.program = app.get_parent();
  app.add_option("SHELL", options.shell, "whose completion to print")
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>(kShells.begin(), kShells.end())));
}

A3SIM_REGISTER(Command, "completion", "Complete commands, options, keys and shipped names in a shell",
               Command(CommandGroup::kExchange, add_completion_options, print_completion));

}  // namespace
}  // namespace a3sim
