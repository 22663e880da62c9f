#pragma once

#include <rapidcheck.h>

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "sim/experiment/experiment.h"

namespace a3sim {

enum class Backends : std::uint8_t { kAll, kNative };  // SimGrid's engine is one a process, and slow

// A valid configuration of a small MoE-FFN, as the draws that it follows from. Any draws give one; smaller
// ones give a simpler one: zeros are one rank that runs one token, statically, on the shipped machine.
// Printed as the overrides of configs/experiments/ep4.yaml that give it.
struct RandomConfig {
  static constexpr std::size_t kDraws = 96;
  static constexpr std::uint32_t kMostDraw = 1 << 16;  // exclusive

  Backends backends = Backends::kNative;
  std::array<std::uint32_t, kDraws> draws{};
};

// The same of every compiler and machine.
RandomConfig config_of(std::uint64_t seed);

std::vector<std::string> overrides_of(const RandomConfig& config);
// `more`: further overrides.
Experiment experiment_of(const RandomConfig& config, const std::vector<std::string>& more = {});

std::ostream& operator<<(std::ostream& out, const RandomConfig& config);

}  // namespace a3sim

namespace rc {

template <>
struct Arbitrary<a3sim::RandomConfig> {
  static Gen<a3sim::RandomConfig> arbitrary();
};

}  // namespace rc
