#include <fmt/format.h>

#include <algorithm>

#include "sim/cli/command.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/core/config/include.h"
#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/experiment/config/foreign_file.h"
#include "sim/experiment/launch/launch_script.h"

namespace a3sim {
namespace {

struct ConfigFromOptions {
  std::string file;
  JsonOption json;
};

Cell line_of(const Mark& mark) { return mark.line == 0 ? Cell() : Cell(std::int64_t{mark.line}); }

void add_values(const ForeignFile& foreign, Report& report) {
  Table& values =
      report.table("values", {Column::words("key"), Column::words("value"), Column::count("line")});
  std::string open;
  for (const ForeignValue& value : foreign.values) {
    if (value.path == "step.not_modelled" || value.path == "model.not_modelled") continue;
    if (value.open.empty())
      values.add({value.path, value.text, line_of(value.mark)});
    else
      open += fmt::format("  {}{}: {}\n", value.path,
                          value.mark.line > 0 ? fmt::format(" (line {})", value.mark.line) : "", value.open);
  }
  if (!open.empty()) report.say("Left open:\n" + open);
}

void add_arguments(const std::string& file, Report& report) {
  const std::string text = read_file(file, kLargestFile);
  if (!is_launch_script(file, text)) return;
  Diagnostics diagnostics;
  const LaunchScript script = read_launch_script(text, {file, 1, 1}, diagnostics);
  diagnostics.throw_if_any();
  Table& table =
      report.table("arguments", {Column::words("argument"), Column::words("value"), Column::count("line"),
                                 Column::words("", "fate"), Column::words("what")});
  for (std::size_t fate = 0; fate < kCountOf<ArgumentFate>; ++fate) {
    for (const LaunchArgument& argument : script.arguments) {
      if (static_cast<std::size_t>(argument.fate) != fate) continue;
      std::vector<std::string> values;
      for (const LaunchArgument::Value& value : argument.values)
        values.push_back(value.unknown.empty() ? value.text : "?");
      table.add({argument.name, fmt::format("{}", fmt::join(values, " ")), line_of(argument.mark),
                 std::string(kNamesOf<ArgumentFate>[fate]), argument.what});
    }
  }
  if (script.gaps.empty()) return;
  std::string gaps = "Not followed:\n";
  for (const auto& [mark, what] : script.gaps) gaps += fmt::format("  line {}: {}\n", mark.line, what);
  report.say(gaps);
}

void print_config_from(const ConfigFromOptions& options) {
  const ForeignFile foreign = read_foreign(options.file);
  Report report;
  report.say(fmt::format("{}: {}\n", options.file, foreign.kind));
  add_values(foreign, report);
  add_arguments(options.file, report);
  print_report(report, options.json);
}

void add_config_from_options(CLI::App& app, ConfigFromOptions& options) {
  app.add_option("FILE", options.file, "a launch script, a model's config.json, or a rank table")->required();
  options.json.add_to(app);
}

A3SIM_REGISTER(Command, "config from",
               "What a launch script, a config.json or a rank table says, line by line",
               Command(add_config_from_options, print_config_from));

}  // namespace
}  // namespace a3sim
