#pragma once

#include <cstdint>
#include <vector>

namespace a3sim {

// The sort keys of one unit's tasks in one part of a problem: terms of the space, or the keys of an order
// to start from.
struct QueueGenes {
  std::uint32_t keys_of = 0;           // 0: terms; else 1 + the start whose keys it takes
  std::vector<std::uint8_t> sequence;  // permutation of the terms, most significant first
  std::vector<std::uint8_t> picks;     // for each term, the position of its key
  friend bool operator==(const QueueGenes&, const QueueGenes&) = default;
};

// A choice for each decision of a SearchProblem.
struct Candidate {
  std::uint32_t rest_of = 0;       // the start that gives an order's other entries: pools, assignment, ...
  std::vector<QueueGenes> queues;  // by part of the problem, then by unit
  std::vector<std::uint8_t> settings;  // for each decision, the position of its value
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

}  // namespace a3sim
