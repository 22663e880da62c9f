#include "traces/analysis/stretches.h"

#include <algorithm>

namespace a3sim {

void unite(Stretches& stretches) {
  std::ranges::sort(stretches);
  std::size_t last = 0;
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    if (stretches[i].first <= stretches[last].second)
      stretches[last].second = std::max(stretches[last].second, stretches[i].second);
    else
      stretches[++last] = stretches[i];
  }
  if (!stretches.empty()) stretches.resize(last + 1);
}

Duration length_of(const Stretches& stretches) {
  Duration sum{};
  for (const auto& [start, end] : stretches) sum += end - start;
  return sum;
}

Duration covered(const Stretches& a, const Stretches& b, Duration start, Duration end) {
  Stretches both;
  for (const Stretches* list : {&a, &b}) {
    auto from =
        std::ranges::lower_bound(*list, start, {}, [](const auto& stretch) { return stretch.second; });
    for (; from != list->end() && from->first < end; ++from)
      both.emplace_back(std::max(from->first, start), std::min(from->second, end));
  }
  unite(both);
  return length_of(both);
}

float part_covered(const Stretches& a, const Stretches& b, Duration start, Duration end) {
  if (end <= start) return 0;
  return static_cast<float>(static_cast<double>(covered(a, b, start, end).count()) /
                            static_cast<double>((end - start).count()));
}

}  // namespace a3sim
