#include "sim/experiment/experiment.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "sim/core/error.h"
#include "sim/describe/document.h"
#include "sim/diagnosis/jobs/job.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/config/job_blocks.h"
#include "sim/experiment/config/order_file.h"

// Experiments, and their blocks, which have files of their own to be included.
namespace a3sim {
namespace {

namespace fs = std::filesystem;

void read_with_jobs(const Config& root, Diagnostics& diagnostics, const fs::path&) {
  FaultSite site;
  std::uint32_t launches = 1;
  try {
    const Experiment experiment = read_experiment(root, diagnostics);
    site.ranks = experiment.shape.ep;
    launches = static_cast<std::uint32_t>(experiment.passes.size());
  } catch (const Error& error) {  // blocks of jobs are read even so
    spdlog::debug("{}", error.what());
  }
  read_host_options(root.map("hosts"), launches, {});
  Injection injection;
  read_injection(root, site, injection);
}

void accept_experiment(const fs::path& file) {
  Diagnostics diagnostics;
  const Config root = Config::load(file, {}, diagnostics);
  bool job = false;
  for (const char* block : kJobBlocks) job |= root.has(block);
  if (job)
    load_job(file, {}, {});
  else
    load_experiment(file, {});
}

// Loads a part of an experiment, laid over a shipped one.
void accept_over(const fs::path& base, const fs::path& file) {
  const fs::path under = configs_folder() / "experiments" / "ep8.yaml";
  parse_experiment(fmt::format("include: ['{}', '{}', '{}']\n", under.string(), base.string(),
                               fs::absolute(file).string()),
                   file.string(), {});
}

// Returns the software stack that the file's machine or program names; that of shipped experiments if it
// names none.
std::string stack_of(const fs::path& file, const char* block) {
  Diagnostics diagnostics;
  return Config::load(file, {}, diagnostics).map(block).text("stack", "cann");
}

// Loads the file as the machine, with a program that runs on it.
void accept_machine(const fs::path& file) {
  const std::string stack = stack_of(file, "hardware");
  const char* const program = stack == "cann" ? "hyperparallel.yaml" : "cuda.yaml";
  accept_over(configs_folder() / "programs" / program, file);
}

// Loads the file as the program, on a machine that it runs on.
void accept_program(const fs::path& file) {
  const char* const machine = stack_of(file, "program") == "cann" ? "a3_24_48.yaml" : "h100_node.yaml";
  accept_over(configs_folder() / "hardware" / machine, file);
}

// Loads the file in place of a model. One model may give the number of experts and another the number per
// rank.
void accept_model(const fs::path& file) {
  const fs::path configs = configs_folder();
  parse_experiment(
      fmt::format(
          "include: ['{}', '{}', '{}', '{}']\nparallel: {{ep: 8}}\nexperiment: {{name: of the model}}\n",
          (configs / "hardware" / "a3_24_48.yaml").string(),
          (configs / "programs" / "hyperparallel.yaml").string(),
          (configs / "orders" / "published.yaml").string(), fs::absolute(file).string()),
      file.string(), {});
}

constexpr std::string_view kExperiments = "experiments";

A3SIM_REGISTER(Document, "experiment", "what to run, on what",
               Document{kExperiments, "ep8", "a3sim run FILE", read_with_jobs, accept_experiment});
A3SIM_REGISTER(Document, "hardware", "a device and its links, each value with its source",
               Document{"hardware", "a3",
                        "in an experiment of its own, laid over another: include: [EXPERIMENT, FILE]",
                        read_with_jobs, accept_machine, "hardware", kExperiments});
A3SIM_REGISTER(Document, "program", "how code that runs on a device works, each value with its source",
               Document{"programs", "hyperparallel",
                        "in an experiment, in place of its program: include: [EXPERIMENT, FILE]",
                        read_with_jobs, accept_program, "program", kExperiments,
                        "experiment order tiling cut l2 graph gemm framework triton tutel workers"});
A3SIM_REGISTER(Document, "model", "a MoE layer",
               Document{"models", "deepseek_v3",
                        "in an experiment, in place of its model: include: [..., FILE]", read_with_jobs,
                        accept_model, "model", kExperiments});
A3SIM_REGISTER(Document, "order", "the order of tasks in the queues",
               Document{"orders", "full", "a3sim try FILE", read_with_jobs,
                        [](const fs::path& file) { read_order_file(file); }, "order", kExperiments});

}  // namespace
}  // namespace a3sim
