#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/runtime_files/runtime_schedule.h"
#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/cli/input_kinds.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/result_directory.h"
#include "sim/core/error.h"
#include "sim/core/ids.h"
#include "sim/core/read_file.h"
#include "sim/experiment/run/compiled.h"
#include "traces/import/ascend_files.h"
#include "traces/import/imported.h"
#include "traces/import/imported_timeline.h"
#include "traces/import/kineto.h"
#include "traces/import/profile_report.h"
#include "traces/import/profiled_job.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

// Overrides of a configuration apply only to schedule files, which describe only a part of the experiment.
struct ImportOptions : OverrideOptions {
  std::vector<std::string> paths;
  std::string directory, config;
  JsonOption json;
};

constexpr std::string_view kFilePrefix = "runtime_config_rank_";
constexpr std::string_view kFileSuffix = ".bin";

std::optional<std::uint32_t> rank_in(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with(kFilePrefix) || !name.ends_with(kFileSuffix)) return std::nullopt;
  const char* const begin = name.data() + kFilePrefix.size();
  const char* const end = name.data() + name.size() - kFileSuffix.size();
  std::uint32_t rank = 0;
  const auto [stop, error] = std::from_chars(begin, end, rank);
  if (begin >= end || stop != end || error != std::errc()) return std::nullopt;
  return rank;
}

// Returns the files by rank.
std::map<std::uint32_t, fs::path> files_of(const std::vector<std::string>& paths) {
  std::map<std::uint32_t, fs::path> files;
  const auto add = [&](const fs::path& file) {
    const auto [at, added] = files.try_emplace(*rank_in(file), file);
    if (!added)
      throw InputError(fmt::format("{} and {} are of one rank", at->second.string(), file.string()));
  };
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      add(path);
      continue;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
      if (rank_in(entry.path())) add(entry.path());
    }
  }
  return files;
}

// Returns the experiment's pass that the files belong to. The backward one has gradients of SwiGLU.
const Pass& pass_of(const Experiment& experiment, const RuntimeConfig& config) {
  const bool backward = std::ranges::any_of(config.tasks, [](const RuntimeTaskDesc& t) {
    return t.task_type == static_cast<std::uint32_t>(RuntimeTaskType::kSwiGluGrad);
  });
  for (const Pass& pass : experiment.passes) {
    const bool has = std::ranges::any_of(pass.graph.operators(),
                                         [](const OperatorNode& op) { return op.type == "SwiGLUGrad"; });
    if (has == backward) return pass;
  }
  throw InputError(fmt::format("the files are of a {} pass, and '{}' runs none: set experiment.pass",
                               backward ? "backward" : "forward", experiment.name));
}

// Returns whether all of these are files named runtime_config_rank_N.bin, or directories that hold some.
bool are_runtime_files(const std::vector<std::string>& paths) {
  return std::ranges::all_of(paths, [](const std::string& path) {
    if (!fs::is_directory(path)) return rank_in(path).has_value();
    return std::ranges::any_of(fs::directory_iterator(path),
                               [](const auto& entry) { return rank_in(entry.path()).has_value(); });
  });
}

// Writes the files' schedules into a result directory, as `a3sim schedule compile` would.
void import_runtime_files(const ImportOptions& options) {
  if (options.config.empty() || options.directory.empty()) {
    throw InputError(
        "schedule files say nothing of tokens, experts, tilings and where puts go: give --config CONFIG, the "
        "experiment that they are of, and -o DIR");
  }
  std::vector<NamedRuntimeConfig> files;
  for (const auto& [rank, path] : files_of(options.paths)) {
    if (rank != files.size())
      throw InputError(fmt::format("{}{}{} is missing", kFilePrefix, files.size(), kFileSuffix));
    files.push_back({path.string(), read_runtime_config(read_file(path), path.string())});
  }
  const Experiment experiment = options.load(options.config);
  const Pass& pass = pass_of(experiment, files.front().config);
  const RoutingCounts capacity = capacity_of(experiment, routing_of(experiment));
  const Schedule schedule = schedule_of(files, compile_pass(experiment, pass, capacity).schedule);
  ResultDirectory result(options.directory, "compile");
  result.add("resolved.yaml", experiment.resolved);
  std::size_t tasks = 0;
  for (const Ssc& ssc : schedule) {
    result.add(fmt::format("{}_rank_{:04}.ssc", pass.name, index(ssc.rank())), ssc.file_contents());
    tasks += ssc.tasks().size();
  }
  result.commit();
  std::cout << fmt::format("{}: {} ranks, {} tasks\n", pass.name, schedule.size(), tasks);
}

// Returns each kernel of a profiler's directories, for timelines; empty if the profile is too large to be
// held. Its sums exist in any case.
std::string kernels_of(const fs::path& profile) {
  const bool kineto = is_kineto_profile(profile);
  if (!kineto && !is_ascend_profile(profile)) return {};
  try {
    return kineto ? kineto_kernels_csv(profile) : kernels_csv(ProfiledJob(profile));
  } catch (const InputError& error) {
    std::cerr << fmt::format("no timeline is kept: {}\n", error.what());
    return {};
  }
}

void import_profile(const ImportOptions& options) {
  if (options.paths.size() == 1 && options.directory.empty())
    if (const std::optional<Report> report = described_input(options.paths.front()))
      return print_report(*report, options.json);
  if (are_runtime_files(options.paths)) return import_runtime_files(options);
  if (options.paths.size() != 1)
    throw InputError("give one profile, or schedule files runtime_config_rank_N.bin only");
  if (!options.config.empty() || options.any())
    throw InputError("--config and --set go with schedule files, runtime_config_rank_N.bin");
  const Profile profile = read_profile(options.paths.front());
  Report report = profile_report(profile, kNone);
  const std::string& path = options.paths.front();
  report.say(options.directory.empty()
                 ? next_commands({fmt::format("a3sim import {} -o measured", path), "a3sim explain measured"})
                 : next_commands({fmt::format("a3sim explain {}", options.directory),
                                  fmt::format("a3sim compare RUN {}", options.directory)}));
  if (!options.directory.empty()) {
    ResultDirectory directory(options.directory, "import");
    for (const auto& [name, contents] : imported_files(profile)) directory.add(name, contents);
    if (const std::string kernels = kernels_of(options.paths.front()); !kernels.empty())
      directory.add(kKernelsCsv, kernels);
    directory.add("summary.txt", report.text());
    directory.commit();
  }
  print_report(report, options.json);
}

void add_import_options(CLI::App& app, ImportOptions& options) {
  app.add_option("FILE", options.paths,
                 "a directory or a file from hardware; or a launch script, a model's config.json, a rank "
                 "table, of which it says what "
                 "can be done with them")
      ->required();
  app.add_option("-o,--output", options.directory,
                 "write a result directory, which explain, compare and calibrate take")
      ->type_name("DIR");
  take_shipped_too(
      app.add_option("--config", options.config,
                     "of schedule files: the experiment that they are of, for what they do not say")
          ->type_name("CONFIG"),
      "experiments");
  options.add_set_to(app);
  options.json.add_to(app);
}

A3SIM_REGISTER(Command, "import",
               "Read a profile from hardware, or schedules of the public runtime, as a result",
               Command(CommandGroup::kExchange, add_import_options, import_profile));

}  // namespace
}  // namespace a3sim
