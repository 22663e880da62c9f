#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/study/data/carried_layer.h"
#include "sim/study/data/data_report.h"

namespace a3sim {

// Micro-batches of a layer on streams at a small shape, with real tensors: outputs and input gradients must be bit
// by bit those of plain loops over tokens and experts, whatever moves; weight gradients too where one rank sums them,
// else within three roundings of the sum of their terms' sizes.
class LayerCheck {
 public:
  // Throws InputError as load_experiment() does, and for what does not run on streams.
  LayerCheck(const std::string& file, std::span<const std::string> overrides, std::uint64_t seed);

  struct Outcome {
    TensorComparison compared;  // different: in any bit, or beyond the bound
    bool bounded = false;
  };
  const Experiment& experiment() const { return experiment_; }
  std::uint32_t batches() const { return static_cast<std::uint32_t>(batches_.counts.size()); }

  // The passes of a micro-batch, as they are written; `forward` is run, `backward` after it.
  struct Passes {
    StreamPass forward, backward;
    std::uint64_t copied = 0;  // tasks that copy engines run
  };
  Passes passes(std::uint32_t batch) const;
  // Their tensors, once both have been run, held up as they are.
  std::vector<Outcome> outcome(std::uint32_t batch, const Passes& passes) const;
  // Runs them, every second task later than it could by up to a pass's length, drawn from a seed.
  void run(Passes& passes, std::optional<std::uint64_t> held_up = {}) const;

 private:
  LayerData data_of(std::uint32_t batch) const;

  Experiment experiment_;
  std::uint64_t seed_;
  Hardware hardware_;
  mutable KernelCost cost_;
  Batches batches_;
};

// All micro-batches of the check, told as other checks are.
DataFindings check_layer(const LayerCheck& check, const std::optional<std::uint64_t>& adversary);

}  // namespace a3sim
