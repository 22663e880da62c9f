#include "sim/experiment/step/time_class.h"

#include <algorithm>

namespace a3sim {

ClassTimes scaled(const ClassTimes& times, Duration total) {
  const Duration all = sum_of(times);
  ClassTimes out{};
  if (all == Duration::zero()) {
    at(out, TimeClass::kRest) = total;
    return out;
  }
  const double factor = static_cast<double>(total.count()) / static_cast<double>(all.count());
  for (std::uint32_t c = 0; c < kTimeClasses; ++c)
    out[c] = Duration(static_cast<std::int64_t>(static_cast<double>(times[c].count()) * factor));
  *std::ranges::max_element(out) += total - sum_of(out);
  return out;
}

}  // namespace a3sim
