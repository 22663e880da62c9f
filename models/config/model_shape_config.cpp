#include "models/config/model_shape_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "models/blocks/block.h"

namespace a3sim {
namespace {

constexpr std::int64_t kMostHeads = 1 << 16, kWidestHead = 1 << 16, kWidestLayer = 1 << 20,
                       kLargestVocabulary = 1 << 24, kLongestWindow = 1 << 24;
constexpr std::int64_t kMostInLayer = 1 << 20, kMostOnRank = 65534;  // experts, as in read_shape()
constexpr std::size_t kMostLayers = 1 << 14;

std::uint32_t read_count(const Config& config, std::string_view key, std::int64_t most) {
  return static_cast<std::uint32_t>(config.integer(key, 1, most));
}

std::uint32_t count_if_there(const Config& config, std::string_view key, std::int64_t most) {
  return config.has(key) ? read_count(config, key, most) : 0;
}

ModelShape::Attention read_attention(const Config& config) {
  ModelShape::Attention shape;
  shape.heads = read_count(config, "heads", kMostHeads);
  shape.qk_norm = config.has("qk_norm") && config.boolean("qk_norm", false);
  shape.window = count_if_there(config, "window", kLongestWindow);
  if (config.has("kv_lora")) {
    const std::uint32_t rotated = read_count(config, "qk_rope", kWidestHead);
    shape.latent = {count_if_there(config, "q_lora", kWidestLayer),
                    read_count(config, "kv_lora", kWidestLayer), rotated};
    shape.kv_heads = shape.heads;
    shape.d_qk = read_count(config, "qk_nope", kWidestHead) + rotated;
    shape.d_v = read_count(config, "v_dim", kWidestHead);
  } else {
    shape.kv_heads = config.has("kv_heads") ? read_count(config, "kv_heads", kMostHeads) : shape.heads;
    shape.d_qk = shape.d_v = read_count(config, "head_dim", kWidestHead);
    if (!config.is_wrong("heads") && !config.is_wrong("kv_heads") && shape.heads % shape.kv_heads != 0)
      config.error("kv_heads", fmt::format("{} heads share {} of keys and values, expected a divisor",
                                           shape.heads, shape.kv_heads));
  }
  config.let_stand("index");  // the indexer of sparse attention, which steps of inference read
  config.finish();
  return shape;
}

// Reads `3 dense` or `24 (dense moe)`. Returns an error text, or an empty string.
std::string append_layers(const std::string& text, std::vector<std::string>& layers) {
  std::istringstream in(text);
  std::size_t count = 1;
  if (in >> std::ws; std::isdigit(in.peek()) != 0) in >> count;
  std::vector<std::string> kinds;
  std::string rest;
  std::getline(in >> std::ws, rest);
  if (rest.size() > 1 && rest.front() == '(' && rest.back() == ')') rest = rest.substr(1, rest.size() - 2);
  std::istringstream names(rest);
  for (std::string kind; names >> kind;) {
    if (BlockKinds::find(kind) == nullptr)
      return fmt::format("unknown block '{}'; known: {}{}", kind, BlockKinds::known(),
                         BlockKinds::meant(kind));
    kinds.push_back(kind);
  }
  if (kinds.empty() || count == 0 || count > kMostLayers ||
      layers.size() + count * kinds.size() > kMostLayers)
    return fmt::format(
        "'{}', expected a kind of block with its number, as '3 dense' or '24 (dense moe)', and at "
        "most {} in all",
        text, kMostLayers);
  for (std::size_t i = 0; i < count; ++i) layers.insert(layers.end(), kinds.begin(), kinds.end());
  return {};
}

void read_layers(const Config& config, ModelShape& shape) {
  for (const std::string& text : config.texts("layers")) {
    if (const std::string wrong = append_layers(text, shape.layers); !wrong.empty())
      config.error("layers", wrong);
  }
  for (const std::string& kind : std::set<std::string>(shape.layers.begin(), shape.layers.end())) {
    const std::string_view missing = BlockKinds::get(kind).missing(shape);
    if (!missing.empty() && !config.is_wrong(missing))
      config.error("layers", fmt::format("{} needs {}, which is missing: --set {}=…", kind,
                                         config.path(missing), config.path(missing)));
  }
}

void let_all_stand(const Config& block) {
  for (const std::string& key : block.keys()) block.let_stand(key);
}

ModelShape read_parts(const Config& config, const Parallel& parallel) {
  ModelShape shape;
  shape.name = config.text("name", "");
  shape.hidden = read_count(config, "hidden", kWidestLayer);
  shape.vocabulary = count_if_there(config, "vocabulary", kLargestVocabulary);
  shape.tied = config.has("tied") && config.boolean("tied", false);
  if (config.has("attention")) shape.attention = read_attention(config.map("attention"));
  shape.dense_intermediate = count_if_there(config, "dense_intermediate", kWidestLayer);
  if (config.has("experts"))
    shape.experts.count = read_count(config, "experts", kMostInLayer);
  else
    shape.experts.count =
        count_if_there(config, "experts_per_rank", std::min(kMostOnRank, kMostInLayer / parallel.ep)) *
        parallel.ep;
  if (shape.experts.count > 0) {
    shape.experts.top_k = read_count(config, "top_k", kMostInLayer);
    shape.experts.intermediate = read_count(config, "intermediate", kWidestLayer);
    shape.experts.shared_intermediate = count_if_there(config, "shared_intermediate", kWidestLayer);
    shape.experts.latent = count_if_there(config, "latent", kWidestLayer);
  }
  shape.gated = has_gate(config);
  return shape;
}

}  // namespace

bool has_gate(const Config& config) { return !config.has("gated") || config.boolean("gated", true); }

void refuse_ungated(const Config& config, std::string_view kernels) {
  if (!has_gate(config))
    config.error("gated", fmt::format("{} have a gate: expected true, or experiment.workload=moe_ffn on "
                                      "schedules of tasks or kernel by kernel",
                                      kernels));
}

ModelShape read_model_shape(const Config& config, const Parallel& parallel) {
  ModelShape shape = read_parts(config, parallel);
  shape.dtype = read_dtype(config);
  if (!config.has("layers")) {
    if (config.has("layers_unknown"))
      config.error("layers_unknown", config.text("layers_unknown"));
    else
      config.error("layers",
                   "missing, expected the model's blocks in order: [embedding, 3 dense, 58 moe, mtp, head]");
  }
  static_cast<void>(config.has("layers_unknown"));
  read_layers(config, shape);
  if (config.has("source")) config.text("source");
  config.texts("not_modelled");
  config.let_stand("tokens");
  config.finish();
  return shape;
}

void check_model_shape(const Config& config, const Parallel& parallel) {
  ModelShape shape = read_parts(config, parallel);
  static_cast<void>(config.has("layers_unknown"));
  if (config.has("layers")) read_layers(config, shape);
  // A layer alone has none of the other blocks.
  for (const char* key : {"vocabulary", "tied", "dense_intermediate", "shared_intermediate", "layers"})
    config.let_stand(key);
  if (config.has("attention")) let_all_stand(config.map("attention"));
}

}  // namespace a3sim
