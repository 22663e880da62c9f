#include "sim/cli/run_first.h"

#include <fmt/format.h>

#include "sim/cli/config_option.h"
#include "sim/cli/kept_run.h"
#include "sim/cli/options.h"
#include "sim/cli/run_progress.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

// Returns the file of an experiment.
std::string experiment_file(const std::string& given) {
  try {
    std::string file = file_or_shipped(given, "experiments");
    std::error_code error;
    if (!fs::exists(file, error)) throw InputError(fmt::format("{}: no such file", given));
    return file;
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("{}\nA result directory of this name does not exist either: 'a3sim run CONFIG --trace "
                    "-o {}' writes one",
                    error.what(), given));
  }
}

}  // namespace

void add_set(CLI::App& app, std::vector<std::string>& set) {
  repeatable(app.add_option("--set", set, "override a value of an experiment: path.to.key=value; repeatable"),
             "KEY=VALUE");
}

void check_set(const std::vector<std::string>& set, bool any_was_run) {
  if (!set.empty() && !any_was_run)
    throw InputError("--set: goes with an experiment, and none is given: results stay as they are");
}

bool names_experiment(const std::string& given) {
  std::error_code error;
  if (!fs::exists(given, error)) return true;
  const std::string ending = fs::path(given).extension();
  return fs::is_regular_file(given, error) && (ending == ".yaml" || ending == ".yml");
}

void run_into(const fs::path& directory, const ConfigOption& config, const Experiment& experiment,
              unsigned threads) {
  announce_run(config, experiment, 1, true);
  const auto work = experiment.work->prepare(experiment, threads);
  const std::vector<RunOutcome> passes = work->run_all(experiment, Record::kTrace, threads);
  keep_run(experiment, directory, run_summary(experiment, *work, passes), passes, true);
}

GivenResult::GivenResult(const std::string& given, const std::vector<std::string>& set, unsigned threads)
    : directory_(given) {
  if (!names_experiment(given)) return;
  ConfigOption config;
  config.file = experiment_file(given);
  config.set = set;
  *this = GivenResult(config, threads);
}

GivenResult::GivenResult(const ConfigOption& config, unsigned threads) {
  const Experiment experiment = config.load();
  kept_ = std::make_unique<Kept>();
  directory_ = kept_->directory.path() / fs::path(config.file).stem();  // pages say its name
  run_into(directory_, config, experiment, threads);
}

}  // namespace a3sim
