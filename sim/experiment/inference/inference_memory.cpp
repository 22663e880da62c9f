#include "sim/experiment/inference/inference_memory.h"

#include <fmt/format.h>

#include "sim/experiment/step/step_memory.h"

namespace a3sim {
namespace {

constexpr double kSixteenBits = 2;  // bytes of activations, and of weights that are never quantised

// Weights of a layer's attention on a die.
double attention_weights(const InferencePlan& plan) {
  const InferenceOptions& options = plan.options;
  const ModelShape::Attention& shape = plan.model.attention;
  const double hidden = plan.model.hidden, heads = 1.0 * shape.heads / options.tp,
               bytes = weight_bytes(options.weights);
  double weights = bytes * heads * shape.d_v * hidden;
  if (shape.latent) {
    const auto& [narrow, keys, rotated] = *shape.latent;
    weights += bytes * hidden * (narrow + keys + rotated);
    weights += bytes * (narrow > 0 ? narrow : hidden) * heads * shape.d_qk;
    weights += kSixteenBits * keys * heads * (shape.d_qk - rotated + shape.d_v);
  } else {
    const double kv = std::max(1.0, 1.0 * shape.kv_heads / options.tp);
    weights += bytes * hidden * ((heads + kv) * shape.d_qk + kv * shape.d_v);
  }
  if (!options.index) return weights;
  const double from = shape.latent && shape.latent->queries > 0 ? shape.latent->queries : hidden;
  return weights + bytes * from * options.index->heads * options.index->width +
         kSixteenBits * hidden * (options.index->width + options.index->heads);
}

// The layers of each kind; MTP's is one of them.
struct LayerCounts {
  double attention = 0, dense = 0, routed = 0, mtp = 0;
};
LayerCounts counts_of(const InferencePlan& plan) {
  LayerCounts counts;
  for (const std::string& block : plan.model.layers) {
    if (block == "embedding" || block == "head" || (block == "mtp" && plan.options.drafts == 0)) continue;
    if (block == "mtp") ++counts.mtp;
    const bool both = block == "shortcut", routed = plan.model.experts.count > 0 && block != "dense";
    counts.attention += both ? 2 : 1;
    counts.dense += both ? 2 : routed ? 0 : 1;
    counts.routed += routed ? 1 : 0;
  }
  return counts;
}

void add_weights(const InferencePlan& plan, InferenceMemory& attention, InferenceMemory& experts) {
  const InferenceOptions& options = plan.options;
  const ModelShape& model = plan.model;
  const LayerCounts counts = counts_of(plan);
  const double hidden = model.hidden, bytes = weight_bytes(options.weights);
  attention.attention = counts.attention * attention_weights(plan);
  attention.dense = counts.dense * bytes * 3 * hidden * model.dense_intermediate / options.dense_tp +
                    counts.mtp * kSixteenBits * 2 * hidden * hidden;
  const double shared = std::max(1.0, weight_bytes(options.experts)),
               of_routed = weight_bytes(options.experts);
  attention.shared = counts.routed * (shared * 3 * hidden * model.experts.shared_intermediate +
                                      4 * hidden * model.experts.count);
  experts.experts = counts.routed * of_routed * 3 * hidden * model.experts.intermediate *
                    (model.experts.count + options.redundant) / options.ep;
  attention.ends = kSixteenBits * hidden * model.vocabulary * (model.tied ? 1 : 2) / options.head_tp;
}

double buffers_of(const InferencePlan& plan) {
  const InferenceOptions& options = plan.options;
  const ModelShape& model = plan.model;
  const double own = static_cast<double>(options.own_tokens()) * options.micro_batches,
               rows = own * model.experts.top_k * options.attention() / options.ep;
  const double heads = 1.0 * model.attention.heads / options.tp;
  const double routed = rows * (2.0 * 2 * model.hidden + 3.0 * model.experts.intermediate) * kSixteenBits;
  const double attention = static_cast<double>(options.micro_tokens()) * heads *
                           (model.attention.d_qk + model.attention.d_v) * 2 * kSixteenBits;
  return std::max(routed, attention) + 4 * own * model.hidden * kSixteenBits;
}

}  // namespace

double cache_of_token(const InferencePlan& plan) {
  const InferenceOptions& options = plan.options;
  const ModelShape::Attention& shape = plan.model.attention;
  double elements = shape.latent
                        ? 1.0 * shape.latent->keys + shape.latent->rotated
                        : std::max(1.0, 1.0 * shape.kv_heads / options.tp) * (shape.d_qk + shape.d_v);
  const double of_index = options.index ? options.index->width * options.index_cache_bytes : 0;
  return counts_of(plan).attention * (elements * options.cache_bytes + of_index) / options.cp;
}

InferenceMemory inference_memory(const InferencePlan& plan) {
  const InferenceOptions& options = plan.options;
  InferenceMemory attention, experts;
  add_weights(plan, attention, options.attention_dies > 0 ? experts : attention);
  const double tokens = static_cast<double>(options.batch) *
                        (static_cast<double>(options.context) * options.longest + 1 + options.drafts);
  attention.cache = tokens * cache_of_token(plan);
  attention.buffers = experts.buffers = buffers_of(plan);
  attention.reserved = experts.reserved = options.reserved * static_cast<double>(options.capacity.count);
  return experts.total() > attention.total() ? experts : attention;
}

std::uint64_t largest_batch(const InferencePlan& plan) {
  const auto fits = [&](std::uint64_t batch) {
    InferencePlan other = plan;
    other.options.batch = batch;
    return inference_memory(other).total() <= static_cast<double>(plan.options.capacity.count);
  };
  if (!fits(1)) return 0;
  std::uint64_t low = 1, high = 2;
  while (fits(high) && high < (std::uint64_t{1} << 30)) low = high, high *= 2;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

std::string over_inference_capacity(const InferencePlan& plan) {
  const InferenceMemory memory = inference_memory(plan);
  const double capacity = static_cast<double>(plan.options.capacity.count);
  if (memory.total() <= capacity) return "";
  const std::uint64_t most = largest_batch(plan);
  return fmt::format(
      "a die needs {:.1f} GiB and has {:.1f}: weights {:.1f}, cache {:.1f}, buffers {:.1f}, reserved {:.1f}; "
      "{}; "
      "inference.over_capacity=true runs it all the same",
      memory.total() / kGibibyte, capacity / kGibibyte, memory.weights() / kGibibyte,
      memory.cache / kGibibyte, memory.buffers / kGibibyte, memory.reserved / kGibibyte,
      most > 0
          ? fmt::format("inference.batch={} fits", most)
          : "more dies (parallel.ep), fewer bytes of weights (inference.weights, inference.experts) or a "
            "shorter inference.context would fit");
}

}  // namespace a3sim
