#pragma once

#include <vector>

namespace a3sim {

// The middle one of numbers, the mean of the two in the middle; of none: 0.
double median(std::vector<double> numbers);

}  // namespace a3sim
