#pragma once

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <sstream>
#include <string>

#include "tests/invariants/random_config.h"

namespace a3sim {

// Fewer configurations suffice under sanitizers, which check the code.
#ifdef NDEBUG
inline constexpr int kConfigs = 1000;
#else
inline constexpr int kConfigs = 50;
#endif

// Checks a property for `configs` random configurations, the same ones in every run. RC_PARAMS in the
// environment draws others ("seed=7 max_success=20000"). Shrinks and prints a configuration for which the
// property fails.
template <class Property>
void for_all(Backends backends, const Property& property, int configs = kConfigs) {
  rc::detail::TestParams params;
  params.seed = 1;
  params.maxSuccess = configs;
  if (const char* other = std::getenv("RC_PARAMS")) {
    rc::detail::Configuration defaults;
    defaults.testParams = params;
    params = rc::detail::configFromString(other, defaults).testParams;
  }
  const auto result = rc::detail::checkTestable(
      [&] {
        property(*rc::gen::map(rc::gen::arbitrary<RandomConfig>(), [backends](RandomConfig config) {
          config.backends = backends;
          return config;
        }));
      },
      rc::detail::TestMetadata{}, params);
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  INFO(text.str());
  CHECK(result.template is<rc::detail::SuccessResult>());
}

}  // namespace a3sim
