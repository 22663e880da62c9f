#include <memory>

#include "sim/cli/command.h"
#include "sim/cli/jitter_option.h"
#include "sim/cli/output.h"
#include "sim/cli/result_directory.h"
#include "sim/cli/threads_option.h"
#include "sim/study/explore/run_difference.h"

namespace a3sim {
namespace {

constexpr const char* kCompareExamples =
    "The tables of passes show the runs as saved. What makes the difference is decided by running both again "
    "under the\n"
    "same random times, B with each part of A's configuration too: medians, with an interval of 95 %.\n"
    "Examples:\n"
    "  a3sim run configs/experiments/ep8.yaml --trace -o ring\n"
    "  a3sim run configs/experiments/ep8.yaml --set order.vtq='[stage, expert, chunk, dst]' --trace -o "
    "naive\n"
    "  a3sim compare naive ring                   side by side, and what makes the difference\n"
    "  a3sim compare naive ring --pass forward --json\n";

struct CompareOptions {
  std::string directories[2], pass;
  JitterOption jitter;
  ThreadsOption threads;
  JsonOption json;
};

void compare_runs(const CompareOptions& options) {
  for (const std::string& directory : options.directories) check_result(directory, "run");
  const SavedRun a = read_run(options.directories[0], options.pass);
  const SavedRun b = read_run(options.directories[1], options.pass);
  const RunDifference difference = difference_of(a, b, options.jitter.options, options.threads.count);
  print_report(difference_report(difference, options.jitter.options), options.json);
}

class Compare final : public Command {
 public:
  void set_up(CLI::App& app) const override {
    auto options = std::make_shared<CompareOptions>();
    app.add_option("A", options->directories[0], "a directory that 'a3sim run CONFIG --trace -o' wrote")
        ->required();
    app.add_option("B", options->directories[1], "another one; it is run again with parts of A")->required();
    app.add_option("--pass", options->pass, "only this pass: forward, backward, …");
    options->jitter.add_to(app);
    options->threads.add_to(app);
    options->json.add_to(app);
    app.footer(kCompareExamples);
    app.callback([options] { compare_runs(*options); });
  }
};

A3SIM_REGISTER(Command, "compare", "Two results side by side, and what makes the difference", Compare);

}  // namespace
}  // namespace a3sim
