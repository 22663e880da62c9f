#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "sim/cli/command.h"
#include "sim/core/atomic_file.h"
#include "sim/core/closest.h"
#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/experiment/configs_folder.h"
#include "sim/study/describe/document.h"

namespace a3sim {
namespace {

constexpr std::string_view kOutput = "output";

struct SchemaOptions {
  std::string kind = "experiment", command, file, check;
};

// Kept as a file: a promise to those who read what a command prints, which a test holds it to.
std::string output_schema(const std::string& command) {
  const std::filesystem::path folder = configs_folder() / "schemas";
  const std::vector<std::string> known = names_in(folder, ".json");
  if (command.empty()) throw InputError(fmt::format("of which command? known: {}", fmt::join(known, ", ")));
  if (std::ranges::find(known, command) == known.end())
    throw InputError(fmt::format("no schema of what '{}' prints{}", command, suggestion(command, known)));
  return read_file(folder / (command + ".json"));
}

void check_output(const SchemaOptions& options, const std::string& schema) {
  if (options.kind != kOutput)
    throw InputError("--check: is of what a command printed: schema output COMMAND --check FILE");
  const auto document = nlohmann::ordered_json::parse(read_file(options.check), nullptr, false);
  if (document.is_discarded()) throw InputError(options.check + ": is no JSON");
  const std::vector<std::string> errors = refused_by(nlohmann::ordered_json::parse(schema), document);
  if (errors.empty()) return;
  throw RunError(fmt::format("{}: {}", options.check, fmt::join(errors, "\n" + options.check + ": ")));
}

void write_schema(const SchemaOptions& options) {
  std::string text;
  if (options.kind == kOutput) {
    text = output_schema(options.command);
  } else {
    if (!options.command.empty())
      throw InputError(fmt::format("'{}' has one schema, expected nothing behind it", options.kind));
    text = json_schema(options.kind, Documents::get(options.kind)).dump(1) + '\n';
  }
  if (!options.check.empty()) return check_output(options, text);
  if (options.file.empty())
    std::cout << text;
  else
    write_file_atomically(options.file, text);
}

void add_schema_options(CLI::App& app, SchemaOptions& options) {
  app.add_option("KIND", options.kind, "of files, or output; experiment without it")
      ->type_name(fmt::format("KIND:{{{},{}}}", fmt::join(Documents::names(), ","), kOutput));
  app.add_option("COMMAND", options.command, "of output: whose");
  app.add_option("-o,--output", options.file, "into a file instead of standard output")->type_name("FILE");
  app.add_option("--check", options.check, "of output: fail if this JSON is not such")->type_name("FILE");
  app.footer(app.get_parent()->get_footer());  // the program's examples, behind its own
  app.footer([] { return help_of("schema", lines_of<Documents>(12)); });
}

A3SIM_REGISTER(Command, "schema", "JSON schemas of the files that are read, and of what --json prints",
               Command(add_schema_options, write_schema));

}  // namespace
}  // namespace a3sim
