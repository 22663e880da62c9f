#include "tests/invariants/run_check.h"

#include "tests/invariants/for_all.h"

using namespace a3sim;

TEST_CASE("what holds of every run: bytes, resources, times, starts, causes") {
  constexpr std::size_t kChecks = 5;
  REQUIRE(RunCheck::all().size() == kChecks);
  for_all(Backends::kAll, [](const RandomConfig& config) {
    const CountedRun run = observe(config);
    for (const RunCheck* check : RunCheck::all()) {
      RC_LOG(std::string(check->name));  // the last one printed is what does not hold
      check->holds(run);
    }
  });
}
