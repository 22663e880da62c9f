#include <fmt/format.h>

#include <iostream>

#include "sim/cli/command.h"
#include "sim/cli/program.h"
#include "sim/core/exit_codes.h"
#include "version.h"

namespace a3sim {
namespace {

// Text as roff has it: backslashes and hyphens escaped, no line a request.
std::string roff(std::string_view text) {
  std::string result;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
    line_begins = c == '\n';
  }
  return result;
}

std::string option_lines(const ProgramOption& option) {
  std::string names;
  for (const std::string& name : option.names)
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
  if (option.takes_value && !option.positional) names += fmt::format(" \\fI{}\\fR", roff(option.type));
  std::string text = roff(option.description);
  if (!option.choices.empty()) text += roff(fmt::format(": {}", fmt::join(option.choices, ", ")));
  return fmt::format(".TP\n{}\n{}\n", names, text);
}

// As it stands, line by line.
std::string as_it_is(const std::string& text) {
  if (text.empty()) return "";
  return fmt::format(".PP\n.nf\n{}{}.fi\n", roff(text), text.ends_with('\n') ? "" : "\n");
}

std::string command_section(const ProgramCommand& command, const std::string& above) {
  const std::string name = above + command.name;
  std::string text = fmt::format(".SS {}\n{}.\n", roff(name), roff(command.description));
  for (const ProgramOption& option : command.options) text += option_lines(option);
  text += as_it_is(command.footer);
  for (const ProgramCommand& sub : command.commands) text += command_section(sub, name + ' ');
  return text;
}

std::string manual_page(const ProgramCommand& program) {
  std::string text = fmt::format(
      ".TH A3SIM 1 \"\" \"a3sim {}\" \"User Commands\"\n"
      ".SH NAME\na3sim \\- {}\n"
      ".SH SYNOPSIS\n\\fBa3sim\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n"
      ".SH OPTIONS\n",
      roff(kVersion), roff(program.description));
  for (const ProgramOption& option : program.options) text += option_lines(option);
  text += ".SH COMMANDS\n";
  for (const ProgramCommand& command : program.commands) text += command_section(command, "");
  text += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : kExitCodes)
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", static_cast<int>(code), roff(meaning));
  return text +
         ".SH ENVIRONMENT\n"
         ".TP\n\\fBA3SIM_CONFIGS\\fR\nthe folder of configurations instead of the installed one\n"
         ".TP\n\\fBNO_COLOR\\fR\nhonoured: the program never colours what it prints\n";
}

struct ManOptions {
  const CLI::App* program = nullptr;
};

void print_manual(const ManOptions& options) { std::cout << manual_page(program_of(*options.program)); }

void add_man_options(CLI::App& app, ManOptions& options) { options.program = app.get_parent(); }

A3SIM_REGISTER(Command, "man", "The manual page, made of what --help says",
               Command(add_man_options, print_manual));

}  // namespace
}  // namespace a3sim
