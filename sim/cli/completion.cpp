#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "sim/cli/command.h"
#include "sim/cli/program.h"
#include "sim/study/describe/document.h"
#include "sim/study/describe/key_list.h"

namespace a3sim {
namespace {

constexpr std::string_view kShells[] = {"bash", "zsh", "fish"};

// Keys that --set takes: those of experiments without names that users give.
std::string keys_to_set() {
  const KeyTree tree = known_keys(Documents::get("experiment"));
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
  return fmt::format(
      R"(# bash completion of a3sim, made by 'a3sim completion bash'
_a3sim() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command="" position=0 words="" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ ${{COMP_WORDS[i]}} == -* ]] || {{ command=${{COMP_WORDS[i]}}; position=$i; break; }}
  done
  case $command,$before in
{}    *,--set)
      words={}
      compopt -o nospace 2>/dev/null ;;
  esac
  if [[ -z $words && $current == -* ]]; then
    case $command in
{}      *) words={} ;;
    esac
  elif [[ -z $words && -z $command ]]; then
    words={}
  elif [[ -z $words && $COMP_CWORD == $((position + 1)) ]]; then
    case $command in
{}      *) ;;
    esac
  fi
  [[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o default -F _a3sim a3sim
)",
      values, in_quotes(keys_to_set()), options, in_quotes(names_of(program.options)), in_quotes(commands),
      words);
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
  return fmt::format(
      R"(#compdef a3sim
# zsh completion of a3sim, made by 'a3sim completion zsh'
_a3sim() {{
  local context state line curcontext=$curcontext
  local -a commands keys
  local -A opt_args
  commands=(
{}  )
  keys=({})
  _arguments -C \
{}        '(-)1: :->command' '(-)*:: :->arguments' && return
  if [[ $state == command ]]; then
    _describe command commands
    return
  fi
  case $words[1] in
{}  esac
  [[ $state == keys ]] && compadd -S '' -a keys
}}
_a3sim "$@"
)",
      commands, keys_to_set(), zsh_options(program.options), cases);
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
  std::string text =
      "# fish completion of a3sim, made by 'a3sim completion fish'\n"
      "function __fish_a3sim_words\n"
      "    string match -v -- '-*' (commandline -opc)[2..]\n"
      "end\n"
      "function __fish_a3sim_command\n"
      "    set -l words (__fish_a3sim_words)\n"
      "    test \"$words[1]\" = \"$argv[1]\"\n"
      "end\n"
      "function __fish_a3sim_first\n"
      "    set -l words (__fish_a3sim_words)\n"
      "    test (count $words) = 1 -a \"$words[1]\" = \"$argv[1]\"\n"
      "end\n";
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

class CompletionCommand final : public Command {
 public:
  void set_up(CLI::App& app) const override {
    auto shell = std::make_shared<std::string>();
    app.add_option("SHELL", *shell, "whose")
        ->required()
        ->check(CLI::IsMember(std::vector<std::string>(std::begin(kShells), std::end(kShells))));
    app.footer(
        "'cmake --install' and the Debian package put them where the shells look.\n"
        "By hand, for a program that was not installed (bash and fish read them when they are needed; zsh "
        "where ~/.zshrc\n"
        "says 'fpath=(~/.zfunc $fpath); autoload -Uz compinit && compinit'):\n"
        "  mkdir -p ~/.local/share/bash-completion/completions ~/.zfunc ~/.config/fish/completions\n"
        "  a3sim completion bash > ~/.local/share/bash-completion/completions/a3sim\n"
        "  a3sim completion zsh > ~/.zfunc/_a3sim\n"
        "  a3sim completion fish > ~/.config/fish/completions/a3sim.fish\n"
        "Examples:\n"
        "  source <(a3sim completion bash)     for this shell\n");
    app.callback([&app, shell] {
      const ProgramCommand program = program_of(*app.get_parent());
      std::cout << (*shell == "bash" ? bash(program) : *shell == "zsh" ? zsh(program) : fish(program));
    });
  }
};

A3SIM_REGISTER(Command, "completion", "Completion of commands, options and keys for a shell",
               CompletionCommand);

}  // namespace
}  // namespace a3sim
