#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "sim/cli/command.h"
#include "sim/core/atomic_file.h"
#include "sim/core/error.h"
#include "sim/describe/document.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

struct InitOptions {
  std::string kind, from, file;
};

std::string kinds() {
  std::string text;
  for (const auto& [name, item] : Documents::all()) {
    text +=
        fmt::format("  {:<12} {}; from '{}' without --from\n", name, item.description, item.object->usual);
  }
  return text;
}

void init(const InitOptions& options) {
  const Document& document = Documents::get(options.kind);
  const std::string schema = options.kind + ".schema.json";
  const std::string text = starter_file(options.kind, document, options.from, schema);
  if (options.file.empty()) {
    std::cout << text;
    return;
  }
  const fs::path file = options.file;
  std::error_code error;
  if (fs::symlink_status(file, error).type() != fs::file_type::not_found)
    throw InputError(fmt::format("{}: exists, and is not overwritten; -o with another name", file.string()));
  const fs::path beside = file.parent_path() / schema;
  write_file_atomically(beside, json_schema(options.kind, document).dump(1) + '\n');
  write_file_atomically(file, text);
  spdlog::warn("{} starts from '{}'; {} is for editors", file.string(),
               options.from.empty() ? document.usual : options.from, beside.string());
}

void add_init_options(CLI::App& app, InitOptions& options) {
  app.add_option("KIND", options.kind, "of file")
      ->required()
      ->type_name(fmt::format("KIND:{{{}}}", fmt::join(Documents::names(), ",")));
  app.add_option("--from", options.from, "a shipped one to start from, by its name")->type_name("NAME");
  app.add_option("-o,--output", options.file, "a new file (default: standard output)")->type_name("FILE");
  app.footer("");  // the callback's text comes first
  app.footer([] { return help_of("config init", kinds()); });
}

A3SIM_REGISTER(Command, "config init",
               "Write a file to start from: an experiment, an order, a machine, a sweep, …",
               Command(add_init_options, init));

}  // namespace
}  // namespace a3sim
