#include "sim/experiment/streams/methods/method.h"

namespace a3sim {
namespace {

// Lets other ranks compute some experts of a rank. Copy engines move weights and rows while the other experts
// run.
class Moved final : public ExpertPlan {
 public:
  Moved(const MicroBatch& batch, const MethodOptions& options)
      : batch_(batch),
        options_(options),
        dynamic_(dynamic_experts(options.choose, batch.history, batch.rows, batch.experts_per_rank(),
                                 options.balance.dyn)),
        moves_(moves_of(batch, options)) {}

  std::vector<double> rows() const override {
    std::vector<double> rows;
    for (std::uint32_t r = 0; r < batch_.counts.ranks(); ++r) rows.push_back(sum_of(rows_at(batch_, r)));
    for (const ExpertMove& move : moves_) {
      rows[move.from] -= batch_.rows[move.expert];
      rows[move.to] += batch_.rows[move.expert];
    }
    return rows;
  }

  void forward(Layer& layer) const override {
    const Each known = layer.counts();
    Each plans;
    for (std::uint32_t r = 0; r < layer.shape().ep && options_.balance.dyn > 0; ++r)
      plans.push_back(layer.host(KernelName::kPlan, Layer::kPlanner, r, layer.host().balance, {known[r]}));
    pass(layer, true, known, plans);
  }
  void backward(Layer& layer) const override { pass(layer, false, {}, {}); }

 private:
  // Adds the task in which the host submits a rank's copies.
  std::uint32_t submit(Layer& layer, std::uint32_t rank, const Each& plans) const {
    std::int64_t copies = 0;
    for (const ExpertMove& move : moves_) copies += move.from == rank ? 2 : 0;
    const Each after = plans.empty() ? Each{} : Each{plans[rank]};
    return layer.host(KernelName::kPlan, Layer::kPlanner, rank, layer.host().submit * copies, after);
  }

  // Returns the rows of the experts in a rank's second product: its own dynamic experts that stayed, and its
  // guests.
  RowsByExpert second(std::uint32_t rank) const {
    RowsByExpert rows;
    std::vector<bool> gone(dynamic_.size(), false);
    for (const ExpertMove& move : moves_) gone[move.expert] = true;
    const std::uint32_t local = batch_.experts_per_rank();
    for (std::uint32_t e = rank * local; e < (rank + 1) * local; ++e) {
      if (dynamic_[e] && !gone[e]) rows.push_back({e, batch_.rows[e]});
    }
    for (const ExpertMove& move : moves_) {
      if (move.to == rank) rows.push_back(expert_rows(move));
    }
    return rows;
  }

  ExpertRows expert_rows(const ExpertMove& move) const { return {move.expert, batch_.rows[move.expert]}; }

  std::uint32_t compute(Layer& layer, bool forward, std::uint32_t rank, const RowsByExpert& rows,
                        const Each& after) const {
    return forward ? layer.forward(rank, rows, after) : layer.backward(rank, rows, after);
  }

  void pass(Layer& layer, bool forward, const Each& known, const Each& plans) const {
    const std::uint32_t ranks = layer.shape().ep;
    const ExchangedBytes tokens = dispatch_of(batch_, layer);
    const auto& bulk = layer.bulk();
    const Each sent =
        layer.exchange({KernelName::kDispatch, tokens, experts_of(batch_), bulk.dispatch}, known);
    Each ready, submitted;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      ready.push_back(
          layer.permute(r, forward, tokens.received(r) / layer.row_bytes(), rows_at(batch_, r), sent));
      if (options_.balance.dyn > 0) submitted.push_back(submit(layer, r, plans));
    }
    const std::vector<Each> come = copies(layer, ready, submitted);
    Each computed;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      Each after{compute(layer, forward, r, rows_at(batch_, r, dynamic_), {ready[r]})};
      const RowsByExpert rows = second(r);
      if (options_.balance.dyn > 0 && !plans.empty()) after.push_back(plans[r]);
      after.insert(after.end(), come[r].begin(), come[r].end());
      computed.push_back(rows.empty() ? after.front() : compute(layer, forward, r, rows, after));
    }
    combine(layer, forward, tokens, computed);
  }

  // Adds the copies, weights first, because they need not wait for the rows. Returns one list per target:
  // what its guests need.
  std::vector<Each> copies(Layer& layer, const Each& ready, const Each& submitted) const {
    std::vector<Each> come(layer.shape().ep);
    for (const ExpertMove& move : moves_) {
      come[move.to].push_back(layer.copy({KernelName::kWeights, Layer::kWeightCopies, move.from, move.to,
                                          layer.weight_bytes(), expert_rows(move)},
                                         {submitted[move.from]}));
    }
    for (const ExpertMove& move : moves_) {
      if (batch_.rows[move.expert] == 0) continue;
      come[move.to].push_back(layer.copy({KernelName::kRows, Layer::kRowCopies, move.from, move.to,
                                          batch_.rows[move.expert] * layer.row_bytes(), expert_rows(move)},
                                         {submitted[move.from], ready[move.from]}));
    }
    return come;
  }

  void combine(Layer& layer, bool forward, const ExchangedBytes& tokens, const Each& computed) const {
    std::vector<Each> back(layer.shape().ep);
    for (const ExpertMove& move : moves_) {
      if (batch_.rows[move.expert] == 0 || options_.free_return) {
        back[move.from].push_back(computed[move.to]);
        continue;
      }
      back[move.from].push_back(layer.copy({KernelName::kReturn, Layer::kReturns, move.to, move.from,
                                            batch_.rows[move.expert] * layer.row_bytes(), expert_rows(move)},
                                           {computed[move.to]}));
    }
    Each done;
    for (std::uint32_t r = 0; r < layer.shape().ep; ++r) {
      Each after = back[r];
      after.push_back(computed[r]);
      done.push_back(layer.unpermute(r, rows_at(batch_, r), tokens.received(r) / layer.row_bytes(), after));
    }
    layer.exchange({KernelName::kCombine, tokens.back(), experts_of(batch_), layer.bulk().combine}, done);
    if (!forward) return_gradients(layer, computed, done);
  }

  // Returns guests' weight gradients to their homes, and adds them there: before the optimizer, not before
  // combine.
  void return_gradients(Layer& layer, const Each& computed, const Each& done) const {
    const double bytes = layer.weight_bytes() * (options_.gradients_fp32 ? 2 : 1);
    for (const ExpertMove& move : moves_) {
      const std::uint32_t came =
          layer.copy({KernelName::kGradients, Layer::kReturns, move.to, move.from, bytes, expert_rows(move)},
                     {computed[move.to]});
      layer.add(move.from, expert_rows(move), {2 * bytes, bytes, {}}, {came, done[move.from]});
    }
  }

  const MicroBatch& batch_;
  MethodOptions options_;
  std::vector<bool> dynamic_;
  std::vector<ExpertMove> moves_;
};

std::unique_ptr<ExpertPlan> assign_feplb(const MicroBatch& batch, const MethodOptions& options,
                                         const Layer&) {
  return std::make_unique<Moved>(batch, options);
}

A3SIM_REGISTER(Method, "feplb", "some experts move to less busy ranks, by copy engines",
               Method{assign_feplb});

}  // namespace
}  // namespace a3sim
