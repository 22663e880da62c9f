#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/core/rng.h"
#include "tests/fuzz/target.h"

namespace a3sim {
namespace {

// Every seed of a target, and changes of it that are the same in every run.
TEST_CASE("Readers take whatever bytes they are given") {
  constexpr int kChanges = 30;
  const std::filesystem::path corpora = std::filesystem::path(A3SIM_SOURCE_DIR) / "tests/fuzz/corpus";
  for (const auto& [name, item] : FuzzTargets::all()) {
    std::vector<std::filesystem::path> seeds;
    for (const auto& entry : std::filesystem::directory_iterator(corpora / name))
      seeds.push_back(entry.path());
    std::ranges::sort(seeds);
    REQUIRE_FALSE(seeds.empty());
    Rng rng(1);
    for (const std::filesystem::path& seed : seeds) {
      const std::string text = read_file(seed);
      for (int change = 0; change <= kChanges; ++change) {
        std::string changed = text;
        for (int i = 0; i < change % 4 && !changed.empty(); ++i)
          changed[rng.below(changed.size())] = static_cast<char>(rng.below(256));
        if (change % 10 == 9) changed.resize(rng.below(changed.size() + 1));
        INFO(seed.string() << ", change " << change);
        try {
          item.object->take(changed);
        } catch (const Error& refused) {
          CHECK_FALSE(std::string_view(refused.what()).empty());
        }
      }
    }
  }
}

}  // namespace
}  // namespace a3sim
