#include <algorithm>
#include <utility>
#include <vector>

#include "sim/experiment/streams/methods/method.h"

namespace a3sim {
namespace {

// Sends the weights of some experts to all ranks. Each rank computes them for its own tokens, after the
// experts that stayed at home, so that the weights may arrive meanwhile.
class Shadowed final : public ExpertPlan {
 public:
  struct Options {
    bool by_workers = false;  // kernels move weights and gradients, exposed; otherwise copy engines do
    bool in_two = false;      // products of one half of the experts run beside the communication of the other
  };
  Shadowed(const MicroBatch& batch, std::vector<std::uint32_t> shadows, Options options);

  std::vector<double> rows() const override;
  void forward(Layer& layer) const override { pass(layer, true); }
  void backward(Layer& layer) const override { pass(layer, false); }

 private:
  void pass(Layer& layer, bool forward) const;
  // Brings the shadows' weights to all ranks, for `by_workers` or not. Returns one entry per rank: the tasks
  // that bring them there.
  std::vector<Each> weights(Layer& layer, const Each& after) const;
  void gradients(Layer& layer, const Each& computed) const;
  // Returns the bytes if each rank holds a part of each shadow and sends it to all others. `scale` multiplies
  // the weights' bytes.
  ExchangedBytes parts_to_all(const Layer& layer, double scale) const;
  // Returns the experts that a stage of `stages` leaves out: shadows, and those of the other stages.
  std::vector<bool> left_out(std::uint32_t stage, std::uint32_t stages) const;
  // Returns the rows of its own tokens that a rank computes.
  RowsByExpert shadow_rows(std::uint32_t rank) const;
  // Adds the work on a group of experts, from permuted rows to summed ones.
  std::uint32_t group(Layer& layer, bool forward, std::uint32_t rank, const RowsByExpert& rows, double came,
                      const Each& after, const Each& weights, Each& last) const;

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

RowsByExpert Shadowed::shadow_rows(std::uint32_t rank) const {
  RowsByExpert rows;
  for (const std::uint32_t e : shadows_) rows.push_back({e, batch_.counts.at(rank, e), rank});
  return rows;
}

std::vector<double> Shadowed::rows() const {
  std::vector<double> rows;
  for (std::uint32_t r = 0; r < batch_.counts.ranks(); ++r)
    rows.push_back(sum_of(rows_at(batch_, r, left_out(0, 1))) + sum_of(shadow_rows(r)));
  return rows;
}

ExchangedBytes Shadowed::parts_to_all(const Layer& layer, double scale) const {
  const std::uint32_t ranks = layer.shape().ep;
  ExchangedBytes weights(ranks);
  for (std::uint32_t src = 0; src < ranks; ++src) {
    for (std::uint32_t dst = 0; dst < ranks; ++dst)
      weights.at(src, dst) = scale * layer.weight_bytes() * static_cast<double>(shadows_.size()) / ranks;
  }
  return weights;
}

std::vector<Each> Shadowed::weights(Layer& layer, const Each& after) const {
  const std::uint32_t ranks = layer.shape().ep;
  std::vector<Each> come(ranks);
  if (shadows_.empty()) return come;
  if (options_.by_workers) {
    const Each gathered = layer.exchange(
        {KernelName::kWeights, parts_to_all(layer, 1), shadows_, layer.bulk().dispatch}, after);
    for (std::uint32_t r = 0; r < ranks; ++r) come[r] = {gathered[r]};
    return come;
  }
  for (const std::uint32_t e : shadows_) {
    const std::uint32_t home = e / batch_.experts_per_rank();
    const std::uint32_t submitted =
        layer.host(KernelName::kPlan, Layer::kPlanner, home, layer.host().submit * std::int64_t{ranks - 1},
                   after.empty() ? Each{} : Each{after[home]});
    for (std::uint32_t r = 0; r < ranks; ++r) {
      if (r == home) continue;
      come[r].push_back(layer.copy(
          {KernelName::kWeights, Layer::kWeightCopies, home, r, layer.weight_bytes(), {e, 0}}, {submitted}));
    }
  }
  return come;
}

std::uint32_t Shadowed::group(Layer& layer, bool forward, std::uint32_t rank, const RowsByExpert& rows,
                              double came, const Each& after, const Each& weights, Each& last) const {
  Each ready{layer.permute(rank, forward, came, rows, after)};
  ready.insert(ready.end(), weights.begin(), weights.end());
  last[rank] = forward ? layer.forward(rank, rows, ready) : layer.backward(rank, rows, ready);
  return layer.unpermute(rank, rows, came, {last[rank]});
}

// Brings the shadows' gradients home and adds them there. Copy engines do so before the optimizer, not before
// combine; workers do so exposed.
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
  const Each ready = forward ? layer.counts() : Each{};
  if (options_.in_two) layer.spare(bulk.workers);
  std::vector<ExchangedBytes> tokens;
  std::vector<Each> sent, done;
  Each last(ranks);
  for (std::uint32_t s = 0; s < stages; ++s) {
    tokens.push_back(dispatch_of(batch_, layer, left_out(s, stages)));
    sent.push_back(layer.exchange(
        {KernelName::kDispatch, tokens[s], experts_of(batch_, left_out(s, stages)), bulk.dispatch}, ready));
  }
  const std::vector<Each> come = weights(layer, ready);
  for (std::uint32_t s = 0; s < stages; ++s) {
    done.emplace_back();
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const RowsByExpert rows = rows_at(batch_, r, left_out(s, stages));
      done[s].push_back(
          group(layer, forward, r, rows, tokens[s].received(r) / layer.row_bytes(), sent[s], {}, last));
    }
  }
  for (std::uint32_t r = 0; r < ranks && !shadows_.empty(); ++r) {
    const RowsByExpert rows = shadow_rows(r);
    done.back()[r] = group(layer, forward, r, rows, sum_of(rows), {done.back()[r]}, come[r], last);
  }
  if (!forward && options_.by_workers && !shadows_.empty()) {
    constexpr double kFp32 = 2;  // multiple of the bytes of weights
    done.back() = layer.exchange({KernelName::kGradients, parts_to_all(layer, kFp32), shadows_, bulk.combine},
                                 done.back());
  }
  for (std::uint32_t s = 0; s < stages; ++s)
    layer.exchange(
        {KernelName::kCombine, tokens[s].back(), experts_of(batch_, left_out(s, stages)), bulk.combine},
        done[s]);
  if (!forward && !options_.by_workers) gradients(layer, last);
}

// Returns FasterMoE's choice. It uses the loads of this micro-batch, as FasterMoE's public code does: with
// those of the last one, nothing would be gained under a routing that changes quickly. `weights` is the time
// in seconds for one expert's weights.
std::vector<std::uint32_t> best_shadows(const MicroBatch& batch, const Layer& layer, double weights) {
  const MoeShape& shape = layer.shape();
  // Seconds per row: one of the three products, at the rate of large ones, and its transfer by dispatch. A
  // shadow's weights count once, as the rule is written, even if they go to many ranks. The paper does not
  // say how they count if copy engines push them to one rank after another.
  constexpr std::uint32_t kLarge = 4096;
  const std::vector<std::uint32_t> rows{kLarge};
  const MemoryJob product = layer.cost().products(rows, shape.intermediate, shape.hidden,
                                                  layer.hardware().workers.count(CoreUnit::kMatrix));
  const ShadowCosts costs{seconds(product.ideal) / kLarge,
                          layer.row_bytes() / static_cast<double>(layer.bulk().dispatch.count), weights};
  const std::vector<double> loads(batch.rows.begin(), batch.rows.end());
  return shadows(loads, batch.experts_per_rank(), costs);
}

// Assigns by FasterMoE: hot experts' weights go to all ranks.
template <bool in_two>
std::unique_ptr<ExpertPlan> assign_faster(const MicroBatch& batch, const MethodOptions&, const Layer& layer) {
  const double weights = layer.weight_bytes() / static_cast<double>(layer.copy_engine().rate.count);
  return std::make_unique<Shadowed>(batch, best_shadows(batch, layer, weights),
                                    Shadowed::Options{.by_workers = false, .in_two = in_two});
}

// Assigns by Tutel, between its two forms: kernels gather the hottest experts' weights, of which each rank
// holds a part, and scatter their gradients in fp32.
std::unique_ptr<ExpertPlan> assign_tutel(const MicroBatch& batch, const MethodOptions& options,
                                         const Layer& layer) {
  const double weights = layer.weight_bytes() / static_cast<double>(layer.bulk().dispatch.count);
  std::vector<std::uint32_t> shadows = best_shadows(batch, layer, weights);
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
