#include <memory>

#include "sim/cli/command.h"
#include "sim/cli/report_page.h"
#include "sim/core/atomic_file.h"

namespace a3sim {
namespace {

constexpr const char* kReportExamples =
    "The file holds all that it shows, works from disk, and loads nothing from elsewhere.\n"
    "Examples:\n"
    "  a3sim run configs/experiments/ep8.yaml --trace -o static\n"
    "  a3sim report static -o ep8.html                  answer, timeline, critical path, L2, roofline\n"
    "  a3sim run configs/experiments/ep8.yaml --set experiment.execution=kernel --trace -o kernel\n"
    "  a3sim report static kernel -o both.html          timelines with one axis of time, and the difference\n"
    "  a3sim report static profile -o beside.html       a profile that 'a3sim import -o' wrote, beside a "
    "run\n"
    "  a3sim report sweep.db -o sweep.html              lines, heat maps and Pareto fronts of sweeps\n";

struct ReportOptions {
  std::vector<std::string> results;
  std::string output;
};

class ReportCommand final : public Command {
 public:
  void set_up(CLI::App& app) const override {
    auto options = std::make_shared<ReportOptions>();
    app.add_option(
           "RESULT", options->results,
           "what 'a3sim run --trace -o' or 'a3sim import -o' wrote, or one database of 'a3sim sweep' alone")
        ->required();
    app.add_option("-o,--output", options->output, "the file")->type_name("FILE.html")->required();
    app.footer(kReportExamples);
    app.callback([options] { write_file_atomically(options->output, report_page(options->results)); });
  }
};

A3SIM_REGISTER(Command, "report", "Runs or sweeps as one HTML file to look at", ReportCommand);

}  // namespace
}  // namespace a3sim
