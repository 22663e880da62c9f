#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/experiment/configs_folder.h"
#include "sim/study/describe/key_list.h"

namespace a3sim {
namespace {

struct ConfigOptions : OverrideOptions {
  std::string kind = "experiment", key, file;
  JsonOption json;
  const CLI::App* explain = nullptr;  // the command below this one
};

void list_keys(const ConfigOptions& options) {
  const KeyTree& tree = known_keys(Documents::get(options.kind));
  Report report;
  std::string lines = "key, what holds without it, what it takes\n\n";
  Table& table = report.table(
      "keys", {Column::words("key"), Column::words("default"), Column::words("takes")}, Seen::kByPrograms);
  for (const ListedKey& key : listed_keys(tree)) {
    table.add({key.path, key.fallback(), key.expected()});
    lines += fmt::format("{:<42} {:<18} {}\n", key.path, key.fallback(), key.expected());
  }
  report.say(lines);
  print_report(report, options.json);
}

Report explained_report(const ExplainedKey& key) {
  Report report;
  std::string text = fmt::format("{} = {}\n", key.path, key.value.value_or("(none here)"));
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<9} {}\n", name, value);
    report.fact(name, value.empty() ? Cell() : Cell(value));
  };
  report.fact("key", key.path);
  report.fact("value", key.value ? Cell(*key.value) : Cell());
  add("origin", key.origin);
  add("source", key.source);
  const std::string fitted = key.fitted ? ", fitted in it by 'a3sim calibrate'" : "";
  add("range", key.low.empty() ? "" : fmt::format("{} to {}{}", key.low, key.high, fitted));
  add("note", key.note);
  add("comment", key.comment);
  add("takes", key.expected);
  add("default", key.fallback);
  report.say(text);
  return report;
}

void explain(const ConfigOptions& options) {
  const Document& document = Documents::get(options.kind);
  const std::filesystem::path usual =
      configs_folder() / document.folder / fmt::format("{}.yaml", document.usual);
  const ExplainedKey key = explain_key(
      document, options.key, options.file.empty() ? usual : std::filesystem::path(options.file), options.set);
  print_report(explained_report(key), options.json);
}

void run(const ConfigOptions& options) {
  if (options.explain->parsed())
    explain(options);
  else
    list_keys(options);
}

void add_config_options(CLI::App& app, ConfigOptions& options) {
  app.add_option("--of", options.kind, "a kind of file ('a3sim init --help'); experiment without it")
      ->type_name(fmt::format("KIND:{{{}}}", fmt::join(Documents::names(), ",")));
  options.json.add_to(app);
  app.require_subcommand(0, 1);
  CLI::App* const one = app.add_subcommand("explain", "One key: value, unit, origin, source, range");
  one->add_option("KEY", options.key, "path.to.key")->required();
  take_shipped_too(
      one->add_option("CONFIG", options.file, "a file; without it the shipped one that new files start from"),
      "experiments");
  options.add_set_to(*one);
  one->fallthrough();
  one->footer(app.get_parent()->get_footer());
  options.explain = one;
}

A3SIM_REGISTER(Command, "config", "The keys of configurations, and where a value comes from",
               Command(add_config_options, run));

}  // namespace
}  // namespace a3sim
