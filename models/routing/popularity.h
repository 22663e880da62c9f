#pragma once

#include <cstdint>
#include <vector>

#include "models/shape.h"
#include "sim/core/rng.h"

namespace a3sim {

// Returns a standard normal draw.
double normal_draw(Rng& rng);

// How often each expert is chosen: weights as integers, so that draws do not depend on how a machine rounds
// sums. Experts are found by prefix sums.
class Popularity {
 public:
  // Weights are limited, so that every expert can be drawn and their sum does not overflow.
  explicit Popularity(const std::vector<double>& weights);

  // Returns the expert for a number drawn uniformly from 64 bits.
  std::uint32_t expert(std::uint64_t drawn) const;

  // Returns top_k different experts for each of the shape's tokens, drawn one after another by popularity.
  std::vector<std::uint32_t> assign(const MoeShape& shape, Rng rng) const;

 private:
  std::vector<std::uint64_t> bounds_;
  int shift_;
  std::vector<std::uint32_t> first_;  // by the upper bits of a sum: the first expert that may have it
};

}  // namespace a3sim
