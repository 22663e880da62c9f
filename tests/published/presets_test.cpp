#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/core/read_file.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/run/compiled.h"
#include "sim/experiment/step/step_sections.h"
#include "sim/published/published_table.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

const std::filesystem::path kPresets = configs_folder() / "presets";

Experiment under_preset(const std::string& experiment, const std::filesystem::path& preset) {
  const std::string text =
      fmt::format("include: ['{}', '{}']\n",
                  (configs_folder() / "experiments" / (experiment + ".yaml")).string(), preset.string());
  return parse_experiment(text, preset.stem().string() + ".yaml", {});
}

// A step of two small layers with experts.
std::vector<std::string> small_step(std::vector<std::string> more) {
  std::vector<std::string> set{"step.sequence=256",
                               "step.micro_batch=1",
                               "step.global_batch=64",
                               "parallel.ep=4",
                               "step.draws=2",
                               "model.hidden=512",
                               "model.intermediate=256",
                               "model.experts_per_rank=4",
                               "model.top_k=2",
                               "model.dense_intermediate=512",
                               "model.shared_intermediate=256",
                               "model.layers=[embedding, 2 moe, head]"};
  set.insert(set.end(), more.begin(), more.end());
  return set;
}

SimulatedStep step_under(const std::vector<std::string>& set) {
  return simulate_step(
      load_experiment(configs_folder() / "experiments" / "step_end_to_end.yaml", small_step(set)));
}

// Returns whether a few ranks can represent all of them.
bool is_alike(const Experiment& experiment) {
  try {
    compile_all(experiment);
    return experiment.representatives > 0;
  } catch (const InputError& error) {
    CHECK_THAT(error.what(), Contains("ranks are not alike"));
    return false;
  }
}

bool has_key(const std::filesystem::path& preset, const char* line) {
  return read_file(preset).find(line) != std::string::npos;
}

}  // namespace

TEST_CASE("Every preset is the MoE-FFN of a step, with another one backward where it has none") {
  for (const std::filesystem::path& file : files_in(kPresets)) {
    INFO(file);
    const std::string experts = "step.experts=" + file.stem().string();
    const bool forward_only = has_key(file, "pass: forward");
    std::vector<std::string> set{experts};
    if (forward_only) {
      CHECK_THROWS_WITH(step_under(set), Contains("step.experts_backward=hyperparallel"));
      set.emplace_back("step.experts_backward=hyperparallel");
    }
    const SimulatedStep step = step_under(set);
    CHECK(step.figures.time > Duration::zero());
    const std::vector<ExpertTimes>* const own = experts_of(step.prepared);
    REQUIRE(own != nullptr);
    if (!forward_only) continue;
    const SimulatedStep backward = step_under({"step.experts=hyperparallel"});
    const std::vector<ExpertTimes>& others = *experts_of(backward.prepared);
    REQUIRE(others.size() == own->size());
    for (std::size_t draw = 0; draw < others.size(); ++draw) {
      CHECK(others[draw].backward.alone == (*own)[draw].backward.alone);
      CHECK(others[draw].forward.alone != (*own)[draw].forward.alone);
    }
  }
}

TEST_CASE(
    "A preset over a step is what it is if the step's file includes it, and what is wrong with it is told") {
  const std::string text = fmt::format("include: ['{}', '{}']\n",
                                       (configs_folder() / "experiments" / "step_end_to_end.yaml").string(),
                                       (kPresets / "tutel.yaml").string());
  CHECK(step_under({"step.experts=tutel"}).figures.time ==
        simulate_step(parse_experiment(text, "step.yaml", small_step({}))).figures.time);
  CHECK_THROWS_WITH(step_under({"step.experts=tutle"}), Contains("did you mean 'tutel'"));
  CHECK_THROWS_WITH(step_under({"step.experts_backward=tutel"}), Contains("expected that too"));
  CHECK_THROWS_WITH(step_under({"experiment.pass=forward"}), Contains("step.experts_backward"));
}

TEST_CASE("Every shipped preset lies over the experiments of the paper's layer") {
  for (const std::filesystem::path& file : files_in(kPresets)) {
    INFO(file);
    for (const char* experiment : {"ep4", "ep8", "ep16"})
      CHECK_NOTHROW(static_cast<void>(under_preset(experiment, file)));
  }
}

TEST_CASE(
    "The table of presets has each shipped preset at each group under each routing, and at EP64 those whose "
    "ranks "
    "are alike",
    "[slow]") {
  const PublishedTable table = read_published_table(configs_folder(), "presets");
  constexpr std::size_t kGroups = 3, kRoutings = 2;
  std::size_t expected = 0;
  for (const std::string& preset : names_in(kPresets)) {
    INFO(preset);
    const std::filesystem::path file = kPresets / (preset + ".yaml");
    std::size_t found = 0;
    for (const PublishedCase& one : table.cases) {
      if (one.coordinates.at("preset") != preset) continue;
      ++found;
      CHECK(std::ranges::any_of(one.overrides, [&](const std::string& set) {
        return set.starts_with("include=") && set.ends_with(preset + ".yaml");
      }));
    }
    CHECK(found == kGroups * kRoutings + (is_alike(under_preset("ep64", file)) ? 1 : 0));
    expected += found;
  }
  CHECK(expected == table.cases.size());
}
