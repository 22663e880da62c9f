#include <fmt/format.h>

#include <map>
#include <memory>

#include "sim/cli/command.h"
#include "sim/cli/output.h"
#include "sim/cli/result_directory.h"
#include "sim/core/error.h"
#include "sim/study/summary/saved_run.h"
#include "traces/import/measured.h"

namespace a3sim {
namespace {

constexpr const char* kImportExamples =
    "Examples:\n"
    "  a3sim import profiles                       what an Ascend profiler measured, by kernel\n"
    "  a3sim run configs/experiments/ep8.yaml --set experiment.execution=kernel -o result\n"
    "  a3sim import profiles --against result      measured beside simulated, what is furthest off first\n"
    "  a3sim import trace.json --against result --pass forward   tasks of the runtime's in-kernel trace\n"
    "  a3sim import profiles --against result --name aclnnGroupedMatmulV4_GroupedMatmul=GMM1\n";

struct ImportOptions {
  std::string path, against, pass;
  std::vector<std::string> names;
  JsonOption json;
};

std::map<std::string, std::string, std::less<>> names_of(const std::vector<std::string>& texts) {
  std::map<std::string, std::string, std::less<>> names;
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw InputError(fmt::format("--name: '{}', expected THEIRS=OURS", text));
    names[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return names;
}

void import_profile(const ImportOptions& options) {
  if (options.against.empty() && (!options.pass.empty() || !options.names.empty()))
    throw InputError("--pass and --name go with --against");
  const auto names = names_of(options.names);
  if (!options.against.empty()) check_result(options.against, "run");
  const Measured profile = read_profile(options.path);
  if (options.against.empty()) return print_report(measured_report(profile), options.json);
  const SavedRun run = read_run(options.against, options.pass);
  print_report(mismatch_report(profile, measured(run.passes, profile.unit), names), options.json);
}

class Import final : public Command {
 public:
  void set_up(CLI::App& app) const override {
    auto options = std::make_shared<ImportOptions>();
    app.add_option("PROFILE", options->path, "a directory or a file from hardware")->required();
    app.add_option("--against", options->against, "compare with this run, which 'a3sim run CONFIG -o' wrote")
        ->type_name("RESULT");
    app.add_option("--pass", options->pass, "only this pass of the run: forward, backward, …");
    app.add_option("--name", options->names, "a kernel's name in the profile, and the operator's; repeatable")
        ->type_name("THEIRS=OURS")
        ->expected(1)
        ->take_all();
    options->json.add_to(app);
    app.footer(kImportExamples);
    app.callback([options] { import_profile(*options); });
  }
};

A3SIM_REGISTER(Command, "import", "Read a profile from hardware, and compare a run with it", Import);

}  // namespace
}  // namespace a3sim
