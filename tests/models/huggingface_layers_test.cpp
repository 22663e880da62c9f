#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "models/blocks/block.h"
#include "models/config/model_config.h"
#include "models/config/model_shape_config.h"
#include "sim/core/config/config.h"
#include "sim/core/error.h"
#include "tests/scratch_directory.h"

// Layers of public models of 2025 and 2026 that differ from one another. Keys are those of their config.json; sizes are small.
namespace a3sim {
namespace {

using Catch::Matchers::Contains;

const std::string kMoe =
    R"("hidden_size": 64, "moe_intermediate_size": 32, "intermediate_size": 128, "num_experts": 8,
 "num_experts_per_tok": 2, "vocab_size": 100, "num_hidden_layers": 6, "num_attention_heads": 4, "head_dim": 16)";

struct Both {
  std::string step_error, layer_error;
  ModelShape model;  // of a training step
  MoeShape layer;    // of a run of one layer
  std::vector<std::string> notes;
  std::string layers() const { return fmt::format("{}", fmt::join(model.layers, " ")); }
};

// Reads a config.json as a training step does, and as a run of its experts does.
Both read_layers(const std::string& keys, const std::vector<std::string>& set = {}) {
  const ScratchDirectory folder;
  std::ofstream(folder / "config.json") << "{" << keys << ",\n" << kMoe << "}";
  Both both;
  const auto with_root = [&](std::string& error, const auto& work) {
    Diagnostics diagnostics;
    try {
      const Config root =
          Config::parse("include: config.json\n", (folder / "e.yaml").string(), set, diagnostics);
      work(root.map("model"));
      diagnostics.throw_if_any();
    } catch (const InputError& wrong) {
      error = wrong.what();
    }
  };
  with_root(both.step_error, [&](const Config& model) { both.model = read_model_shape(model, {}); });
  with_root(both.layer_error, [&](const Config& model) {
    both.notes = model.texts("not_modelled");
    both.layer = read_shape(model, {.ep = 1});
  });
  return both;
}

TEST_CASE(
    "Attention that is not full is built, or refused for a step with its key; a layer of experts runs all "
    "the same") {
  struct Case {
    std::string keys, what;
  };
  const std::vector<Case> cases{
      // Qwen3-Next, Qwen3.5
      {R"("model_type": "qwen3_next", "full_attention_interval": 4, "linear_num_key_heads": 16)",
       "full_attention_interval: not simulated: linear attention"},
      {R"("model_type": "qwen3_5_moe", "layer_types": ["linear_attention", "linear_attention", "linear_attention",
       "full_attention", "linear_attention", "full_attention"], "linear_conv_kernel_dim": 4)",
       "layer_types: not simulated: layers of type 'linear_attention'"},
      // Kimi-Linear, Ring-2.5, MiniMax-01
      {R"("model_type": "kimi_linear", "linear_attn_config": {"kda_layers": [1, 2, 3], "full_attn_layers": [4]})",
       "linear_attn_config: not simulated: linear attention"},
      {R"("model_type": "bailing_moe_linear", "layer_group_size": 8)",
       "layer_group_size: not simulated: linear attention"},
      {R"("model_type": "minimax_m1", "attn_type_list": [0, 0, 1, 0, 0, 1])",
       "attn_type_list: not simulated: attention of another kind"},
      // DeepSeek-V3.2, GLM-5, DeepSeek-V4, MiniCPM4
      {R"("model_type": "deepseek_v32", "index_topk": 2048, "index_n_heads": 64, "index_head_dim": 128)",
       "not simulated: an indexer that picks the keys (sparse attention)"},
      {R"("model_type": "deepseek_v4", "compress_ratios": [4, 128, 4, 128, 4, 0])", "compressed keys"},
      {R"("model_type": "minicpm", "sparse_config": {"topk": 64})",
       "sparse_config: not simulated: sparse attention"},
      // Nemotron-H, Granite-4, LFM2, Jamba
      {R"("model_type": "nemotron_h", "hybrid_override_pattern": "MEM*EM")", "state-space layers"},
      {R"("model_type": "granitemoehybrid", "layers_block_type": ["mamba", "mamba", "attention", "mamba", "mamba", "mamba"])",
       "layers_block_type: not simulated: layers of another kind"},
      {R"("model_type": "lfm2_moe", "layer_types": ["conv", "conv", "full_attention", "conv", "conv", "full_attention"])",
       "layers of type 'conv'"},
      {R"("model_type": "jamba", "attn_layer_period": 8, "attn_layer_offset": 4)",
       "layers without attention"},
      // Llama 4, MiMo-V2-Flash
      {R"("model_type": "llama4_text", "attention_chunk_size": 8192)", "attention in chunks"},
      {R"("model_type": "mimo_v2_flash", "hybrid_layer_pattern": [0, 1, 1, 1, 1, 0], "sliding_window": 128,
       "swa_num_attention_heads": 8)",
       "sliding_window: which layers have the window is not said"},
      {R"("model_type": "gemma4_text", "num_kv_shared_layers": 2)", "keys that layers share"}};
  for (const Case& one : cases) {
    INFO(one.keys);
    const Both both = read_layers(one.keys);
    CHECK_THAT(both.step_error,
               Contains("config.json:1:") && Contains(one.what) &&
                   Contains("--set model.layers='[embedding, 6 moe, head]' takes full attention"));
    CHECK(both.layer_error.empty());
    CHECK(both.layer.experts() == 8);
    const Both all_the_same = read_layers(one.keys, {"model.layers=[embedding, 6 moe, head]"});
    CHECK(all_the_same.step_error.empty());
    CHECK(all_the_same.model.layers.size() == 8);
  }
}

TEST_CASE("Sliding windows hold for the layers that a config.json says, by types, patterns or its family") {
  struct Case {
    std::string keys, layers;
  };
  const std::vector<Case> cases{
      // gpt-oss, Step-3.5, EXAONE 4, OLMo 3
      {R"("model_type": "gpt_oss", "sliding_window": 128, "layer_types": ["sliding_attention", "full_attention",
       "sliding_attention", "full_attention", "sliding_attention", "full_attention"])",
       "embedding windowed_moe moe windowed_moe moe windowed_moe moe head"},
      // Gemma 2 and 3, Cohere 2
      {R"("model_type": "gemma3_text", "sliding_window": 128, "sliding_window_pattern": 3)",
       "embedding windowed_moe windowed_moe moe windowed_moe windowed_moe moe head"},
      {R"("model_type": "exaone4", "sliding_window": 128, "sliding_window_pattern": "LLLG")",
       "embedding windowed_moe windowed_moe windowed_moe moe windowed_moe windowed_moe head"},
      {R"("model_type": "mixtral", "sliding_window": 128)",
       "embedding windowed_moe windowed_moe windowed_moe windowed_moe windowed_moe windowed_moe head"},
      {R"("model_type": "qwen2_moe", "sliding_window": 128, "use_sliding_window": true, "max_window_layers": 4)",
       "embedding moe moe moe moe windowed_moe windowed_moe head"}};
  for (const Case& one : cases) {
    INFO(one.keys);
    const Both both = read_layers(one.keys);
    CHECK(both.step_error.empty());
    CHECK(both.layers() == one.layers);
    CHECK(both.model.attention.window == 128);
    CHECK(both.layer_error.empty());
  }
  const std::string full = "embedding moe moe moe moe moe moe head";
  for (
      const char* keys :
      {R"("model_type": "qwen3_moe", "sliding_window": null, "use_sliding_window": false, "max_window_layers": 4)",
       R"("model_type": "qwen2_moe", "sliding_window": 4096, "use_sliding_window": false, "max_window_layers": 4)",
       R"("model_type": "minimax_m2", "attn_type_list": [1, 1, 1, 1, 1, 1])",
       R"("model_type": "x", "layer_types": ["full_attention", "full_attention", "full_attention", "full_attention",
        "full_attention", "full_attention"], "mamba_d_state": 128, "chunk_size_feed_forward": 0)"}) {
    INFO(keys);
    const Both both = read_layers(keys);
    CHECK(both.step_error.empty());
    CHECK(both.layers() == full);
    CHECK(both.model.attention.window == 0);
  }
  CHECK_THAT(read_layers(R"("model_type": "x", "layer_types": ["full_attention"])").step_error,
             Contains("layer_types: 1 types for 6 layers"));
}

TEST_CASE("Experts in a width of their own and without a gate are those of a step and of a layer") {
  const Both latent =
      read_layers(R"("model_type": "some_moe", "moe_latent_size": 16, "mlp_hidden_act": "relu2")");
  CHECK((latent.step_error.empty() && latent.layer_error.empty()));
  CHECK((latent.model.hidden == 64 && latent.model.expert_hidden() == 16 && latent.layer.hidden == 16));
  CHECK_FALSE(latent.model.gated);

  const Block block = BlockKinds::get("moe").block(latent.model, {});
  REQUIRE(block.experts);
  CHECK((block.experts->hidden == 16 && !block.experts->gated));
  CHECK(block.expert_parameters == 8 * 2 * 16 * 32);
  const Block usual = BlockKinds::get("moe").block(read_layers(R"("model_type": "some_moe")").model, {});
  CHECK(usual.expert_parameters == 8 * 3 * 64 * 32);
  CHECK(block.parameters == usual.parameters + 2 * 64 * 16);
  // 6 a weight that a token meets: the experts' two matrices instead of three, and the projections.
  CHECK(usual.model_flops - block.model_flops == 6.0 * (2 * (3 * 64 * 32 - 2 * 16 * 32) - 2 * 64 * 16));

  for (const char* keys : {R"("is_gated_act": false)", R"("hidden_act": "relu2")"})
    CHECK_FALSE(read_layers(keys).model.gated);
  for (const char* keys : {R"("hidden_act": "silu")", R"("hidden_activation": "gelu_pytorch_tanh")",
                           R"("hidden_act": "gelu", "is_gated_act": true)"})
    CHECK(read_layers(keys).model.gated);
  const Both either = read_layers(R"("hidden_act": "relu")");
  CHECK_THAT(either.layer_error,
             Contains("model.gated: hidden_act: 'relu'") && Contains("--set model.gated=true"));
  CHECK_FALSE(read_layers(R"("hidden_act": "relu")", {"model.gated=false"}).model.gated);
}

TEST_CASE("Layers whose router is a hash of the token are named") {
  const Both hashed = read_layers(R"("model_type": "some_moe", "num_hash_layers": 3)");
  CHECK(hashed.layer_error.empty());
  CHECK_THAT(fmt::format("{}", fmt::join(hashed.notes, "; ")), Contains("3 layers whose router is a hash"));
}

TEST_CASE("A windowed layer's attention meets the keys that a count of each query's keys gives") {
  BlockAttention attention;
  attention.heads = attention.kv_heads = 2;
  attention.d_qk = attention.d_v = 8;
  attention.queries = attention.keys = 1024;
  for (const std::uint64_t window : {1ULL, 100ULL, 1023ULL, 1024ULL, 5000ULL}) {
    attention.window = window;
    double pairs = 0;
    for (std::uint64_t query = 1; query <= attention.queries; ++query)
      pairs += static_cast<double>(std::min(query, window));
    // Formulas of FLOPs count half of the mask's diagonal.
    const double diagonal = static_cast<double>(std::min(window, attention.keys)) / 2;
    CHECK(attention.flops() == 2 * 2 * (pairs - diagonal) * 16);
    CHECK(attention.keys_met() <= 512);
  }
}

}  // namespace
}  // namespace a3sim
