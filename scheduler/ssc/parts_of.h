#pragma once

#include <vector>

#include "scheduler/ssc/ssc.h"

namespace a3sim {

// Returns copies of a schedule's parts, so that tests can change them.
inline SscParts parts_of(const Ssc& ssc) {
  const auto copy = [](const auto& span) { return std::vector(span.begin(), span.end()); };
  SscParts parts;
  parts.shape = ssc.shape();
  parts.rank = ssc.rank();
  parts.sent_capacity = copy(ssc.sent_capacity());
  parts.received_capacity = copy(ssc.received_capacity());
  parts.graph = ssc.graph();
  parts.order = ssc.order();
  parts.assignment = ssc.assignment();
  parts.kinds = ssc.kinds();
  for (std::uint32_t q = 0; q < ssc.queues(); ++q) parts.queues.push_back(copy(ssc.queue(q)));
  parts.tensors = copy(ssc.tensors());
  parts.operators = copy(ssc.operators());
  parts.tilings = copy(ssc.tilings());
  parts.tasks = copy(ssc.tasks());
  parts.regions = copy(ssc.regions());
  parts.events = copy(ssc.events());
  parts.worker_sets = copy(ssc.worker_sets());
  return parts;
}

}  // namespace a3sim
