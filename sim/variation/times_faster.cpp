#include "sim/variation/times_faster.h"

#include <fmt/format.h>

namespace a3sim {

std::string times_faster(const std::string& name_a, const Latencies& a, const std::string& name_b,
                         const Latencies& b) {
  const MedianInterval longer = relative_difference(a, b);
  if (!longer.clear()) return {};
  if (longer.median < 0) return times_faster(name_b, b, name_a, a);
  constexpr double kNearOne = 1.1;
  const double ratio = 1 + longer.median, half = (longer.high - longer.low) / 2;
  const int digits = ratio < kNearOne ? 3 : 2;
  const std::string around = half > 0 ? fmt::format(" ± {:.{}f}", half, digits) : std::string();
  return fmt::format("{} is {:.{}f}{} times faster than {}", name_b, ratio, digits, around, name_a);
}

}  // namespace a3sim
