#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "sim/cli/command.h"
#include "sim/core/error.h"
#include "sim/study/sweep/database.h"

namespace a3sim {
namespace {

constexpr const char* kMergeExamples =
    "Each file is added whole or not at all, and stays as it is. What is there already is not added twice; "
    "a\n"
    "point that has failed in one file and is done in another is done.\n"
    "Examples:\n"
    "  a3sim merge all.db all.shard-*.db\n";

struct MergeOptions {
  std::string database;
  std::vector<std::string> parts;
};

void merge(const MergeOptions& options) {
  for (const std::string& part : options.parts) {
    if (!std::filesystem::exists(part)) throw InputError(fmt::format("{}: there is no such file", part));
  }
  SweepDatabase database(options.database);
  for (const std::string& part : options.parts) {
    const MergedPoints merged = database.add(part);
    fmt::print("{}: {} points, {} of them new\n", part, merged.points, merged.added);
  }
}

class MergeCommand final : public Command {
 public:
  void set_up(CLI::App& app) const override {
    auto options = std::make_shared<MergeOptions>();
    app.add_option("DB", options->database, "database that the others are added to; made if it is not there")
        ->required();
    app.add_option("PART", options->parts, "databases of shards, or of other sweeps")->required();
    app.footer(kMergeExamples);
    app.callback([options] { merge(*options); });
  }
};

A3SIM_REGISTER(Command, "merge", "Add databases of sweeps to one", MergeCommand);

}  // namespace
}  // namespace a3sim
