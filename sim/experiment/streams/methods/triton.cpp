#include <algorithm>

#include "sim/experiment/streams/methods/method.h"

namespace a3sim {
namespace {

// Gives every rank a part of the width of all experts. Tokens are gathered beside the first product. After
// the second, partial sums in fp32, one row for each expert of a token, go to the token's rank, which sums
// them over experts and ranks. Some workers communicate while the others multiply.
class SplitWidth final : public ExpertPlan {
 public:
  SplitWidth(const MicroBatch& batch, const MethodOptions& options) : batch_(batch), options_(options) {}

  std::vector<double> rows() const override {
    const std::uint32_t ranks = batch_.counts.ranks();
    return std::vector<double>(ranks, sum_of(all_rows()) / ranks);
  }
  void forward(Layer& layer) const override { pass(layer, true); }
  void backward(Layer& layer) const override { pass(layer, false); }

 private:
  RowsByExpert all_rows() const {
    RowsByExpert rows;
    for (std::uint32_t e = 0; e < batch_.rows.size(); ++e) rows.push_back({e, batch_.rows[e]});
    return rows;
  }

  // Adds one fused kernel of all experts, with so many launches by the host.
  std::uint32_t fused(Layer& layer, const char* name, std::uint32_t rank, Layer::Products products,
                      const Each& after) const {
    Duration& ideal = products.job.ideal;
    ideal = Duration(static_cast<std::int64_t>(static_cast<double>(ideal.count()) / options_.efficiency));
    products.name = name;
    return layer.launched(products, rank, all_rows(), after);
  }

  // Adds an exchange in which every rank sends so many bytes to every rank.
  Each exchange(Layer& layer, const char* name, double bytes, BytesPerSecond rate, const Each& after) const {
    const std::uint32_t ranks = layer.shape().ep;
    ExchangedBytes all(ranks);
    for (std::uint32_t src = 0; src < ranks; ++src) {
      for (std::uint32_t dst = 0; dst < ranks; ++dst) all.at(src, dst) = bytes;
    }
    const auto& bulk = layer.bulk();
    const BytesPerSecond scaled{rate.count * options_.comm_workers / bulk.workers};
    return layer.exchange({name, all, experts_of(batch_), scaled, options_.comm_workers}, after);
  }

  void pass(Layer& layer, bool forward) const {
    const std::uint32_t h = layer.shape().hidden, ranks = layer.shape().ep;
    const std::uint32_t f = std::max(1U, layer.shape().intermediate / ranks);
    const auto& bulk = layer.bulk();
    layer.spare(options_.comm_workers);
    const Each known = forward ? layer.counts() : Each{};
    const double tokens = layer.shape().tokens * layer.row_bytes();
    const Each gathered = exchange(layer, KernelName::kDispatch, tokens, bulk.dispatch, known);
    const auto products = [&](std::uint32_t n, std::uint32_t k) {
      return Layer::Products{"", layer.cost().products(batch_.rows, n, k, layer.matrix_workers()),
                             sum_of(all_rows()) * n * k};
    };
    const auto gradients = [&](std::uint32_t n, std::uint32_t k) {
      return Layer::Products{"", layer.cost().gradients(batch_.rows, n, k, layer.matrix_workers()),
                             sum_of(all_rows()) * n * k};
    };
    Each ready;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const Each after = known.empty() ? Each{} : Each{known[r]};
      Each first{forward ? fused(layer, KernelName::kGmm1, r, products(2 * f, h), after)
                         : fused(layer, KernelName::kGmm2, r, products(f, h), after)};
      first.insert(first.end(), gathered.begin(), gathered.end());
      if (!forward) first = {fused(layer, KernelName::kGrad2, r, gradients(h, f), first)};
      ready.push_back(layer.swiglu(r, all_rows(), forward ? f : 2 * f, first));
    }
    Each last;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      last.push_back(forward ? fused(layer, KernelName::kGmm2, r, products(h, f), {ready[r]})
                             : fused(layer, KernelName::kGmm1, r, products(h, 2 * f), {ready[r]}));
      if (!forward) last.back() = fused(layer, KernelName::kGrad1, r, gradients(2 * f, h), {});
    }
    constexpr double kFp32 = 2;  // multiple of the bytes of a row
    const double partial = kFp32 * layer.shape().top_k * tokens;
    const Each come = exchange(layer, KernelName::kCombine, partial, bulk.combine, last);
    for (std::uint32_t r = 0; r < ranks; ++r)
      layer.sum(r, all_rows(), partial * ranks, {come.begin(), come.end()});
  }

  const MicroBatch& batch_;
  MethodOptions options_;
};

std::unique_ptr<ExpertPlan> assign_triton(const MicroBatch& batch, const MethodOptions& options,
                                          const Layer&) {
  return std::make_unique<SplitWidth>(batch, options);
}

std::uint32_t taken_by_triton(const MethodOptions& options, std::uint32_t) { return options.comm_workers; }

A3SIM_REGISTER(Method, "triton", "every rank has a part of each expert's width, tokens go to all",
               Method{assign_triton, taken_by_triton, "triton.sms"});

}  // namespace
}  // namespace a3sim
