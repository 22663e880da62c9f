#include "traces/analysis/median.h"

#include <algorithm>

namespace a3sim {

double median(std::vector<double> numbers) {
  if (numbers.empty()) return 0;
  const auto half = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, half);
  if (numbers.size() % 2 == 1) return *half;
  return (*half + *std::max_element(numbers.begin(), half)) / 2;
}

}  // namespace a3sim
