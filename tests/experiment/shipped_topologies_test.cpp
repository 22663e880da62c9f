#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/experiment.h"

using namespace a3sim;

TEST_CASE("Every shipped topology lies under an experiment on a machine that has its planes") {
  const std::filesystem::path configs = configs_folder();
  std::size_t files = 0;
  for (const std::filesystem::path& file : files_in(configs / "topologies")) {
    INFO(file);
    const bool gpus = file.stem() == "superpod";
    const std::string machine =
        gpus ? fmt::format("'{}', '{}', ", (configs / "hardware/h100_node.yaml").string(),
                           (configs / "programs/cuda.yaml").string())
             : "";
    const std::string text = fmt::format("include: ['{}', {}'{}']\n",
                                         (configs / "experiments/ep8.yaml").string(), machine, file.string());
    const Experiment experiment = parse_experiment(text, "topology.yaml", {});
    CHECK(experiment.run.cables.size() == 1);
    CHECK(experiment.network == "native");
    ++files;
  }
  CHECK(files >= 3);
}
