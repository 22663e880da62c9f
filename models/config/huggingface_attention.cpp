#include "models/config/huggingface_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>

namespace a3sim {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMostLayers = 1 << 14;
constexpr std::array<std::string_view, 4> kFull{"full_attention", "attention", "global_attention", "full"};
constexpr std::array<std::string_view, 5> kWindowed{"sliding_attention", "local_attention", "sliding_window",
                                                    "sliding", "swa"};
// Families whose sliding window holds for all layers.
constexpr std::array<std::string_view, 5> kAllWindowed{"mistral", "mixtral", "phi3", "phimoe", "starcoder2"};

// A word of a key that is not full attention, and what it stands for.
struct OtherAttention {
  std::string_view word, what;
};
constexpr OtherAttention kOthers[] = {
    {"index_topk", "an indexer that picks the keys (sparse attention)"},
    {"index_n_heads", "an indexer that picks the keys (sparse attention)"},
    {"indexer", "an indexer that picks the keys (sparse attention)"},
    {"sparse_att", "sparse attention"},
    {"sparse_block", "sparse attention"},
    {"sparse_config", "sparse attention"},
    {"sparse_topk", "sparse attention"},
    {"nsa_", "sparse attention"},
    {"moba_", "sparse attention"},
    {"compress", "compressed keys"},
    {"linear_att", "linear attention"},
    {"linear_num", "linear attention"},
    {"linear_key", "linear attention"},
    {"linear_value", "linear attention"},
    {"linear_conv", "linear attention"},
    {"linear_layer", "linear attention"},
    {"lightning", "linear attention"},
    {"kda_", "linear attention"},
    {"gated_delta", "linear attention"},
    {"attention_interval", "linear attention"},
    {"layer_group_size", "linear attention"},
    {"mamba", "state-space layers"},
    {"ssm_", "state-space layers"},
    {"hybrid_override", "state-space layers"},
    {"recurrent", "recurrent layers"},
    {"rwkv", "recurrent layers"},
    {"conv_L_cache", "convolutions"},
    {"short_conv", "convolutions"},
    {"attention_chunk", "attention in chunks"},
    {"hybrid_layer_pattern", "attention of another kind"},
    {"swa_", "other heads in windowed layers"},
    {"attn_type", "attention of another kind"},
    {"attn_layer", "layers without attention"},
    {"layers_block_type", "layers of another kind"},
    {"kv_shared", "keys that layers share"},
    {"cla_share", "keys that layers share"},
    {"hc_mult", "several residual streams"},
    {"hyper_connection", "several residual streams"},
};

// True if a key's value asks for something: null, false, 0 and empty ones do not.
bool asks(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value != 0;
  if (value.is_string()) return !value.get<std::string>().empty();
  return (value.is_array() || value.is_object()) && !value.empty();
}

class AttentionReader {
 public:
  explicit AttentionReader(const Json& json)
      : json_(json), layers_(std::min(kMostLayers, whole("num_hidden_layers"))) {}

  HuggingFaceAttention read() {
    read_window_size();
    const bool typed = read_types();
    if (!typed) read_pattern();
    find_others(typed);
    if (std::ranges::find(found_.windowed, true) == found_.windowed.end()) found_.windowed.clear();
    return std::move(found_);
  }

 private:
  std::int64_t whole(std::string_view key) const {
    const auto it = json_.find(key);
    return it != json_.end() && it->is_number_integer() && *it > 0 ? it->get<std::int64_t>() : 0;
  }
  std::string text(std::string_view key) const {
    const auto it = json_.find(key);
    return it != json_.end() && it->is_string() ? it->get<std::string>() : "";
  }
  void not_known(std::string key, std::string what) {
    if (!found_.unknown.empty()) return;
    found_.unknown_key = std::move(key);
    found_.unknown = std::move(what);
  }

  void read_window_size() {
    const auto use = json_.find("use_sliding_window");
    if (use != json_.end() && use->is_boolean() && !use->get<bool>()) return;
    for (const char* key :
         {"sliding_window", "sliding_window_size", "window_size", "local_window_size", "attention_window"}) {
      if (whole(key) == 0) continue;
      found_.window = whole(key);
      found_.window_key = key;
      return;
    }
  }

  // Reads the type of each layer from a list, if there is one. Returns false if there is none.
  bool read_types() {
    const auto types = json_.find("layer_types");
    if (types == json_.end() || !types->is_array() || types->empty()) return false;
    if (std::ssize(*types) != layers_ && layers_ > 0) {
      not_known("layer_types", fmt::format("{} types for {} layers", types->size(), layers_));
      return true;
    }
    for (const Json& one : *types) {
      const std::string type = one.is_string() ? one.get<std::string>() : one.dump();
      const bool windowed = std::ranges::find(kWindowed, type) != kWindowed.end();
      if (!windowed && std::ranges::find(kFull, type) == kFull.end())
        not_known("layer_types", fmt::format("not simulated: layers of type '{}'", type));
      found_.windowed.push_back(windowed);
    }
    if (found_.window == 0 && std::ranges::find(found_.windowed, true) != found_.windowed.end())
      not_known("layer_types", "windowed layers without the size of their window");
    return true;
  }

  // Reads which layers are windowed from a rule.
  void read_pattern() {
    if (found_.window == 0 || layers_ == 0) return;
    const auto set = [this](const auto& windowed) {
      for (std::int64_t layer = 0; layer < layers_; ++layer) found_.windowed.push_back(windowed(layer));
    };
    if (const std::int64_t every = whole("sliding_window_pattern"); every > 0)
      return set([every](std::int64_t layer) { return (layer + 1) % every != 0; });
    if (const std::string pattern = text("sliding_window_pattern"); !pattern.empty())
      return set([&](std::int64_t layer) {
        return pattern[static_cast<std::size_t>(layer) % pattern.size()] == 'L';
      });
    if (json_.contains("use_sliding_window") && whole("max_window_layers") > 0)
      return set([first = whole("max_window_layers")](std::int64_t layer) { return layer >= first; });
    if (std::ranges::find(kAllWindowed, text("model_type")) != kAllWindowed.end())
      return set([](std::int64_t) { return true; });
    not_known(found_.window_key, "which layers have the window is not said");
  }

  // True for words that are of one type of layer, and say nothing where all layers have another.
  static bool repeats_types(std::string_view word) {
    for (const std::string_view known : {"linear_", "mamba", "ssm_", "attention_interval", "attention_chunk",
                                         "conv_L_cache", "recurrent", "lightning", "gated_delta", "kda_"})
      if (word.starts_with(known)) return true;
    return false;
  }

  // A list of equal numbers, of which 1 is full attention (MiniMax-M2).
  static bool all_full(std::string_view key, const Json& value) {
    return key == "attn_type_list" && value.is_array() &&
           std::ranges::all_of(value, [](const Json& one) { return one == 1; });
  }

  void find_others(bool typed) {
    for (const auto& [key, value] : json_.items()) {
      if (!asks(value) || all_full(key, value)) continue;
      for (const auto& [word, what] : kOthers) {
        if (key.find(word) == std::string::npos || (typed && repeats_types(word))) continue;
        return not_known(key, fmt::format("not simulated: {}", what));
      }
    }
  }

  const Json& json_;
  std::int64_t layers_;
  HuggingFaceAttention found_;
};

}  // namespace

HuggingFaceAttention huggingface_attention(const nlohmann::json& json) {
  return AttentionReader(json).read();
}

}  // namespace a3sim
