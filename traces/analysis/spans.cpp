#include "traces/analysis/spans.h"

#include <algorithm>

namespace a3sim {

void Spans::unite() {
  std::sort(spans_.begin(), spans_.end());
  std::size_t kept = 0;
  for (const auto& [from, to] : spans_) {
    if (kept > 0 && from <= spans_[kept - 1].second) {
      spans_[kept - 1].second = std::max(spans_[kept - 1].second, to);
    } else {
      spans_[kept++] = {from, to};
    }
  }
  spans_.resize(kept);
}

Duration Spans::length() const {
  Duration sum{};
  for (const auto& [from, to] : spans_) sum += to - from;
  return sum;
}

Duration Spans::common(const Spans& other) const {
  Duration sum{};
  auto b = other.spans_.begin();
  for (const auto& [from, to] : spans_) {
    while (b != other.spans_.end() && b->second <= from) ++b;
    for (auto c = b; c != other.spans_.end() && c->first < to; ++c) {
      sum += std::min(to, c->second) - std::max(from, c->first);
    }
  }
  return sum;
}

}  // namespace a3sim
