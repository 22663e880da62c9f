#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/compare/orders/order_comparison.h"
#include "sim/experiment/run/run_experiment.h"

namespace a3sim {

// How a pass's puts to other ranks meet: means over the time in which some are under way.
struct PutsAtOnce {
  double time = 0;          // seconds with any put under way
  double destinations = 0;  // ranks that a sending rank's puts go to at once
  double busiest = 0;       // puts to the busiest receiver, over the mean of all receivers
};

// Reasons, from a run with all task records, for the gain of what makes it differ from another run: an order, puts,
// tiles.
struct IngredientFacts {
  std::vector<std::string> pass_names;
  std::vector<TriedOrder::Pass> passes;
  WorkerKinds workers;                        // of all ranks together
  std::vector<std::string> keys[kCoreUnits];  // of the order
  PutsAtOnce puts;                            // of all passes
  std::uint32_t ranks = 0;

  void add(const IngredientFacts& other);  // a further pass
};
IngredientFacts facts_of(const Experiment& experiment, const PassResult& pass);

// Says why a run takes longer or less than the other, `longer` as a share of it: the main reason where there is one; else
// what the ingredient would have to change, and that it is the same in both. Empty if their workers differ.
std::string reason_for(const IngredientFacts& with, const IngredientFacts& without, double longer);

}  // namespace a3sim
