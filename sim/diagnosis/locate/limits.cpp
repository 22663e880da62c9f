#include "sim/diagnosis/locate/limits.h"

#include "sim/core/config/config.h"

namespace a3sim {

LocateLimits read_locate_limits(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  const LocateLimits limits = read_locate_limits(Config::load(file, {}, diagnostics));
  diagnostics.throw_if_any();
  return limits;
}

LocateLimits read_locate_limits(const Config& root) {
  constexpr std::int64_t kMostSteps = 4096;
  constexpr double kMost = 100;
  const Config limits_map = root.map("locate").with_sources(true);
  LocateLimits limits;
  const auto steps = [&](const char* key, std::uint32_t& value) {
    value = static_cast<std::uint32_t>(limits_map.integer(key, 1, kMostSteps));
  };
  const auto number = [&](const char* key, double& value) { value = limits_map.number(key, 0, kMost); };
  steps("window", limits.window);
  number("share", limits.share);
  number("deviations", limits.deviations);
  number("sure_share", limits.sure_share);
  number("sure_deviations", limits.sure_deviations);
  number("lasting", limits.lasting);
  number("shift", limits.shift);
  steps("shift_window", limits.shift_window);
  number("reference", limits.reference);
  number("suspect", limits.suspect);
  number("stable", limits.stable);
  steps("apart", limits.apart);
  steps("recorded", limits.recorded);
  steps("watched", limits.watched);
  limits_map.finish();
  root.finish();
  return limits;
}

}  // namespace a3sim
