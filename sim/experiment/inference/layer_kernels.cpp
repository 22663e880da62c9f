#include "sim/experiment/inference/layer_kernels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "models/blocks/vector_operators.h"
#include "sim/experiment/inference/context_lengths.h"

namespace a3sim {
namespace {

constexpr double kActivation = 2;  // bytes of an activation
// Bytes and instructions of an element: a norm with the residual before it; the same that leaves 8 bits; a conversion to 8 bits
// by the largest of a row; SwiGLU, by two elements for one; RoPE; a copy.
constexpr std::uint32_t kRowChain = 12;
constexpr ElementwiseKernel kResidualNorm{4, 4, 5, 4, 0, kRowChain}, kQuantise{2, 1, 3, 2, 0, kRowChain},
    kSwiglu{4, 2, 3, 3, 2, 0}, kSwigluQuantised{4, 1, 6, 3, 2, kRowChain}, kRotate{2, 2, 3, 2, 0, 0},
    kCopy{2, 2, 0, 0, 0, 0};

}  // namespace

InferenceKernel LayerWriter::product(const char* name, double m, double n, double k, WeightType type,
                                     double times) const {
  const auto whole = [](double size) { return static_cast<std::uint64_t>(std::ceil(size)); };
  return costs_.product(name, TimeClass::kProducts, whole(m), whole(n), whole(k), type, whole(times));
}

void LayerWriter::add_norm(Kernels& kernels, const char* name, double rows, double width,
                           bool quantise) const {
  ElementwiseKernel pass = kResidualNorm;
  if (quantise && options_.fused) {
    pass.written = 3;
    pass.simple += kQuantise.simple;
  }
  kernels.push_back(costs_.vector(name, rows, width, pass));
  if (quantise && !options_.fused) kernels.push_back(costs_.vector("Quantize", rows, width, kQuantise));
}

void LayerWriter::add_exchange(Kernels& kernels, const char* name, std::uint32_t group, std::uint32_t stride,
                               double bytes, TimeClass time_class) const {
  if (group < 2) return;
  const double sent = bytes * (1 - 1.0 / group);
  kernels.push_back(costs_.collective(name, time_class, {group, stride}, sent));
}

void LayerWriter::add_in_one(Kernels& kernels, const char* name, const Kernels& parts) const {
  if (options_.fused)
    kernels.push_back(costs_.in_one(name, parts));
  else
    kernels.insert(kernels.end(), parts.begin(), parts.end());
}

// The indexer's queries come from the narrow vector of queries, its keys and the weights of its heads from the hidden state.
void LayerWriter::add_index(Kernels& kernels) const {
  const SparseIndex& index = *options_.index;
  const double m = tokens(), narrow = model_.attention.latent->queries, hidden = model_.hidden;
  add_in_one(kernels, "IndexProlog",
             {product("IndexQueries", m, 1.0 * index.heads * index.width, narrow > 0 ? narrow : hidden,
                      options_.weights),
              product("IndexKeys", m, index.width + index.heads, hidden, WeightType::kBf16),
              costs_.vector("IndexRope", m * (index.heads + 1), index.width, kRotate)});
  kernels.push_back(costs_.index("Indexer", keys_of_requests(options_), options_.tokens_a_request()));
}

// Attention of decode over each request's keys, or over those that an indexer chose for each token.
void LayerWriter::add_latent_keys(Kernels& kernels, std::uint32_t d_qk, std::uint32_t d_v) const {
  const double key_bytes = d_qk * options_.cache_bytes;
  std::vector<std::uint64_t> keys = keys_of_requests(options_);
  const std::uint64_t all = *std::ranges::max_element(keys);
  const bool sparse = options_.index && options_.index->top_k < all;
  const char* const name = sparse ? "SparseAttention" : "FlashAttention";
  std::uint64_t rows = heads() * options_.tokens_a_request();
  if (sparse) {
    rows = heads();
    std::vector<std::uint64_t> chosen;
    for (const std::uint64_t own : keys)
      chosen.insert(chosen.end(), options_.tokens_a_request(),
                    std::min<std::uint64_t>(own, options_.index->top_k));
    keys = std::move(chosen);
  }
  const double cache = std::accumulate(keys.begin(), keys.end(), 0.0) * key_bytes;
  kernels.push_back(options_.lengths.empty()
                        ? costs_.attention(name, keys.size(), rows, keys.front(), d_qk, d_v, cache, sparse)
                        : costs_.attention(name, keys, rows, d_qk, d_v, cache, sparse));
}

// Decode with what is computed from keys and values absorbed into queries and outputs: all heads meet the same narrow keys.
void LayerWriter::add_latent(Kernels& kernels) const {
  const ModelShape::Attention& shape = model_.attention;
  const auto& [narrow, keys, rotated] = *shape.latent;
  const double m = tokens(), own_heads = heads(), nope = shape.d_qk - rotated;
  Kernels prolog;
  if (narrow > 0) {
    prolog.push_back(product("QkvDown", m, narrow + keys + rotated, model_.hidden, options_.weights));
    if (!options_.fused) prolog.push_back(costs_.vector("QueryNorm", m, narrow, norm_pass(narrow)));
    prolog.push_back(product("QueryUp", m, own_heads * shape.d_qk, narrow, options_.weights));
  } else {
    prolog.push_back(
        product("QkvDown", m, own_heads * shape.d_qk + keys + rotated, model_.hidden, options_.weights));
  }
  prolog.push_back(product("KeyAbsorb", m, keys, nope, WeightType::kBf16, own_heads));
  prolog.push_back(costs_.vector("RopeAndCache", m, own_heads * rotated + keys + rotated, kRotate));
  add_in_one(kernels, "MlaProlog", prolog);
  if (options_.index) add_index(kernels);
  add_latent_keys(kernels, keys + rotated, keys);
  add_exchange(kernels, "CpSums", options_.cp, options_.tp, m * own_heads * keys * kActivation,
               TimeClass::kPp);
  kernels.push_back(product("ValueUp", m, shape.d_v, keys, WeightType::kBf16, own_heads));
}

void LayerWriter::add_latent_prefill(Kernels& kernels) const {
  const ModelShape::Attention& shape = model_.attention;
  const auto& [narrow, keys, rotated] = *shape.latent;
  const double m = tokens(), own_heads = heads(), nope = shape.d_qk - rotated;
  if (narrow > 0) {
    kernels.push_back(product("QkvDown", m, narrow + keys + rotated, model_.hidden, options_.weights));
    add_norm(kernels, "QueryNorm", m, narrow, quantised());
    kernels.push_back(product("QueryUp", m, own_heads * shape.d_qk, narrow, options_.weights));
  } else {
    kernels.push_back(
        product("QkvDown", m, own_heads * shape.d_qk + keys + rotated, model_.hidden, options_.weights));
  }
  kernels.push_back(costs_.vector("KvNormRopeCache", m, keys + rotated, kResidualNorm));
  add_exchange(kernels, "CpKeys", options_.cp, options_.tp, options_.cp * m * (keys + rotated) * kActivation,
               TimeClass::kPp);
  kernels.push_back(
      product("KvUp", m * options_.cp, own_heads * (nope + shape.d_v), keys, WeightType::kBf16));
  kernels.push_back(costs_.vector("Rope", m, own_heads * rotated, kRotate));
  kernels.push_back(costs_.vector("JoinKeys", m * options_.cp, own_heads * (shape.d_qk + shape.d_v), kCopy));
}

void LayerWriter::add_heads(Kernels& kernels) const {
  const ModelShape::Attention& shape = model_.attention;
  const double m = tokens(), rotated = 1.0 * (heads() + kv_heads()) * shape.d_qk,
               values = 1.0 * kv_heads() * shape.d_v;
  kernels.push_back(product("Qkv", m, rotated + values, model_.hidden, options_.weights));
  if (shape.qk_norm)
    kernels.push_back(costs_.vector("QkNorm", m * (heads() + kv_heads()), shape.d_qk, norm_pass(shape.d_qk)));
  kernels.push_back(costs_.vector("RopeAndCache", m, rotated + values, kRotate));
  if (options_.phase == InferencePhase::kPrefill) return;
  std::vector<std::uint64_t> keys;  // of each head of each request
  for (const std::uint64_t own : keys_of_requests(options_)) keys.insert(keys.end(), kv_heads(), own);
  const double bytes =
      std::accumulate(keys.begin(), keys.end(), 0.0) * (shape.d_qk + shape.d_v) * options_.cache_bytes;
  const std::uint64_t rows = heads() / kv_heads() * options_.tokens_a_request();
  const char* const name = "FlashAttention";
  kernels.push_back(
      options_.lengths.empty()
          ? costs_.attention(name, keys.size(), rows, keys.front(), shape.d_qk, shape.d_v, bytes, false)
          : costs_.attention(name, keys, rows, shape.d_qk, shape.d_v, bytes, false));
  add_exchange(kernels, "CpSums", options_.cp, options_.tp, m * heads() * shape.d_v * kActivation,
               TimeClass::kPp);
}

void LayerWriter::add_attention(Kernels& kernels) const {
  const ModelShape::Attention& shape = model_.attention;
  add_norm(kernels, "AttentionNorm", own(), model_.hidden, quantised());
  add_exchange(kernels, "TpGather", options_.tp, 1, tokens() * model_.hidden * weight_bytes(options_.weights),
               TimeClass::kTp);
  const bool prefill = options_.phase == InferencePhase::kPrefill;
  if (!shape.latent)
    add_heads(kernels);
  else
    prefill ? add_latent_prefill(kernels) : add_latent(kernels);
  if (prefill) {
    const std::uint32_t kv = shape.latent ? heads() : kv_heads();
    const double cache = static_cast<double>(options_.micro_requests() * options_.context) * kv *
                         (shape.d_qk + shape.d_v) * kActivation;
    kernels.push_back(
        costs_.attention("FlashAttention",
                         BlockAttention{options_.micro_requests(), heads(), kv, shape.d_qk, shape.d_v,
                                        (options_.context + options_.cp - 1) / options_.cp, options_.context,
                                        true, false, options_.cp},
                         cache));
  }
  const double width = 1.0 * heads() * shape.d_v;
  if (quantised()) kernels.push_back(costs_.vector("Quantize", tokens(), width, kQuantise));
  kernels.push_back(product("Output", tokens(), model_.hidden, width, options_.weights));
  add_exchange(kernels, "TpScatter", options_.tp, 1, tokens() * model_.hidden * kActivation, TimeClass::kTp);
}

void LayerWriter::add_feed_forward(Kernels& kernels, const char* name, std::uint32_t width, std::uint32_t tp,
                                   WeightType type) const {
  const std::string base = name;
  const double m = own() * tp, part = std::ceil(1.0 * width / tp);
  const bool small = type != WeightType::kBf16;
  add_exchange(kernels, (base + "Gather").c_str(), tp, 1, m * model_.hidden * weight_bytes(type),
               TimeClass::kTp);
  kernels.push_back(product((base + "GateUp").c_str(), m, 2 * part, model_.hidden, type));
  kernels.push_back(costs_.vector(base + "Swiglu", m, part, small ? kSwigluQuantised : kSwiglu));
  kernels.push_back(product((base + "Down").c_str(), m, model_.hidden, part, type));
  add_exchange(kernels, (base + "Scatter").c_str(), tp, 1, m * model_.hidden * kActivation, TimeClass::kTp);
}

void LayerWriter::add_router(Kernels& kernels) const {
  const double experts = model_.experts.count;
  kernels.push_back(
      costs_.product_fp32("Router", static_cast<std::uint64_t>(own()), model_.experts.count, model_.hidden));
  const ElementwiseKernel choice{4, 1, 3 + std::log2(std::max(2.0, experts)), 0, 2, kRowChain};
  kernels.push_back(costs_.vector("GatingTopK", own(), experts, choice));
}

// Experts with as many rows are dealt to the cores as one product. A kernel that does all takes the time of its own run, and their
// bytes and arithmetic.
void LayerWriter::add_experts(LayerKernels& layer) const {
  const ModelShape::Experts& experts = model_.experts;
  std::map<std::uint32_t, std::uint64_t> by_rows;
  double rows = 0;
  const double scale =
      std::min(1.0, 1.0 * options_.attention() / options_.ep);  // fewer dies of attention than of experts
  for (const std::uint32_t one : rows_->rows) {
    const auto own_rows = static_cast<std::uint32_t>(std::ceil(one * scale));
    rows += own_rows;
    if (own_rows > 0) ++by_rows[own_rows];
  }
  const auto grouped = [&](const char* name, double n, double k) {
    InferenceKernel kernel;
    bool first = true;
    for (const auto& [m, count] : by_rows) {
      const InferenceKernel part = costs_.product(name, TimeClass::kGrouped, m, static_cast<std::uint64_t>(n),
                                                  static_cast<std::uint64_t>(k), options_.experts, count);
      if (first) {
        kernel = part;
        first = false;
        continue;
      }
      const Duration barriers = kernel.barriers;
      kernel = costs_.in_one(name, {kernel, part});
      kernel.barriers = barriers;  // cores go on from one expert to the next
    }
    if (!first) layer.experts.push_back(std::move(kernel));
  };
  const bool small = options_.experts != WeightType::kBf16;
  layer.dispatch = rows_->dispatch;
  grouped("GroupedGateUp", 2.0 * experts.intermediate, model_.hidden);
  layer.experts.push_back(
      costs_.vector("GroupedSwiglu", rows, experts.intermediate, small ? kSwigluQuantised : kSwiglu));
  grouped("GroupedDown", model_.hidden, experts.intermediate);
  layer.combine = rows_->combine;
  if (!rows_->whole) return;
  InferenceKernel whole = costs_.in_one(rows_->whole->name, layer.experts);
  whole.head = rows_->whole->head;
  whole.barriers = rows_->whole->barriers;
  whole.transfers = rows_->whole->transfers;
  whole.whole = whole.matrix = true;
  whole.job.ideal = rows_->whole->job.ideal;
  const double rate = static_cast<double>(costs_.hardware().memory.hbm_read.count);
  double& bytes = whole.job.bytes[static_cast<std::size_t>(Resource::kHbm)];
  bytes = std::min(bytes, seconds(whole.job.ideal) * rate);
  layer.experts = {std::move(whole)};
}

void LayerWriter::add_head(Kernels& kernels) const {
  const double rows =
      options_.phase == InferencePhase::kPrefill ? static_cast<double>(options_.micro_requests()) : own();
  const std::uint32_t tp = options_.head_tp;
  const double words = std::ceil(1.0 * model_.vocabulary / tp), all = rows * tp;
  add_norm(kernels, "FinalNorm", rows, model_.hidden, false);
  add_exchange(kernels, "HeadGather", tp, 1, all * model_.hidden * kActivation, TimeClass::kTp);
  kernels.push_back(product("Head", all, words, model_.hidden, WeightType::kBf16));
  kernels.push_back(costs_.vector("Sample", all, words, {2, 0, 1, 1, 0, 0}));
  add_exchange(kernels, "HeadChoice", tp, 1, all * 8, TimeClass::kTp);
}

LayerKernels LayerWriter::layer(const std::string& block) const {
  LayerKernels layer;
  layer.block = block;
  const double row = own();
  if (block == "embedding") {
    layer.before.push_back(costs_.vector("Embedding", row, model_.hidden, kCopy));
    return layer;
  }
  if (block == "head") {
    add_head(layer.before);
    return layer;
  }
  if (block == "mtp") {
    layer.before.push_back(costs_.vector("MtpEmbedding", row, model_.hidden, kCopy));
    add_norm(layer.before, "MtpNorm", 2 * row, model_.hidden, false);
    layer.before.push_back(
        product("MtpProjection", row, model_.hidden, 2.0 * model_.hidden, WeightType::kBf16));
  }
  add_attention(layer.before);
  const bool routed = model_.experts.count > 0 && block != "dense";
  add_norm(layer.before, "FeedForwardNorm", row, model_.hidden, quantised());
  if (!routed) {
    add_feed_forward(layer.before, "Dense", model_.dense_intermediate, options_.dense_tp, options_.weights);
  } else {
    add_router(layer.before);
    add_experts(layer);
    if (model_.experts.shared_intermediate > 0)
      add_feed_forward(layer.beside, "Shared", model_.experts.shared_intermediate, 1,
                       options_.experts == WeightType::kW4A8 ? WeightType::kW8A8 : options_.experts);
  }
  if (block ==
      "shortcut") {  // experts work beside a dense network, a second attention and a second dense network
    layer.needs_beside = true;
    add_feed_forward(layer.beside, "Dense", model_.dense_intermediate, options_.dense_tp, options_.weights);
    add_attention(layer.beside);
    add_norm(layer.beside, "FeedForwardNorm", row, model_.hidden, quantised());
    add_feed_forward(layer.beside, "Dense", model_.dense_intermediate, options_.dense_tp, options_.weights);
  }
  if (block == "mtp") add_head(layer.behind);
  return layer;
}

}  // namespace a3sim
