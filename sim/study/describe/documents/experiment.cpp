#include "sim/experiment/experiment.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "sim/core/error.h"
#include "sim/experiment/configs_folder.h"
#include "sim/experiment/job_blocks.h"
#include "sim/experiment/order_file.h"
#include "sim/study/describe/document.h"
#include "sim/study/monitor/job.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

// An experiment, and each of its blocks, which have files of their own to be included.
class ExperimentDocument : public Document {
 public:
  std::string_view folder() const override { return "experiments"; }
  std::string_view usual() const override { return "ep8"; }
  std::string_view use() const override { return "a3sim run FILE"; }
  std::vector<fs::path> samples() const override { return shipped("experiments"); }

  void read(const Config& root, Diagnostics& diagnostics, const fs::path&) const override {
    FaultSite site;
    std::uint32_t launches = 1;
    try {
      const Experiment experiment = read_experiment(root, diagnostics);
      site.ranks = experiment.shape.ep;
      launches = static_cast<std::uint32_t>(experiment.passes.size());
    } catch (const Error& error) {  // the blocks of jobs are read all the same
      spdlog::debug("{}", error.what());
    }
    read_host_options(root.map("hosts"), launches, {});
    Injection injection;
    read_injection(root, site, injection);
  }

  void accept(const fs::path& file) const override {
    Diagnostics diagnostics;
    const Config root = Config::load(file, {}, diagnostics);
    bool job = false;
    for (const char* block : kJobBlocks) job |= root.has(block);
    if (job)
      load_job(file, {}, {});
    else
      load_experiment(file, {});
  }
};

// A part of one, laid over a shipped experiment.
class PartDocument : public ExperimentDocument {
 public:
  PartDocument(std::string_view folder, std::string_view block, std::string_view usual)
      : folder_(folder), block_(block), usual_(usual) {}
  std::string_view folder() const override { return folder_; }
  std::string_view usual() const override { return usual_; }
  std::string_view use() const override {
    return "in an experiment of its own, laid over another: include: [EXPERIMENT, FILE]";
  }
  std::vector<std::string_view> blocks() const override { return {block_}; }

  void accept(const fs::path& file) const override {
    const fs::path under = configs_folder() / "experiments" / "ep8.yaml";
    parse_experiment(fmt::format("include: ['{}', '{}']\n", under.string(), fs::absolute(file).string()),
                     file.string(), {});
  }

 private:
  std::string_view folder_, block_, usual_;
};

// Of two models, one may say how many experts there are and the other how many a rank has: it takes the other's place.
class ModelDocument final : public PartDocument {
 public:
  ModelDocument() : PartDocument("models", "model", "deepseek_v3") {}
  std::string_view use() const override {
    return "in an experiment, in place of its model: include: [..., FILE]";
  }
  void accept(const fs::path& file) const override {
    const fs::path configs = configs_folder();
    parse_experiment(
        fmt::format("include: ['{}', '{}', '{}']\nparallel: {{ep: 8}}\nexperiment: {{name: of the model}}\n",
                    (configs / "hardware" / "a3_24_48.yaml").string(),
                    (configs / "orders" / "published.yaml").string(), fs::absolute(file).string()),
        file.string(), {});
  }
};

class OrderDocument final : public PartDocument {
 public:
  OrderDocument() : PartDocument("orders", "order", "full") {}
  std::string_view use() const override { return "a3sim try FILE"; }
  void accept(const fs::path& file) const override { read_order_file(file); }
};

A3SIM_REGISTER(Document, "experiment", "what to run, on what", ExperimentDocument);
A3SIM_REGISTER(Document, "hardware", "a device and its links, each value with its source",
               PartDocument("hardware", "hardware", "a3"));
A3SIM_REGISTER(Document, "model", "a MoE layer", ModelDocument);
A3SIM_REGISTER(Document, "order", "the order of tasks in the queues", OrderDocument);

}  // namespace
}  // namespace a3sim
