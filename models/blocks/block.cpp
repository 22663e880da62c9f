#include "models/blocks/block.h"

#include <algorithm>
#include <map>

namespace a3sim {

double BlockAttention::keys_met() const {
  const auto all = static_cast<double>(keys);
  if (window == 0 || window >= keys) return all / 2;
  // The first queries have fewer keys behind them than the window.
  const auto most = static_cast<double>(window);
  return most - most * most / (2 * all);
}

double BlockAttention::flops() const {
  const double pairs = static_cast<double>(samples) * heads * static_cast<double>(queries) *
                       (causal ? keys_met() : static_cast<double>(keys));
  // Forward: scores and output. Backward: scores again, and the gradients of probabilities, queries, keys, values.
  const double width = backward ? 3.0 * d_qk + 2.0 * d_v : 1.0 * d_qk + d_v;
  return 2 * pairs * width;
}

double BlockCollective::sent() const {
  const double others = static_cast<double>(ranks) - 1;
  switch (kind) {
    case Kind::kAllGather:
    case Kind::kReduceScatter:
    case Kind::kAllToAll:
      return bytes * others / ranks;
    case Kind::kAllReduce:
      return 2 * bytes * others / ranks;
    case Kind::kRing:
      return bytes * others;
  }
  return 0;
}

double Block::kept(RecomputeKinds recomputed) const {
  double bytes = 0;
  for (const KeptActivation& one : activations)
    if (!one.dropped.meets(recomputed)) bytes += one.bytes;
  return bytes;
}

double Block::kept_input() const {
  double bytes = 0;
  for (const KeptActivation& one : activations)
    if (one.is_input) bytes += one.bytes;
  return bytes;
}

bool BlockLayout::fuses(Fusion fusion) const { return std::ranges::find(fuse, fusion) != fuse.end(); }

double model_flops(const ModelShape& model, const BlockLayout& layout) {
  std::map<std::string_view, double> by_kind;
  double flops = 0;
  for (const std::string& kind : model.layers) {
    const auto [known, is_new] = by_kind.try_emplace(kind, 0);
    if (is_new) known->second = BlockKinds::get(kind).block(model, layout).model_flops;
    flops += known->second;
  }
  return flops;
}

}  // namespace a3sim
