#pragma once

#include <cstdint>
#include <vector>

namespace a3sim {

// The sort keys of one unit's tasks in one part of a problem: terms of the space, or the keys of an order to start from.
struct QueueGenes {
  std::uint32_t keys_of = 0;           // 0: terms; else 1 + the start whose keys it has
  std::vector<std::uint8_t> sequence;  // the terms, most significant first; all of them once
  std::vector<std::uint8_t> picks;     // by term: which of its keys
  friend bool operator==(const QueueGenes&, const QueueGenes&) = default;
};

// A choice per decision of a SearchProblem.
struct Candidate {
  std::uint32_t rest_of = 0;  // the start from which an order's other entries come: pools, assignment, ...
  std::vector<QueueGenes> queues;      // by part of the problem, then by unit
  std::vector<std::uint8_t> settings;  // by decision: which value
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

}  // namespace a3sim
