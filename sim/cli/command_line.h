#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace a3sim {

// The program's commands with their options, set up for one command line. If an option among `words` selects
// a mode ('explain --whatif'), the mode replaces its command.
class CommandLine {
 public:
  // `app` holds the program's own options, and must outlive this. `words` are the arguments after the
  // program's name.
  CommandLine(CLI::App& app, std::span<const std::string> words);

  // Throws InputError for a command or an option that does not exist. The message suggests what was probably
  // meant, or today's name.
  void check_words() const;

  // Returns the help that --help asks for, even if other words are missing or wrong. Returns nullopt without
  // --help.
  std::optional<std::string> help() const;

 private:
  void add_commands();
  void add_command(const std::string& name);
  void add_modes(CLI::App& command, const std::string& chosen);
  std::string chosen_mode(const std::string& command) const;
  std::string unknown_option(const CLI::App& command, const std::string& option) const;

  CLI::App& app_;
  std::vector<std::string> words_;
};

}  // namespace a3sim
