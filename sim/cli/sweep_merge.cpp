#include <fmt/format.h>

#include <filesystem>

#include "sim/cli/command.h"
#include "sim/core/error.h"
#include "sim/core/open_file.h"
#include "sim/sweep/database.h"

namespace a3sim {
namespace {

struct MergeOptions {
  std::string database;
  std::vector<std::string> parts;
};

void merge(const MergeOptions& options) {
  for (const std::string& part : options.parts) {
    if (!std::filesystem::exists(part)) throw InputError(fmt::format("{}: {}", part, why_missing(part)));
  }
  SweepDatabase database(options.database);
  for (const std::string& part : options.parts) {
    const MergedPoints merged = database.add(part);
    fmt::print("{}: {} points, {} of them new\n", part, merged.points, merged.added);
  }
}

void add_merge_options(CLI::App& app, MergeOptions& options) {
  app.add_option("--db", options.database, "database that the others are added to; made if it is not there")
      ->required()
      ->type_name("FILE");
  app.add_option("--merge", options.parts, "databases of shards, or of other sweeps")
      ->required()
      ->type_name("PART...");
}

A3SIM_REGISTER(Command, "sweep --merge", "Add databases of sweeps to one database",
               Command(add_merge_options, merge));

}  // namespace
}  // namespace a3sim
