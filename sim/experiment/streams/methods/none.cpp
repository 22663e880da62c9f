#include "sim/experiment/streams/methods/method.h"

namespace a3sim {
namespace {

// Keeps every expert at home, and does one thing after another.
class AtHome final : public ExpertPlan {
 public:
  explicit AtHome(const MicroBatch& batch) : batch_(batch) {}

  std::vector<double> rows() const override {
    std::vector<double> rows;
    for (std::uint32_t r = 0; r < batch_.counts.ranks(); ++r) rows.push_back(sum_of(rows_at(batch_, r)));
    return rows;
  }
  void forward(Layer& layer) const override { pass(layer, true); }
  void backward(Layer& layer) const override { pass(layer, false); }

 private:
  void pass(Layer& layer, bool forward) const {
    const ExchangedBytes tokens = dispatch_of(batch_, layer);
    const auto& bulk = layer.bulk();
    const Each known = forward ? layer.counts() : Each{};
    const Each sent =
        layer.exchange({KernelName::kDispatch, tokens, experts_of(batch_), bulk.dispatch}, known);
    Each done;
    for (std::uint32_t r = 0; r < layer.shape().ep; ++r) {
      const RowsByExpert rows = rows_at(batch_, r);
      const double came = tokens.received(r) / layer.row_bytes();
      const std::uint32_t ready = layer.permute(r, forward, came, rows, sent);
      const std::uint32_t computed =
          forward ? layer.forward(r, rows, {ready}) : layer.backward(r, rows, {ready});
      done.push_back(layer.unpermute(r, rows, came, {computed}));
    }
    layer.exchange({KernelName::kCombine, tokens.back(), experts_of(batch_), bulk.combine}, done);
  }

  const MicroBatch& batch_;
};

std::unique_ptr<ExpertPlan> assign_none(const MicroBatch& batch, const MethodOptions&, const Layer&) {
  return std::make_unique<AtHome>(batch);
}

A3SIM_REGISTER(Method, "none", "experts stay at home; one kernel after the other", Method{assign_none});

}  // namespace
}  // namespace a3sim
