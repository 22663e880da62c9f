#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace a3sim {

// The program's commands with their options, set up for the words behind the program's name: where an option of these
// selects a mode ('explain --whatif'), the mode stands in its command's place.
class CommandLine {
 public:
  // `app` has the program's own options, and outlives this.
  CommandLine(CLI::App& app, std::span<const std::string> words);

  // Throws InputError for a command or an option that does not exist, with what was probably meant or what it is
  // called today.
  void check_words() const;

  // The help that --help asks for, also where other words are missing or wrong; nullopt without --help.
  std::optional<std::string> help() const;

 private:
  void add_commands();
  void add_command(const std::string& name);
  void add_modes(CLI::App& command, const std::string& chosen);
  std::string chosen_mode(const std::string& command) const;
  // `above` has the command, which is the first word of `from`.
  std::string unknown_command(const CLI::App& above, std::span<const std::string> from) const;
  std::string unknown_option(const CLI::App& command, const std::string& option) const;

  CLI::App& app_;
  std::vector<std::string> words_;
};

}  // namespace a3sim
