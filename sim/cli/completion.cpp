#include <array>
#include <iostream>
#include <string>
#include <vector>

#include "sim/cli/command.h"
#include "sim/experiment/config/configs_folder.h"

namespace a3sim {
namespace {

struct CompletionOptions {
  const CLI::App* program = nullptr;
  std::string shell;
};

// A command with its long options and the shipped names that it takes.
struct Completed {
  std::string name, description;
  std::vector<std::string> options, names;
};

// Folders of configs/ whose names a command takes.
std::vector<std::string> names_for(const std::string& command) {
  const auto names = [](const char* folder) { return names_in(configs_folder() / folder); };
  if (command == "try") return names("orders");
  if (command == "reproduce") return names("published");
  if (command == "sweep") return names("sweeps");
  for (const char* other : {"run", "search", "check", "compare", "explain", "schedule", "export"})
    if (command == other) return names("experiments");
  return {};
}

void add_options(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const CLI::App* group :
       app.get_subcommands([](const CLI::App* below) { return below->get_name().empty(); }))
    add_options(*group, names);
}

std::vector<Completed> commands_of(const CLI::App& program) {
  std::vector<Completed> commands;
  for (const CLI::App* app :
       program.get_subcommands([](const CLI::App* below) { return !below->get_name().empty(); })) {
    Completed command{app->get_name(), app->get_description(), {}, names_for(app->get_name())};
    add_options(*app, command.options);
    for (const CLI::App* below :
         app->get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); }))
      command.names.push_back(below->get_name());
    commands.push_back(std::move(command));
  }
  return commands;
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

// zsh runs the same through bashcompinit.
std::string bash(const std::vector<Completed>& commands) {
  std::string cases, names;
  for (const Completed& command : commands) {
    names += command.name + ' ';
    cases += fmt::format("    {}) options='{}' names='{}' ;;\n", command.name, joined(command.options),
                         joined(command.names));
  }
  return fmt::format(R"(_a3sim() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} options='' names=''
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{}help' -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}    help) names='{}' ;;
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  else
    COMPREPLY=($(compgen -W "$names" -- "$word") $(compgen -f -- "$word"))
  fi
}}
complete -o filenames -F _a3sim a3sim
)",
                     names, cases, names);
}

std::string fish(const std::vector<Completed>& commands) {
  std::string text;
  for (const Completed& command : commands) {
    text += fmt::format("complete -c a3sim -n __fish_use_subcommand -a {} -d '{}'\n", command.name,
                        fmt::join(CLI::detail::split(command.description, '\''), "\\'"));
    const std::string seen = fmt::format("'__fish_seen_subcommand_from {}'", command.name);
    for (const std::string& option : command.options)
      text += fmt::format("complete -c a3sim -n {} -l {}\n", seen, option.substr(2));
    if (!command.names.empty())
      text += fmt::format("complete -c a3sim -n {} -a '{}'\n", seen, joined(command.names));
  }
  return text;
}

void print_completion(const CompletionOptions& options) {
  const std::vector<Completed> commands = commands_of(*options.program);
  if (options.shell == "zsh") std::cout << "autoload -U +X bashcompinit && bashcompinit\n";
  std::cout << (options.shell == "fish" ? fish(commands) : bash(commands));
}

void add_completion_options(CLI::App& app, CompletionOptions& options) {
  options.program = app.get_parent();
  app.add_option("SHELL", options.shell, "whose completion to print")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

A3SIM_REGISTER(Command, "completion", "Complete commands, options and shipped names in a shell",
               Command(CommandGroup::kExchange, add_completion_options, print_completion));

}  // namespace
}  // namespace a3sim
