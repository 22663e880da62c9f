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

// Rates that turn tasks into times when the compiler looks for longest paths: peak rates of one worker,
// without contention.
struct PathRates {
  double flops_per_second = 0;  // one cube worker
  double bytes_per_second = 0;  // one vector worker
  friend bool operator==(const PathRates&, const PathRates&) = default;
};

struct CompileOptions {
  MoeShape shape;
  RoutingCounts capacity;  // that of the shape bucket, or the counts of the only routing
  CutOptions cut;
  OrderSpec order;
  WorkerKinds workers;  // workers that run tasks
  PathRates path_rates;
  Placement placement;  // where the ranks are, for orders that sort by distance
  // Number of ranks that represent all: the group is periodic (turns.h), and only its first `kept` ranks get
  // schedules. 0: all ranks do.
  std::uint32_t kept = 0;
  friend bool operator==(const CompileOptions&, const CompileOptions&) = default;
};

// The waiting that shared events add to the exact dependencies.
struct SharingReport {
  std::uint64_t exact_pairs = 0;   // (consumer, producer) pairs after transitive reduction
  std::uint64_t shared_pairs = 0;  // pairs whose consumer waits because of the events
  std::uint64_t joins = 0;         // Join tasks that were inserted
};

struct Compilation {
  Schedule schedule;
  SharingReport sharing;
};

// The result of split propagation: the partitions of each tensor, by TensorId, and the number of tiles of
// each operator, by OpId.
struct Splits {
  std::vector<Partition> tensors;
  std::vector<std::uint32_t> tiles;
};
Splits propagate_splits(const Graph& graph, const MoeShape& shape, const CutOptions& cut);

// Compiles a graph for every rank. The schedules store `name`. Throws InputError for an order that names
// something that does not exist, for an option that no worker fits, and if ranks that one representative
// stands for are ordered differently.
Compilation compile(const Graph& graph, const std::string& name, const CompileOptions& options);

}  // namespace a3sim
