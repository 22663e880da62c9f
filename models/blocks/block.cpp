#include "models/blocks/block.h"

#include <algorithm>
#include <map>

namespace a3sim {

namespace {

// Returns the keys that a query of a document meets on average, before its own and with it.
double keys_met_within(double tokens, std::uint64_t window) {
  const auto most = static_cast<double>(window);
  if (window == 0 || most >= tokens) return tokens / 2;
  // The first queries have fewer keys behind them than the window.
  return most - most * most / (2 * tokens);
}

}  // namespace

double pairs_within(std::span<const std::uint64_t> documents) {
  double pairs = 0;
  for (const std::uint64_t tokens : documents)
    pairs += static_cast<double>(tokens) * static_cast<double>(tokens);
  return pairs;
}

double BlockAttention::keys_met() const {
  const auto all = static_cast<double>(keys);
  if (documents.empty()) return keys_met_within(all, window);
  double met = 0;
  for (const std::uint64_t tokens : documents)
    met += static_cast<double>(tokens) * keys_met_within(static_cast<double>(tokens), window);
  return met / all;
}

double BlockAttention::flops() const {
  const auto all = static_cast<double>(keys);
  const double within = documents.empty() ? all : pairs_within(documents) / all;
  const double pairs =
      static_cast<double>(samples) * heads * static_cast<double>(queries) * (causal ? keys_met() : within);
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
