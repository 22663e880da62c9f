#pragma once

#include <vector>

#include "sim/experiment/methods/method.h"

namespace a3sim {

// Some experts' weights go to all ranks, which compute them for their own tokens; the others stay at home.
class Shadowed final : public ExpertPlan {
 public:
  struct Options {
    bool by_workers = false;  // weights and gradients move in kernels, exposed; else by copy engines
    bool in_two = false;      // products of one half of the experts beside the communication of the other
  };
  Shadowed(const MicroBatch& batch, std::vector<std::uint32_t> shadows, Options options);

  std::vector<double> rows() const override;
  void forward(Layer& layer) const override { pass(layer, true); }
  void backward(Layer& layer) const override { pass(layer, false); }

 private:
  void pass(Layer& layer, bool forward) const;
  // Weights of the shadows, on all ranks; for `by_workers` or not.
  Each weights(Layer& layer, const Each& after) const;
  void gradients(Layer& layer, const Each& computed) const;
  ExchangedBytes between_homes(const Layer& layer) const;
  // Experts that a stage of `stages` leaves out: shadows, and those of the other stages.
  std::vector<bool> left_out(std::uint32_t stage, std::uint32_t stages) const;
  RowsByExpert rows_of(std::uint32_t rank, std::uint32_t stage, std::uint32_t stages) const;

  const MicroBatch& batch_;
  std::vector<std::uint32_t> shadows_;
  Options options_;
};

// FasterMoE's choice, from the loads of the last micro-batch.
std::vector<std::uint32_t> faster_shadows(const MicroBatch& batch, const Layer& layer);

}  // namespace a3sim
