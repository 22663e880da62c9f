#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "sim/cli/command.h"
#include "sim/cli/output.h"
#include "sim/cli/threads_option.h"
#include "sim/core/atomic_file.h"
#include "sim/core/error.h"
#include "sim/study/calibration/calibration.h"

namespace a3sim {
namespace {

constexpr const char* kCalibrateExamples =
    "Fits the hardware values that are marked 'fitted: true', at most six, inside their ranges to the\n"
    "points in configs/published/ that are marked 'use: calibration'. The sum of the squared logarithms of\n"
    "predicted by published values is made least. A value that the points do not identify is refused.\n"
    "Points that are marked 'use: held_out' test the fit, and the other way round: the halves are swapped.\n"
    "Examples:\n"
    "  a3sim calibrate --dry-run           what would be written into configs/hardware/a3.yaml, and why\n"
    "  a3sim calibrate gemm copy -o a.yaml fitted to two experiments only, written to another file\n"
    "  a3sim calibrate --json              parameters, singular values, errors with each point left out\n";

struct CalibrateOptions {
  std::vector<std::string> names, set;
  std::filesystem::path hardware, output;
  bool dry_run = false, fit_only = false;
  ThreadsOption threads;
  JsonOption json;
};

void run(const CalibrateOptions& options) {
  const Scenario scenario{.overrides = options.set, .threads = options.threads.count};
  const std::filesystem::path hardware =
      options.hardware.empty() ? scenario.configs / "hardware" / "a3.yaml" : options.hardware;
  const std::vector<std::string> names =
      options.names.empty() ? published_tables(scenario.configs) : options.names;
  const Calibration calibration = calibrate(hardware, names, scenario, options.fit_only);
  const std::string text = with_values(hardware, calibration.new_values());
  const Report report = calibration_report(calibration);
  print_result(report.text(), report.json(), options.json);
  if (!calibration.refused.empty()) {
    throw RunError(
        "nothing was written: the points do not identify every value that is marked 'fitted: true'");
  }
  // What was fitted under other values than the files' belongs into no file of theirs.
  if (options.dry_run || (options.output.empty() && !options.set.empty())) return;
  write_file_atomically(options.output.empty() ? hardware : options.output, text);
}

class Calibrate final : public Command {
 public:
  void set_up(CLI::App& app) const override {
    auto options = std::make_shared<CalibrateOptions>();
    app.add_option("NAME", options->names, "experiments to fit to; all without one");
    app.add_option("--hardware", options->hardware, "the hardware file; configs/hardware/a3.yaml without it")
        ->type_name("FILE");
    app.add_option("-o,--output", options->output, "write the fitted file there instead")->type_name("FILE");
    app.add_flag("--dry-run", options->dry_run, "write no hardware file");
    app.add_flag("--fit-only", options->fit_only, "fit; leave no point out, and do not swap the halves");
    app.add_option("--set", options->set,
                   "override a value of every configuration; repeatable; only -o writes then")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all();
    options->threads.add_to(app);
    options->json.add_to(app);
    app.footer(kCalibrateExamples);
    app.callback([options] { run(*options); });
  }
};

A3SIM_REGISTER(Command, "calibrate",
               "Fit hardware values to published points, and tell how well they are known", Calibrate);

}  // namespace
}  // namespace a3sim
