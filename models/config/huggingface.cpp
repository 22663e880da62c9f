#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/config/huggingface_layers.h"
#include "sim/core/config/foreign.h"

namespace a3sim {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kTokens = 4096;  // per rank; a choice of the workload, which no model makes

Mark mark_at(const Mark& start, std::string_view text, std::size_t offset) {
  Mark mark = start;
  for (const char c : text.substr(0, offset)) {
    ++mark.column;
    if (c != '\n') continue;
    ++mark.line;
    mark.column = 1;
  }
  return mark;
}

// Reads a config.json of HuggingFace's transformers as the mapping `model`. Families use different keys for
// the same thing; these are the keys of their public configurations.
class ModelReader {
 public:
  ModelReader(std::string_view text, const Mark& start, Diagnostics& diagnostics)
      : text_(text), start_(start), diagnostics_(diagnostics) {}

  std::unique_ptr<ConfigValue> read() {
    if (!parse()) return nullptr;
    const HuggingFaceLayers layers = huggingface_layers(json_);
    const auto hidden = size(kHidden, "the model's width");
    add("name", name(), mark_of("model_type"));
    add("source", start_.file, start_);
    add("tokens", fmt::format("{}", kTokens), start_);
    // A model whose layers are all dense has none of the keys of experts.
    const bool dense = !layers.layers.empty() &&
                       std::ranges::none_of(kExperts, [this](const char* key) { return has(key); });
    const bool counts = check_counts();
    const std::optional<Size> latent = dense ? std::nullopt : latent_width();
    if (hidden) add("hidden", *hidden);
    if (latent) add("latent", *latent);
    if (!(dense || add_experts()) || !hidden || !counts) return nullptr;
    add("dtype", dtype(), mark_of(has("dtype") ? "dtype" : "torch_dtype"));
    add_layers(layers);
    read_gate();
    if (!dense) leave_open_what_is_not_understood();
    add_list("not_modelled", notes_);
    model_->whole = true;
    model_->mark = start_;
    auto root = std::make_unique<ConfigValue>();
    root->mark = start_;
    root->add("model", start_, std::move(model_));
    return root;
  }

 private:
  struct Size {
    std::string key;
    std::int64_t value = 0;
  };

  static constexpr std::array kExperts{"n_routed_experts", "num_experts", "num_local_experts",
                                       "num_routed_experts", "moe_num_experts"};

  static constexpr std::array kHidden{"hidden_size"};
  static constexpr std::array kWidth{"moe_intermediate_size", "expert_ffn_hidden_size", "moe_ffn_hidden_size",
                                     "intermediate_size"};
  // Widths that experts may work in instead of the model's: rows are projected before they are sent, and back.
  static constexpr std::array kLatent{"moe_latent_size", "moe_latent_dim", "expert_latent_size",
                                      "latent_moe_size"};
  static constexpr std::array kShared{"shared_expert_intermediate_size",
                                      "moe_shared_expert_intermediate_size", "shared_intermediate_size",
                                      "share_expert_dim"};
  // Widths that are read elsewhere, or of layers that have no experts.
  static constexpr std::array kOtherWidths{"intermediate_size_mlp", "dense_intermediate_size",
                                           "ffn_intermediate_size", "mlp_intermediate_size"};
  static constexpr std::array kTopK{"num_experts_per_tok", "num_experts_per_token",
                                    "top_k_experts",       "experts_per_token",
                                    "n_activated_experts", "moe_topk",
                                    "moe_top_k",           "moe_k",
                                    "moe_router_topk"};
  // Which layers have experts, and which experts are shared: read with the layers.
  static constexpr std::array kPlaces{
      "first_k_dense_replace", "moe_layer_freq",      "interleave_moe_layer_step", "moe_layers",
      "n_shared_experts",      "num_shared_experts",  "moe_num_shared_experts",    "num_shared_expert",
      "moe_layer_start_index", "moe_layer_interval",  "moe_layers_enum",           "expert_layer_period",
      "expert_layer_offset",   "moe_layer_end_index", "moe_every_n_layer",         "is_moe_layer"};
  // Layers whose router is a hash of the token: how rows go is the routing's choice in any case.
  static constexpr std::array kHashed{"num_hash_layers", "n_hash_layers", "moe_n_hash_layers", "hash_layers"};
  // Names of families, and what training and other machines do with experts.
  static constexpr std::array kHarmless{"model_type",
                                        "architectures",
                                        "ep_size",
                                        "moe_capacity",
                                        "experts_implementation",
                                        "moe_token_dispatcher_type",
                                        "moe_dropped",
                                        "expert_selection_fn",
                                        "torch_dtype",
                                        "auto_map",
                                        "topk_method",
                                        "moe_use_hardware_topk",
                                        "shared_moe_mode",
                                        "moe_gate"};

  // Returns false after noting what is wrong with the numbers of layers and heads, as far as they are given.
  bool check_counts() {
    constexpr std::int64_t kMostLayers = 1 << 14;
    bool right = true;
    for (const char* key : {"num_hidden_layers", "num_attention_heads"}) {
      if (!has(key) || (json_[key].is_number_integer() && json_[key] > 0 && json_[key] <= kMostLayers))
        continue;
      right = fail(mark_of(key), key, fmt::format("expected a whole number from 1 to {}", kMostLayers));
    }
    if (!right || !has("num_hidden_layers")) return right;
    const auto layers = json_["num_hidden_layers"].get<std::int64_t>();
    const auto dense = whole("first_k_dense_replace");
    return !dense || *dense <= layers ||
           fail(mark_of("first_k_dense_replace"), "first_k_dense_replace",
                fmt::format("{} dense layers of {}, expected at most {}", *dense, layers, layers));
  }

  std::optional<Size> latent_width() {
    for (const char* key : kLatent) {
      const auto width = whole(key);
      if (!width || *width == 0) continue;
      notes_.push_back(
          fmt::format("projections between the model's width and the {} of its experts ({})", *width, key));
      return Size{key, *width};
    }
    return {};
  }

  static bool is_one_of(std::string_view key, std::span<const char* const> keys) {
    return std::ranges::any_of(keys, [key](const char* known) { return key == known; });
  }
  static bool names_any(std::string_view key, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(
        words, [key](std::string_view word) { return key.find(word) != std::string_view::npos; });
  }
  static bool names_a_width(std::string_view key) {
    return names_any(key, {"intermediate", "latent"}) ||
           (names_any(key, {"expert"}) && names_any(key, {"size", "dim", "width"}));
  }
  // True for what touches experts and changes neither their sizes nor their number: losses, scores, numbers of training.
  static bool is_harmless(std::string_view key) {
    return is_one_of(key, kHarmless) || names_any(key, {"loss",
                                                        "coef",
                                                        "coeff",
                                                        "bias",
                                                        "scal",
                                                        "norm",
                                                        "dtype",
                                                        "jitter",
                                                        "dropout",
                                                        "init",
                                                        "std",
                                                        "logits",
                                                        "implementation",
                                                        "backend",
                                                        "score",
                                                        "group",
                                                        "aux",
                                                        "gating",
                                                        "router_activation",
                                                        "impl",
                                                        "gate_",
                                                        "temperature",
                                                        "rate"});
  }

  // Reads whether feed-forward networks have a gate. Families differ where the activation is ReLU or GELU.
  void read_gate() {
    for (const char* key : {"is_gated_act", "gated_mlp", "use_glu", "use_gated_mlp"})
      if (has(key) && json_[key].is_boolean()) {
        if (!json_[key].get<bool>()) add("gated", "false", mark_of(key));
        return;
      }
    for (const char* key : {"mlp_hidden_act", "hidden_act", "hidden_activation", "activation_function"}) {
      if (!has(key) || !json_[key].is_string()) continue;
      const std::string act = json_[key].get<std::string>();
      if (names_any(act, {"relu2", "squared_relu", "relu^2", "relu_squared"}))
        return add("gated", "false", mark_of(key));
      constexpr std::array kEither{"relu", "gelu", "gelu_new", "gelu_fast", "quick_gelu"};
      if (!is_one_of(act, kEither)) return;
      add("gated", "true", mark_of(key));
      model_->find("gated")->value->open = fmt::format(
          "{}: '{}' stands in networks with a gate and without: --set model.gated=true or model.gated=false",
          key, act);
      return;
    }
  }

  // Notes what touches experts and is not understood: keys that nobody reads. They would change the answer, so the value
  // that they touch is left open, until --set gives it.
  void leave_open_what_is_not_understood() {
    for (const auto& [key, value] : json_.items()) {
      const bool known = is_one_of(key, kWidth) || is_one_of(key, kLatent) || is_one_of(key, kShared) ||
                         is_one_of(key, kOtherWidths) || is_one_of(key, kExperts) || is_one_of(key, kTopK) ||
                         is_one_of(key, kPlaces) || is_one_of(key, kHashed) || is_harmless(key);
      const bool says = (value.is_number_integer() && value != 0) || (value.is_array() && !value.empty()) ||
                        value.is_string();
      if (known || !says || !names_any(key, {"expert", "moe", "latent", "intermediate", "routed"})) continue;
      if (names_a_width(key))
        leave_open("intermediate", key, "a width that is not known here, and may be that of the experts");
      else
        leave_open("experts", key, "it names experts, and is not read");
    }
  }

  void leave_open(const char* key, const std::string& source, const std::string& why) {
    ConfigValue::Entry* const entry = model_->find(key);
    if (entry == nullptr) return;
    ConfigValue& value = *entry->value;
    if (!value.open.empty()) {
      value.open = fmt::format("{}; {}: {}", value.open, source, why);
      return;
    }
    value.mark = mark_of(source);
    value.open =
        fmt::format("{}: {}: --set model.{}={} if it is that all the same", source, why, key, value.text);
  }

  // Returns true if all that the MoE layer needs is there.
  bool add_experts() {
    const auto experts = size(kExperts, "routed experts; a model without has no MoE layer to run");
    const auto top_k = size(kTopK, "experts per token");
    // Experts without a width of their own have that of the feed-forward layer.
    const auto width = size(kWidth, "an expert's width");
    if (!experts || !top_k || !width) return false;
    add("intermediate", *width);
    add("top_k", *top_k);
    add("experts", *experts);
    note_what_is_left_out(width->value);
    return true;
  }

  void add_layers(const HuggingFaceLayers& layers) {
    auto attention = std::make_unique<ConfigValue>();
    attention->mark = start_;
    for (const HuggingFaceLayers::Key& key : layers.keys) {
      const Mark mark = mark_of(key.source);
      constexpr std::string_view kPrefix = "attention.";
      const bool of_attention = key.path.starts_with(kPrefix);
      auto value = ConfigValue::scalar(key.value, mark);
      if (key.assumed) value->add_source(kAssumedOfModel);
      (of_attention ? *attention : *model_)
          .add(of_attention ? key.path.substr(kPrefix.size()) : key.path, mark, std::move(value));
    }
    if (!attention->entries.empty()) model_->add("attention", start_, std::move(attention));
    if (layers.unknown.empty())
      add_list("layers", layers.layers);
    else
      add("layers_unknown",
          fmt::format("{}: {}: --set model.layers='[{}]' takes full attention in all layers",
                      layers.unknown_key, layers.unknown, fmt::join(layers.layers, ", ")),
          mark_of(layers.unknown_key));
  }

  void add_list(const char* key, const std::vector<std::string>& items) {
    if (items.empty()) return;
    auto list = std::make_unique<ConfigValue>();
    list->kind = ConfigValue::Kind::kList;
    list->mark = start_;
    for (const std::string& item : items) list->items.push_back(ConfigValue::scalar(item, start_));
    model_->add(key, start_, std::move(list));
  }

  bool parse() {
    try {
      json_ = Json::parse(text_);
      if (!json_.is_object()) return fail(start_, "", "no JSON object, expected a model's config.json");
      if (has("server_list"))
        return fail(
            start_, "",
            "a rank table of HCCL, expected a model's config.json: an experiment takes the table as --set "
            "parallel.hosts='{kind: rank_table, file: FILE}'");
      // Models of several kinds of input have their language model's keys in a nested mapping. It is moved,
      // because copying recurses and a file may be millions of brackets deep.
      if (json_.contains("text_config") && json_["text_config"].is_object() && !has("hidden_size"))
        json_ = Json(std::move(json_["text_config"]));
      return true;
    } catch (const Json::parse_error& error) {
      return fail(mark_at(start_, text_, error.byte > 0 ? error.byte - 1 : 0), "",
                  "no JSON, expected a model's config.json");
    } catch (const Json::out_of_range&) {
      return fail(start_, "", "a number that is too large, expected a model's config.json");
    }
  }

  bool has(const char* key) const { return json_.contains(key) && !json_[key].is_null(); }

  Mark mark_of(const std::string& key) const {
    const std::size_t at = text_.find('"' + key + '"');
    return at == std::string_view::npos ? start_ : mark_at(start_, text_, at);
  }

  bool fail(const Mark& mark, std::string_view key, const std::string& message) {
    diagnostics_.error(mark, key, message);
    return false;
  }

  std::optional<std::int64_t> whole(const char* key) {
    if (!has(key)) return {};
    if (json_[key].is_number_integer() && json_[key] >= 0) return json_[key].get<std::int64_t>();
    fail(mark_of(key), key, "expected a whole number from 0");
    return {};
  }

  // Returns the first of these keys that is present.
  std::optional<Size> size(std::span<const char* const> keys, std::string_view what) {
    std::string names;
    for (const char* key : keys) {
      names += (names.empty() ? "" : ", ") + std::string(key);
      if (!has(key)) continue;
      // Some families have a list with a number for each layer; where all are equal, it is that number.
      const Json& given = json_[key];
      const bool alike =
          given.is_array() && !given.empty() &&
          std::ranges::all_of(given, [&given](const Json& one) { return one == given.front(); });
      const Json& value = alike ? given.front() : given;
      if (value.is_number_integer() && value > 0) return Size{key, value.get<std::int64_t>()};
      fail(mark_of(key), key, "expected a whole number above 0");
      return {};
    }
    fail(start_, "", fmt::format("none of the keys {}, expected {}", names, what));
    return {};
  }

  std::string family() const {
    return has("model_type") && json_["model_type"].is_string() ? json_["model_type"].get<std::string>() : "";
  }
  std::string name() const { return family().empty() ? "model" : family(); }

  std::string dtype() {
    for (const char* key : {"dtype", "torch_dtype"}) {
      if (!has(key) || !json_[key].is_string()) continue;
      const std::string type = json_[key].get<std::string>();
      if (type == "float16") return "fp16";
      if (type == "float32") return "fp32";
      if (type != "bfloat16") notes_.push_back(fmt::format("{} {}: computed as bf16", key, type));
      return "bf16";
    }
    return "bf16";
  }

  void note_shared(std::int64_t width) {
    for (const char* key : kShared) {
      if (const auto shared = whole(key); shared && *shared > 0) {
        notes_.push_back(fmt::format("shared experts of width {} beside the routed ones", *shared));
        return;
      }
    }
    for (const char* key :
         {"n_shared_experts", "num_shared_experts", "moe_num_shared_experts", "num_shared_expert"}) {
      if (!has(key) || !json_[key].is_number()) continue;
      if (const auto shared = whole(key); shared && *shared > 0) {
        notes_.push_back(fmt::format("{} shared expert{} of width {} beside the routed ones", *shared,
                                     *shared == 1 ? "" : "s", width));
        return;
      }
    }
    if (family().starts_with("llama4"))
      notes_.push_back(fmt::format("1 shared expert of width {} beside the routed ones", width));
  }

  void note_dense() {
    if (const auto dense = whole("first_k_dense_replace"); dense && *dense > 0)
      notes_.push_back(*dense == 1 ? "the first layer, which is dense"
                                   : fmt::format("the first {} layers, which are dense", *dense));
    for (const char* key : {"moe_layer_freq", "decoder_sparse_step", "interleave_moe_layer_step"}) {
      if (!has(key)) continue;
      if (json_[key].is_array() || (json_[key].is_number_integer() && json_[key] != 1))
        notes_.push_back(fmt::format("dense layers between ({} {})", key,
                                     json_[key].is_array() ? "lists them" : json_[key].dump()));
    }
    if (has("mlp_only_layers") && json_["mlp_only_layers"].is_array() && !json_["mlp_only_layers"].empty())
      notes_.push_back(fmt::format("{} dense layers (mlp_only_layers)", json_["mlp_only_layers"].size()));
    for (const char* key : {"num_nextn_predict_layers", "num_mtp_layers"}) {
      if (const auto layers = whole(key); layers && *layers > 0)
        notes_.push_back(fmt::format("{} layer{} that predict{} further tokens", *layers,
                                     *layers == 1 ? "" : "s", *layers == 1 ? "s" : ""));
    }
  }

  void note_router() {
    for (const char* key : {"n_group", "num_expert_group"}) {
      const auto groups = whole(key);
      if (!groups || *groups <= 1) continue;
      const auto chosen = whole("topk_group");
      notes_.push_back(chosen ? fmt::format("a token's experts come from {} of {} groups", *chosen, *groups)
                              : fmt::format("a token's experts come from {} groups", *groups));
    }
    for (const char* key : kHashed)
      if (has(key) && json_[key].is_number_integer() && json_[key] > 0)
        notes_.push_back(
            fmt::format("{} layers whose router is a hash of the token ({}): rows go as `routing` says",
                        json_[key].get<std::int64_t>(), key));
    // The configuration does not say this: one expert of each of eight groups (Pangu Pro MoE's report).
    if (family() == "PanguProMoE") notes_.emplace_back("a token has one expert of each of 8 groups");
    if (has("scoring_func") && json_["scoring_func"] == "sigmoid")
      notes_.emplace_back("the router's sigmoid scores: rows go as `routing` says");
  }

  // Returns how to compute in the type of quantised weights, if it is one of ours.
  static std::string offer_of(std::string_view method, const Json& quantized) {
    const bool e5m2 = quantized.contains("fmt") && quantized["fmt"] == "e5m2";
    const std::string_view type = method == "fp8"                          ? e5m2 ? "fp8_e5m2" : "fp8_e4m3"
                                  : method == "mxfp4" || method == "mxfp8" ? method
                                                                           : "";
    return type.empty()
               ? ""
               : fmt::format(", or in {} with --set model.dtype={} on a machine that has it", type, type);
  }

  void note_what_is_left_out(std::int64_t width) {
    note_shared(width);
    note_dense();
    note_router();
    if (has("quantization_config") && json_["quantization_config"].is_object()) {
      const Json& quantized = json_["quantization_config"];
      const bool named = quantized.contains("quant_method") && quantized["quant_method"].is_string();
      const std::string method = named ? quantized["quant_method"].get<std::string>() : "fewer bits";
      notes_.push_back(
          fmt::format("weights in {}: computed as activations are{}", method, offer_of(method, quantized)));
    }
    notes_.emplace_back("attention and all else that is not the routed experts");
  }

  void add(const char* key, const Size& size) { add(key, fmt::format("{}", size.value), mark_of(size.key)); }
  void add(const char* key, const std::string& value, const Mark& mark) {
    model_->add(key, mark, ConfigValue::scalar(value, mark));
  }

  std::string_view text_;
  Mark start_;
  Diagnostics& diagnostics_;
  Json json_;
  std::vector<std::string> notes_;
  std::unique_ptr<ConfigValue> model_ = std::make_unique<ConfigValue>();
};

class HuggingFace final : public ForeignConfig {
 public:
  bool takes(const std::filesystem::path& file, std::string_view) const override {
    return file.extension() == ".json";
  }
  std::unique_ptr<ConfigValue> read(std::string_view text, const Mark& start,
                                    Diagnostics& diagnostics) const override {
    return ModelReader(text, start, diagnostics).read();
  }
};

A3SIM_REGISTER(ForeignConfig, "huggingface", "a model's config.json", HuggingFace);

}  // namespace
}  // namespace a3sim
