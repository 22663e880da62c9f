#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/check/carried_layer.h"
#include "sim/check/data_report.h"

namespace a3sim {

// Checks micro-batches of a layer on streams at a small shape, with real tensors. Outputs and input
// gradients must equal those of plain loops over tokens and experts, bit by bit, whatever moves. So must
// weight gradients that one rank sums; others may differ by three roundings of the sum of their terms'
// sizes.
class LayerCheck {
 public:
  // Throws InputError as load_experiment() does, and if the experiment does not run on streams.
  LayerCheck(const std::string& file, std::span<const std::string> overrides, std::uint64_t seed);

  struct Outcome {
    TensorComparison compared;  // `different` counts bits, or values beyond the bound
    bool bounded = false;
  };
  const Experiment& experiment() const { return experiment_; }
  std::uint32_t batches() const { return static_cast<std::uint32_t>(batches_.counts.size()); }

  // The passes of a micro-batch. `forward` is run first.
  struct Passes {
    StreamPass forward, backward;
    std::uint64_t copied = 0;  // tasks that copy engines run
  };
  Passes passes(std::uint32_t batch) const;
  // Compares the tensors of both passes, which have been run.
  std::vector<Outcome> outcome(std::uint32_t batch, const Passes& passes) const;
  // Runs both passes. With a seed, about half of the tasks start later, by up to the length of a pass.
  void run(Passes& passes, std::optional<std::uint64_t> held_up = {}) const;

 private:
  LayerData data_of(std::uint32_t batch) const;

  Experiment experiment_;
  std::uint64_t seed_;
  Hardware hardware_;
  mutable KernelCost cost_;
  Batches batches_;
};

// Checks all micro-batches; reports as other checks do.
DataFindings check_layer(const LayerCheck& check, const std::optional<std::uint64_t>& adversary);

}  // namespace a3sim
