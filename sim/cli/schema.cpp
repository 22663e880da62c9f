#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "sim/cli/command.h"
#include "sim/core/atomic_file.h"
#include "sim/core/closest.h"
#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/experiment/configs_folder.h"
#include "sim/study/describe/json_schema.h"
#include "sim/study/describe/schema_check.h"

namespace a3sim {
namespace {

constexpr std::string_view kOutput = "output";

struct SchemaOptions {
  std::string kind = "experiment", command, file, check;
};

std::string schema_footer() {
  std::string text = "Kinds:\n";
  for (const auto& [name, item] : Documents::all())
    text += fmt::format("  {:<12} {}\n", name, item.description);
  text += fmt::format("  {:<12} {}\n", kOutput, "what a command's --json prints: 'a3sim schema output run'");
  return text +
         "Files that others include (graphs, kernels, ports) are held against what includes them. No schema "
         "says "
         "which keys\n"
         "must be there: another file may have them.\n"
         "Examples:\n"
         "  a3sim schema                                      of experiments\n"
         "  a3sim schema hardware -o hardware.schema.json     for an editor: a file whose first line is\n"
         "                                                    # yaml-language-server: "
         "$schema=hardware.schema.json\n"
         "  a3sim schema output run                           what 'a3sim run --json' prints\n"
         "  a3sim schema output run --check result.json       whether a file is such output\n";
}

// Kept as a file: a promise to those who read what a command prints, which a test holds it to.
std::string output_schema(const std::string& command) {
  const std::filesystem::path folder = configs_folder() / "schemas";
  std::vector<std::string> known;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (entry.path().extension() == ".json") known.push_back(entry.path().stem().string());
  }
  std::ranges::sort(known);
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

class SchemaCommand final : public Command {
 public:
  void set_up(CLI::App& app) const override {
    auto options = std::make_shared<SchemaOptions>();
    app.add_option("KIND", options->kind, "of files, or output; experiment without it")
        ->type_name(fmt::format("KIND:{{{},{}}}", fmt::join(Documents::names(), ","), kOutput));
    app.add_option("COMMAND", options->command, "of output: whose");
    app.add_option("-o,--output", options->file, "into a file instead of standard output")->type_name("FILE");
    app.add_option("--check", options->check, "of output: fail if this JSON is not such")->type_name("FILE");
    app.footer(schema_footer);
    app.callback([options] { write_schema(*options); });
  }
};

A3SIM_REGISTER(Command, "schema", "JSON schemas of the files that are read, and of what --json prints",
               SchemaCommand);

}  // namespace
}  // namespace a3sim
