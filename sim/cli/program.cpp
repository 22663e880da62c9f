#include "sim/cli/program.h"

#include <sstream>

namespace a3sim {
namespace {

// What stands in the braces of "TEXT:{ctq,vtq}".
std::vector<std::string> choices_in(const std::string& type) {
  const std::size_t begin = type.find('{'), end = type.find('}');
  std::vector<std::string> choices;
  if (begin == std::string::npos || end == std::string::npos) return choices;
  std::istringstream list(type.substr(begin + 1, end - begin - 1));
  for (std::string choice; std::getline(list, choice, ',');) choices.push_back(choice);
  return choices;
}

ProgramOption option_of(const CLI::Option& option) {
  ProgramOption result;
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  result.positional = result.names.empty();
  if (result.positional) result.names = {option.get_name(true)};
  result.takes_value = option.get_items_expected_max() > 0;
  const std::string type = option.get_type_name();
  result.choices = choices_in(type);
  result.type = type.substr(0, std::min(type.find(':'), type.size()));
  if (result.type.empty() || result.type == "TEXT" || result.type == "UINT" || result.type == "INT")
    result.type = "VALUE";
  result.description = option.get_description();
  return result;
}

void add_options(const CLI::App& app, ProgramCommand& command) {
  for (const CLI::Option* option : app.get_options()) command.options.push_back(option_of(*option));
}

}  // namespace

ProgramCommand program_of(const CLI::App& app) {
  ProgramCommand command{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  add_options(app, command);
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_name().empty())
      add_options(*sub, command);  // a group of options
    else
      command.commands.push_back(program_of(*sub));
  }
  return command;
}

}  // namespace a3sim
