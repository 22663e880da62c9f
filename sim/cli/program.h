#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace a3sim {

// An option as its command declares it: what completions and the manual page are made of.
struct ProgramOption {
  std::vector<std::string> names;  // "--json", "-o"; of a positional one its name alone
  bool positional = false, takes_value = false;
  std::string type, description;     // "FILE", "KEY=VALUE"
  std::vector<std::string> choices;  // where only these are taken
};

struct ProgramCommand {
  std::string name, description, footer;
  std::vector<ProgramOption> options;
  std::vector<ProgramCommand> commands;
};

// All that the program has, as it was set up.
ProgramCommand program_of(const CLI::App& app);

}  // namespace a3sim
