#include "models/config/huggingface_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>

#include "models/config/huggingface_attention.h"

namespace a3sim {
namespace {

using Json = nlohmann::json;

// Families that normalise the queries and keys of heads, and those known not to.
constexpr std::array kNormalised{"qwen3", "qwen3_moe", "qwen3_vl_moe_text", "qwen3_next"};
constexpr std::array kNotNormalised{"llama",   "mixtral",     "qwen2",       "qwen2_moe", "mistral",
                                    "gpt_oss", "PanguProMoE", "llama4_text", "llama4",    "glm4_moe"};

class LayersReader {
 public:
  explicit LayersReader(const Json& json) : json_(json) {}

  HuggingFaceLayers read() {
    attention_ = huggingface_attention(json_);
    found_.unknown_key = attention_.unknown_key;
    found_.unknown = attention_.unknown;
    if (!found_.unknown.empty()) attention_.windowed.clear();
    take("vocabulary", {"vocab_size"});
    if (json_.contains("tie_word_embeddings") && json_["tie_word_embeddings"].is_boolean())
      add("tied", json_["tie_word_embeddings"].get<bool>() ? "true" : "false", "tie_word_embeddings");
    read_attention();
    if (is_moe()) {
      read_shared();
      take("dense_intermediate", {"intermediate_size_mlp", "intermediate_size"});
    } else {
      take("dense_intermediate", {"intermediate_size"});
    }
    read_layers();
    return std::move(found_);
  }

 private:
  std::int64_t whole(std::string_view key) const {
    const auto it = json_.find(key);
    return it != json_.end() && it->is_number_integer() && *it > 0 ? it->get<std::int64_t>() : 0;
  }
  bool is_moe() const {
    return std::ranges::any_of(std::array{"n_routed_experts", "num_experts", "num_local_experts",
                                          "num_routed_experts", "moe_num_experts"},
                               [this](const char* key) { return whole(key) > 0; });
  }
  std::string family() const {
    const auto it = json_.find("model_type");
    return it != json_.end() && it->is_string() ? it->get<std::string>() : "";
  }
  void add(std::string path, std::string value, std::string source, bool assumed = false) {
    found_.keys.push_back({std::move(path), std::move(value), std::move(source), assumed});
  }
  // Takes the first of these keys that is present.
  void take(const std::string& path, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
      if (whole(key) == 0) continue;
      add(path, fmt::format("{}", whole(key)), key);
      return;
    }
  }

  void read_attention() {
    if (whole("num_attention_heads") == 0) return;
    take("attention.heads", {"num_attention_heads"});
    if (!attention_.windowed.empty())
      add("attention.window", fmt::format("{}", attention_.window), attention_.window_key);
    if (whole("kv_lora_rank") > 0) {
      take("attention.q_lora", {"q_lora_rank"});
      take("attention.kv_lora", {"kv_lora_rank"});
      take("attention.qk_nope", {"qk_nope_head_dim"});
      take("attention.qk_rope", {"qk_rope_head_dim"});
      take("attention.v_dim", {"v_head_dim"});
      return;
    }
    take("attention.kv_heads", {"num_key_value_heads"});
    read_head_width();
    read_head_norms();
  }

  // The default of transformers is the hidden width divided by the heads; families that differ give the
  // width.
  void read_head_width() {
    if (whole("head_dim") > 0) return take("attention.head_dim", {"head_dim"});
    const std::int64_t width = whole("hidden_size") / whole("num_attention_heads");
    if (width == 0) return;
    add("attention.head_dim", fmt::format("{}", width), "num_attention_heads", !knows_family());
  }

  void read_head_norms() {
    if (json_.contains("use_qk_norm") && json_["use_qk_norm"].is_boolean())
      return add("attention.qk_norm", json_["use_qk_norm"].get<bool>() ? "true" : "false", "use_qk_norm");
    if (std::ranges::find(kNormalised, family()) != kNormalised.end())
      add("attention.qk_norm", "true", "model_type");
    else if (!knows_family())
      add("attention.qk_norm", "false", "model_type", true);
  }

  bool knows_family() const {
    return std::ranges::find(kNormalised, family()) != kNormalised.end() ||
           std::ranges::find(kNotNormalised, family()) != kNotNormalised.end();
  }

  void read_shared() {
    for (const char* key :
         {"shared_expert_intermediate_size", "shared_intermediate_size", "share_expert_dim"}) {
      if (whole(key) > 0) return take("shared_intermediate", {key});
    }
    const char* const width =
        whole("moe_intermediate_size") > 0 ? "moe_intermediate_size" : "intermediate_size";
    for (const char* key :
         {"n_shared_experts", "num_shared_experts", "moe_num_shared_experts", "num_shared_expert"}) {
      if (whole(key) > 0 && whole(width) > 0)
        return add("shared_intermediate", fmt::format("{}", whole(key) * whole(width)), key);
    }
    if (family().starts_with("llama4")) take("shared_intermediate", {"intermediate_size"});
  }

  // True if the list of numbers at `key` contains the layer.
  bool lists(const char* key, std::int64_t layer) const {
    const auto it = json_.find(key);
    return it != json_.end() && it->is_array() &&
           std::ranges::any_of(*it, [layer](const Json& one) { return one == layer; });
  }

  // True if a text such as "4,5,6" has the layer's number.
  static bool is_named(std::string_view numbers, std::int64_t layer) {
    const std::string wanted = fmt::format("{}", layer);
    while (!numbers.empty()) {
      const std::size_t end = std::min(numbers.size(), numbers.find(','));
      if (numbers.substr(0, end) == wanted) return true;
      numbers.remove_prefix(std::min(numbers.size(), end + 1));
    }
    return false;
  }

  bool has_experts(std::int64_t layer) const {
    if (layer < whole("first_k_dense_replace") || lists("mlp_only_layers", layer)) return false;
    if (layer < whole("moe_layer_start_index") || layer < whole("num_dense_layers")) return false;
    if (const std::int64_t last = whole("moe_layer_end_index"); last > 0 && layer > last) return false;
    if (const auto it = json_.find("is_moe_layer"); it != json_.end() && it->is_array()) {
      const auto index = static_cast<std::size_t>(layer);
      return index < it->size() && ((*it)[index] == true || (*it)[index] == 1);
    }
    if (const std::int64_t every = whole("expert_layer_period"); every > 1)
      return layer % every == whole("expert_layer_offset") % every;
    if (const std::int64_t every = whole("moe_layer_interval"); every > 1 && (layer + 1) % every != 0)
      return false;
    if (json_.contains("moe_layers_enum") && json_["moe_layers_enum"].is_string())
      return is_named(json_["moe_layers_enum"].get<std::string>(), layer);
    if (json_.contains("moe_layers") && json_["moe_layers"].is_array()) return lists("moe_layers", layer);
    if (const auto it = json_.find("moe_layer_freq"); it != json_.end() && it->is_array()) {
      const auto index = static_cast<std::size_t>(layer);
      return index < it->size() && (*it)[index] == 1;
    }
    if (const std::int64_t every = whole("moe_layer_freq"); every > 1) return layer % every == 0;
    for (const char* key : {"decoder_sparse_step", "interleave_moe_layer_step"})
      if (const std::int64_t every = whole(key); every > 1) return (layer + 1) % every == 0;
    return true;
  }

  bool is_windowed(std::int64_t layer) const {
    const auto index = static_cast<std::size_t>(layer);
    return index < attention_.windowed.size() && attention_.windowed[index];
  }

  void read_layers() {
    constexpr std::int64_t kMostLayers = 1 << 14;
    const std::int64_t layers = std::min(kMostLayers, whole("num_hidden_layers"));
    if (layers == 0 || whole("num_attention_heads") == 0) return;
    const bool moe = is_moe();
    std::vector<std::pair<std::string, std::int64_t>> runs;
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      const std::string kind =
          std::string(is_windowed(layer) ? "windowed_" : "") + (moe && has_experts(layer) ? "moe" : "dense");
      if (runs.empty() || runs.back().first != kind) runs.emplace_back(kind, 0);
      ++runs.back().second;
    }
    const auto add_run = [this](std::string_view kind, std::int64_t count) {
      found_.layers.push_back(count == 1 ? std::string(kind) : fmt::format("{} {}", count, kind));
    };
    add_run("embedding", 1);
    for (const auto& [kind, count] : runs) add_run(kind, count);
    for (const char* key : {"num_nextn_predict_layers", "num_mtp_layers"}) {
      if (whole(key) == 0) continue;
      add_run("mtp", std::min(kMostLayers, whole(key)));
      break;
    }
    add_run("head", 1);
  }

  const Json& json_;
  HuggingFaceAttention attention_;
  HuggingFaceLayers found_;
};

}  // namespace

HuggingFaceLayers huggingface_layers(const nlohmann::json& json) { return LayersReader(json).read(); }

}  // namespace a3sim
