#include <string>
#include <vector>

#include "sim/cli/command.h"
#include "sim/cli/output.h"
#include "sim/cli/result_directory.h"
#include "sim/cli/runtime_files.h"
#include "sim/core/error.h"
#include "sim/core/ids.h"
#include "traces/import/imported.h"
#include "traces/import/measured_report.h"

namespace a3sim {
namespace {

struct ImportOptions {
  std::vector<std::string> paths;
  std::string directory;
  JsonOption json;
  RuntimeImportOptions runtime;
};

void import_profile(const ImportOptions& options) {
  if (are_runtime_files(options.paths))
    return import_runtime_files(options.paths, options.runtime, options.directory);
  if (options.paths.size() != 1)
    throw InputError("give one profile, or schedule files runtime_config_rank_N.bin only");
  if (!options.runtime.config.empty() || options.runtime.any())
    throw InputError("--config and --set go with schedule files, runtime_config_rank_N.bin");
  const Measured profile = read_profile(options.paths.front());
  const Report report = measured_report(profile, kNone);
  if (!options.directory.empty()) {
    ResultDirectory directory(options.directory, "import");
    for (const auto& [name, contents] : imported_files(profile)) directory.add(name, contents);
    directory.add("summary.txt", report.text());
    directory.commit();
  }
  print_report(report, options.json);
}

void add_import_options(CLI::App& app, ImportOptions& options) {
  app.add_option("PROFILE", options.paths, "a directory or a file from hardware")->required();
  app.add_option("-o,--output", options.directory,
                 "write a result directory, which explain, compare and calibrate take")
      ->type_name("DIR");
  options.runtime.add_to(app);
  options.json.add_to(app);
}

A3SIM_REGISTER(Command, "import",
               "Read a profile from hardware, or schedules of the public runtime, as a result",
               Command(add_import_options, import_profile));

}  // namespace
}  // namespace a3sim
