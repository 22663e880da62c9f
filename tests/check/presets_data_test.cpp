#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/check/small.h"
#include "tests/scratch_directory.h"

using namespace a3sim;

namespace {

const std::vector<std::string> kNothingWrong;

std::vector<DataCase> cases_under(const std::filesystem::path& preset, const std::vector<std::string>& more) {
  const ScratchDirectory scratch;
  const std::string text = fmt::format(
      "include: ['{}', '{}']\n", (configs_folder() / "experiments" / "ep4.yaml").string(), preset.string());
  return small_cases(scratch.add("preset.yaml", text), more, kDataSeed);
}

}  // namespace

TEST_CASE("under every shipped preset the right thing is computed, also when tasks are held up", "[slow]") {
  const std::vector<std::vector<std::string>> routings = {
      {}, {"model.top_k=1", "routing.kind=sampled", "routing.seed=3", "routing.skew=3"}};
  for (const std::filesystem::path& file : files_in(configs_folder() / "presets")) {
    for (const std::vector<std::string>& routing : routings) {
      INFO(file << (routing.empty() ? ", balanced" : ", skewed"));
      const std::vector<DataCase> cases = cases_under(file, routing);
      CHECK(wrong(cases) == kNothingWrong);
      CHECK(wrong(cases, {.seed = 7}) == kNothingWrong);
    }
  }
}
