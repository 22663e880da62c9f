#include <filesystem>
#include <memory>

#include "sim/cli/command.h"
#include "sim/cli/config_option.h"
#include "sim/cli/output.h"
#include "sim/cli/result_directory.h"
#include "sim/study/portable_config.h"
#include "sim/study/report.h"

namespace a3sim {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  a3sim run configs/experiments/ep8.yaml                            a page of summary\n"
    "  a3sim run configs/experiments/ep8.yaml --set experiment.pass=forward --json\n"
    "  a3sim run configs/experiments/ep8.yaml --set hardware.fabric.egress='100 GB/s' -o result\n";

struct Options {
  ConfigOption config;
  std::string directory;
  JsonOption json;
};

void run(const Options& options) {
  const Experiment experiment = options.config.load();
  const std::vector<PassResult> passes = run_experiment(experiment, true);
  const std::string text = summary_text(experiment, passes);
  const nlohmann::ordered_json json = summary_json(experiment, passes);
  if (!options.directory.empty()) {
    ResultDirectory directory(options.directory, "run");
    const PortableConfig config = portable(experiment);
    directory.add("resolved.yaml", config.resolved);
    for (const auto& [name, contents] : config.files) directory.add(name, contents);
    directory.add("summary.txt", text);
    for (const PassResult& pass : passes) directory.add("tasks_" + pass.name + ".csv", tasks_csv(pass));
    directory.add("result.json", json.dump(2) + '\n');
    directory.commit();
  }
  print_result(text, json, options.json);
}

class Run final : public Command {
 public:
  void set_up(CLI::App& app) const override {
    auto options = std::make_shared<Options>();
    options->config.add_to(app);
    app.add_option("-o,--output", options->directory,
                   "write a result directory: resolved configuration, summary, JSON, every task")
        ->type_name("DIR");
    options->json.add_to(app);
    app.footer(kExamples);
    app.callback([options] { run(*options); });
  }
};

const Commands::Entry kEntry("run", "Compile an experiment and run it", std::make_unique<Run>());

}  // namespace
}  // namespace a3sim
