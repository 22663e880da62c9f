#pragma once

#include <rapidcheck.h>

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "sim/experiment/experiment.h"

namespace a3sim {

// SimGrid's engine exists once per process and is slow
enum class Backends : std::uint8_t { kAll, kNative };

// The draws of a valid configuration of a small MoE-FFN. All draws are valid; smaller ones give simpler
// configurations, zeros one rank with one token, static, on the shipped machine. Printed as overrides of
// configs/experiments/ep4.yaml.
struct RandomConfig {
  static constexpr std::size_t kDraws = 96;
  static constexpr std::uint32_t kMostDraw = 1 << 16;  // exclusive

  Backends backends = Backends::kNative;
  std::array<std::uint32_t, kDraws> draws{};
};

// Returns the same draws with every compiler and on every machine.
RandomConfig config_of(std::uint64_t seed);

std::vector<std::string> overrides_of(const RandomConfig& config);
// `more` are further overrides.
Experiment experiment_of(const RandomConfig& config, const std::vector<std::string>& more = {});

std::ostream& operator<<(std::ostream& out, const RandomConfig& config);

}  // namespace a3sim

namespace rc {

template <>
struct Arbitrary<a3sim::RandomConfig> {
  static Gen<a3sim::RandomConfig> arbitrary();
};

}  // namespace rc
