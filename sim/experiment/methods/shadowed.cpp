#include <algorithm>
#include <utility>
#include <vector>

#include "sim/experiment/methods/method.h"

namespace a3sim {
namespace {

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

Shadowed::Shadowed(const MicroBatch& batch, std::vector<std::uint32_t> shadows, Options options)
    : batch_(batch), shadows_(std::move(shadows)), options_(options) {}

std::vector<bool> Shadowed::left_out(std::uint32_t stage, std::uint32_t stages) const {
  const std::uint32_t local = batch_.experts_per_rank();
  std::vector<bool> out(batch_.counts.experts(), false);
  for (std::uint32_t e = 0; e < out.size(); ++e) out[e] = e % local * stages / local != stage;
  for (const std::uint32_t e : shadows_) out[e] = true;
  return out;
}

// Shadows are computed in the first stage: nothing has to come for them.
RowsByExpert Shadowed::rows_of(std::uint32_t rank, std::uint32_t stage, std::uint32_t stages) const {
  RowsByExpert rows = rows_at(batch_, rank, left_out(stage, stages));
  for (const std::uint32_t e : shadows_) {
    if (stage == 0) rows.push_back({e, batch_.counts.at(rank, e), rank});
  }
  return rows;
}

std::vector<double> Shadowed::rows() const {
  std::vector<double> rows;
  for (std::uint32_t r = 0; r < batch_.counts.ranks(); ++r) rows.push_back(sum_of(rows_of(r, 0, 1)));
  return rows;
}

ExchangedBytes Shadowed::between_homes(const Layer& layer) const {
  ExchangedBytes weights(layer.shape().ep);
  for (const std::uint32_t e : shadows_) {
    for (std::uint32_t r = 0; r < layer.shape().ep; ++r) {
      if (const std::uint32_t home = e / batch_.experts_per_rank(); r != home)
        weights.at(home, r) += layer.weight_bytes();
    }
  }
  return weights;
}

Each Shadowed::weights(Layer& layer, const Each& after) const {
  if (shadows_.empty()) return after;
  if (options_.by_workers)
    return layer.exchange({KernelName::kWeights, between_homes(layer), shadows_, layer.bulk().dispatch},
                          after);
  Each come = after;
  const std::uint32_t ranks = layer.shape().ep;
  for (const std::uint32_t e : shadows_) {
    const std::uint32_t home = e / batch_.experts_per_rank();
    const std::uint32_t submitted = layer.host(KernelName::kPlan, Layer::kPlanner, home,
                                               layer.host().submit * std::int64_t{ranks - 1}, {});
    for (std::uint32_t r = 0; r < ranks; ++r) {
      if (r == home) continue;
      come.push_back(layer.copy(
          {KernelName::kWeights, Layer::kWeightCopies, home, r, layer.weight_bytes(), {e, 0}}, {submitted}));
    }
  }
  return come;
}

// By copy engines they are added at home before the optimizer, not before combine; by workers, exposed.
void Shadowed::gradients(Layer& layer, const Each& computed) const {
  for (const std::uint32_t e : shadows_) {
    const std::uint32_t home = e / batch_.experts_per_rank(), ranks = layer.shape().ep;
    Each come;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      if (r == home) continue;
      come.push_back(layer.copy(
          {KernelName::kGradients, Layer::kReturns, r, home, layer.weight_bytes(), {e, 0}}, {computed[r]}));
    }
    const double bytes = layer.weight_bytes();
    if (!come.empty()) layer.add(home, {e, 0}, {ranks * bytes, bytes, {}}, come);
  }
}

void Shadowed::pass(Layer& layer, bool forward) const {
  const std::uint32_t ranks = layer.shape().ep, stages = options_.in_two ? 2 : 1;
  const auto& bulk = layer.bulk();
  const Each ready = weights(layer, forward ? layer.counts() : Each{});
  if (options_.in_two) layer.spare(bulk.workers);
  std::vector<ExchangedBytes> tokens;
  std::vector<Each> sent, done;
  Each last(ranks);
  for (std::uint32_t s = 0; s < stages; ++s) {
    tokens.push_back(dispatch_of(batch_, layer, left_out(s, stages)));
    sent.push_back(layer.exchange(
        {KernelName::kDispatch, tokens[s], experts_of(batch_, left_out(s, stages)), bulk.dispatch}, ready));
  }
  for (std::uint32_t s = 0; s < stages; ++s) {
    done.emplace_back();
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const RowsByExpert rows = rows_of(r, s, stages);
      double own = 0;
      for (const std::uint32_t e : shadows_) own += s == 0 ? batch_.counts.at(r, e) : 0;
      const double came = tokens[s].received(r) / layer.row_bytes() + own;
      const std::uint32_t permuted = layer.permute(r, came, rows, sent[s]);
      last[r] = forward ? layer.forward(r, rows, {permuted}) : layer.backward(r, rows, {permuted});
      done[s].push_back(layer.unpermute(r, rows, came, {last[r]}));
    }
  }
  if (!forward && options_.by_workers && !shadows_.empty()) {
    done.back() = layer.exchange(
        {KernelName::kGradients, between_homes(layer).back(), shadows_, bulk.combine}, done.back());
  }
  for (std::uint32_t s = 0; s < stages; ++s)
    layer.exchange(
        {KernelName::kCombine, tokens[s].back(), experts_of(batch_, left_out(s, stages)), bulk.combine},
        done[s]);
  if (!forward && !options_.by_workers) gradients(layer, last);
}

// FasterMoE's choice, from the loads of the last micro-batch.
std::vector<std::uint32_t> faster_shadows(const MicroBatch& batch, const Layer& layer) {
  if (batch.history.empty()) return {};
  const MoeShape& shape = layer.shape();
  // Seconds a row: a product of the three, at the rate of large ones, and its way by dispatch. A shadow's
  // weights count once, as the rule is written, however many ranks they go to; the paper leaves open how they
  // count where copy engines push them to one rank after another.
  constexpr std::uint32_t kLarge = 4096;
  const std::vector<std::uint32_t> rows{kLarge};
  const MemoryJob product = layer.cost().products(rows, shape.intermediate, shape.hidden,
                                                  layer.hardware().workers.count(CoreUnit::kMatrix));
  const auto time = [](double bytes, BytesPerSecond rate) { return bytes / static_cast<double>(rate.count); };
  const ShadowCosts costs{seconds(product.ideal) / kLarge, time(layer.row_bytes(), layer.bulk().dispatch),
                          time(layer.weight_bytes(), layer.copy_engine().rate)};
  return shadows(batch.history.last(), batch.experts_per_rank(), costs);
}

// FasterMoE: hot experts' weights go to all ranks before dispatch.
template <bool in_two>
std::unique_ptr<ExpertPlan> assign_faster(const MicroBatch& batch, const MethodOptions&, const Layer& layer) {
  return std::make_unique<Shadowed>(batch, faster_shadows(batch, layer),
                                    Shadowed::Options{.by_workers = false, .in_two = in_two});
}

// Tutel between its two forms: the hottest experts' weights are gathered, their gradients scattered, by
// kernels, with nothing beside.
std::unique_ptr<ExpertPlan> assign_tutel(const MicroBatch& batch, const MethodOptions& options,
                                         const Layer&) {
  std::vector<std::uint32_t> shadows;
  if (!batch.history.empty()) shadows = hottest_first(batch.history.last());
  shadows.resize(std::min<std::size_t>(shadows.size(), options.shadows));
  return std::make_unique<Shadowed>(batch, std::move(shadows),
                                    Shadowed::Options{.by_workers = true, .in_two = false});
}

A3SIM_REGISTER(Method, "faster", "FasterMoE: hot experts' weights on all ranks, by copy engines",
               Method{assign_faster<false>});
A3SIM_REGISTER(Method, "faster_pipe2", "the same, in two halves of the experts that overlap",
               Method{assign_faster<true>, [](const MethodOptions&, std::uint32_t bulk) { return bulk; }});
A3SIM_REGISTER(Method, "tutel", "the hottest experts' weights gathered and gradients scattered by kernels",
               Method{assign_tutel});

}  // namespace
}  // namespace a3sim
