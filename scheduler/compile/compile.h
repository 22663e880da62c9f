#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/graph/graph.h"
#include "models/placement.h"
#include "models/routing/routing.h"
#include "scheduler/orders/order.h"
#include "scheduler/ssc/ssc.h"

namespace a3sim {

// What a task weighs when the compiler looks for longest paths: peak rates of one worker, no contention.
struct PathRates {
  double flops_per_second = 0;  // one cube worker
  double bytes_per_second = 0;  // one vector worker
  friend bool operator==(const PathRates&, const PathRates&) = default;
};

struct CompileOptions {
  MoeShape shape;
  RoutingCounts capacity;  // of the shape bucket; counts of one routing if compiled for it
  CutOptions cut;
  OrderSpec order;
  WorkerKinds workers;  // that run tasks
  PathRates path_rates;
  Placement placement;  // of the ranks, for orders that ask how far a task sends
  // Ranks that stand for all: the group turns by so many (turns.h), and they alone get schedules. 0: all do.
  std::uint32_t kept = 0;
  friend bool operator==(const CompileOptions&, const CompileOptions&) = default;
};

// How much waiting the shared events add over the exact dependencies.
struct SharingReport {
  std::uint64_t exact_pairs = 0;   // (consumer, producer) pairs after transitive reduction
  std::uint64_t shared_pairs = 0;  // pairs that the events make wait
  std::uint64_t joins = 0;         // Join tasks that had to go between
};

struct Compilation {
  Schedule schedule;
  SharingReport sharing;
};

// Partitions of every tensor after split propagation, by TensorId, and the tiles of every operator, by OpId.
struct Splits {
  std::vector<Partition> tensors;
  std::vector<std::uint32_t> tiles;
};
Splits propagate_splits(const Graph& graph, const MoeShape& shape, const CutOptions& cut);

// Compiles a graph for every rank. `name` is the graph's, kept in the schedules.
// Throws InputError for an order that names what does not exist or an option that fits no worker, and for one
// that ranks which are to be alike do not follow alike.
Compilation compile(const Graph& graph, const std::string& name, const CompileOptions& options);

}  // namespace a3sim
