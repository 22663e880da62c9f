#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "sim/cli/command.h"
#include "sim/core/atomic_file.h"
#include "sim/describe/document.h"

namespace a3sim {
namespace {

struct SchemaOptions {
  std::string kind = "experiment", file;
};

void write_schema(const SchemaOptions& options) {
  const std::string text = json_schema(options.kind, Documents::get(options.kind)).dump(1) + '\n';
  if (options.file.empty())
    std::cout << text;
  else
    write_file_atomically(options.file, text);
}

void add_schema_options(CLI::App& app, SchemaOptions& options) {
  app.add_option("KIND", options.kind, "a kind of files (default: experiment)")
      ->type_name(fmt::format("KIND:{{{}}}", fmt::join(Documents::names(), ",")));
  app.add_option("-o,--output", options.file, "into a file instead of standard output")->type_name("FILE");
  app.footer("");  // the callback's text comes first
  app.footer([] { return help_of("config schema", lines_of<Documents>(12)); });
}

A3SIM_REGISTER(Command, "config schema", "JSON schemas of the files that are read, for editors",
               Command(add_schema_options, write_schema));

}  // namespace
}  // namespace a3sim
