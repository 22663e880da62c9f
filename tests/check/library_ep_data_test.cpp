#include <catch2/catch.hpp>

#include "tests/check/small.h"

using namespace a3sim;

// Rows quantised once per token or once for each expert, put or pulled, by a fused kernel and as a taskflow.
TEST_CASE("dispatch in int8 brings every row and its scale, whoever quantises and moves it") {
  const std::vector<std::string> nothing_wrong;
  for (const char* const execution : {"fused", "static"}) {
    for (const char* const quantize : {"token", "row"}) {
      for (const char* const mover : {"put", "pull"}) {
        if (std::string_view(mover) == "pull" && std::string_view(quantize) == "token") continue;
        INFO(execution << ", " << quantize << ", " << mover);
        const std::vector<std::string> set{
            "library_ep.dispatch=int8", std::string("experiment.execution=") + execution,
            std::string("library_ep.quantize=") + quantize, std::string("library_ep.mover=") + mover};
        const std::vector<DataCase> cases =
            small_cases(configs_folder() / "experiments" / "library_ep.yaml", set, kDataSeed);
        REQUIRE(!cases.empty());
        CHECK(wrong(cases) == nothing_wrong);
        CHECK(wrong(cases, {.seed = 7}) == nothing_wrong);
      }
    }
  }
}
