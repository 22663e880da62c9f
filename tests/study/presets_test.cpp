#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/experiment/configs_folder.h"
#include "sim/experiment/experiment.h"
#include "sim/study/published/published_table.h"

using namespace a3sim;

namespace {

const std::filesystem::path kPresets = configs_folder() / "presets";

Experiment under_preset(const std::string& experiment, const std::filesystem::path& preset) {
  const std::string text =
      fmt::format("include: ['{}', '{}']\n",
                  (configs_folder() / "experiments" / (experiment + ".yaml")).string(), preset.string());
  return parse_experiment(text, preset.stem().string() + ".yaml", {});
}

}  // namespace

TEST_CASE("Every shipped preset lies over the experiments of the paper's layer") {
  for (const std::filesystem::path& file : files_in(kPresets)) {
    INFO(file);
    for (const char* experiment : {"ep4", "ep8", "ep16"})
      CHECK_NOTHROW(static_cast<void>(under_preset(experiment, file)));
  }
}

TEST_CASE("The table of presets has each shipped preset at each group under each routing") {
  const PublishedTable table = read_published_table(configs_folder(), "presets");
  const std::vector<std::string> presets = names_in(kPresets);
  std::size_t found = 0;
  for (const std::string& preset : presets) {
    const std::string file = fmt::format("presets/{}.yaml", preset);
    for (const PublishedCase& one : table.cases) {
      if (one.coordinates.at("preset") != preset) continue;
      ++found;
      CHECK(std::ranges::any_of(one.overrides, [&](const std::string& set) {
        return set.starts_with("include=") && set.ends_with(file);
      }));
    }
  }
  constexpr std::size_t kGroups = 3, kRoutings = 2;
  CHECK(found == presets.size() * kGroups * kRoutings);
  CHECK(found == table.cases.size());
}
