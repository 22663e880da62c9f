#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "models/config/huggingface_layers.h"
#include "models/config/model_config.h"
#include "models/config/model_shape_config.h"
#include "sim/core/config/config.h"
#include "sim/core/error.h"
#include "tests/scratch_directory.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

// What a configuration's text comes to, or all that is wrong with it.
struct ReadModel {
  std::string name, error;
  MoeShape shape;
  std::vector<std::string> left_out;
};

ReadModel read_family(const std::string& json, std::uint32_t ep = 1,
                      const std::vector<std::string>& set = {}) {
  const ScratchDirectory folder;
  std::ofstream(folder / "config.json") << json;
  Diagnostics diagnostics;
  ReadModel result;
  std::optional<Config> root;
  try {
    root = Config::parse("include: config.json\n", (folder / "e.yaml").string(), set, diagnostics);
  } catch (const InputError& error) {  // a value is left open
    result.error = error.what();
    return result;
  }
  const Config model = root->map("model");
  result.name = model.text("name", "");
  result.left_out = model.texts("not_modelled");
  result.shape = read_shape(model, {.ep = ep});
  for (const std::string& message : diagnostics.messages()) result.error += message + '\n';
  return result;
}

// What a model's file does not say and is taken to be so.
std::vector<std::string> assumed_of(const std::string& json) {
  const ScratchDirectory folder;
  std::ofstream(folder / "config.json") << json;
  Diagnostics diagnostics;
  const Config root = Config::parse("include: config.json\n", (folder / "e.yaml").string(), {}, diagnostics);
  std::vector<std::string> assumed;
  for (const SourcedValue& value : root.sourced())
    if (value.source == kAssumedOfModel) assumed.push_back(value.path + '=' + value.value);
  return assumed;
}

std::string joined(const std::vector<std::string>& notes) {
  std::string all;
  for (const std::string& note : notes) all += note + "; ";
  return all;
}

// Keys as the families' public configurations have them; sizes of their papers' tables.
struct Family {
  std::string json;
  std::uint32_t hidden, intermediate, experts, top_k;
  std::string left_out;
};

const std::vector<Family> kFamilies = {
    {R"({"model_type": "deepseek_v3", "hidden_size": 7168, "intermediate_size": 18432, "moe_intermediate_size": 2048,
         "n_routed_experts": 256, "num_experts_per_tok": 8, "n_shared_experts": 1, "n_group": 8, "topk_group": 4,
         "first_k_dense_replace": 3, "moe_layer_freq": 1, "num_nextn_predict_layers": 1, "scoring_func": "sigmoid",
         "torch_dtype": "bfloat16", "quantization_config": {"quant_method": "fp8"}})",
     7168, 2048, 256, 8,
     "1 shared expert of width 2048 beside the routed ones; the first 3 layers, which are dense; 1 layer "
     "that predicts "
     "further tokens; a token's experts come from 4 of 8 groups; the router's sigmoid scores: rows go as "
     "`routing` "
     "says; weights in fp8: computed as activations are, or in fp8_e4m3 with --set model.dtype=fp8_e4m3 on a "
     "machine that has it; attention and all else that is not the routed "
     "experts; "},
    {R"({"model_type": "deepseek_v2", "hidden_size": 5120, "intermediate_size": 12288, "moe_intermediate_size": 1536,
         "n_routed_experts": 160, "num_experts_per_tok": 6, "n_shared_experts": 2, "n_group": 8, "topk_group": 3,
         "scoring_func": "softmax", "torch_dtype": "bfloat16"})",
     5120, 1536, 160, 6, "2 shared experts of width 1536"},
    {R"({"model_type": "qwen3_moe", "hidden_size": 4096, "intermediate_size": 12288, "moe_intermediate_size": 1536,
         "num_experts": 128, "num_experts_per_tok": 8, "decoder_sparse_step": 1, "mlp_only_layers": [],
         "top_k": 50, "torch_dtype": "bfloat16"})",
     4096, 1536, 128, 8, "attention"},
    {R"({"model_type": "qwen3_vl_moe", "text_config": {"model_type": "qwen3_vl_moe_text", "hidden_size": 2048,
         "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8, "dtype": "bfloat16"}})",
     2048, 768, 128, 8, "attention"},
    {R"({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336, "num_local_experts": 8,
         "num_experts_per_tok": 2, "torch_dtype": "bfloat16"})",
     4096, 14336, 8, 2, "attention"},
    {R"({"model_type": "glm4_moe", "hidden_size": 5120, "intermediate_size": 12288, "moe_intermediate_size": 1536,
         "n_routed_experts": 160, "num_experts_per_tok": 8, "n_shared_experts": 1, "first_k_dense_replace": 3})",
     5120, 1536, 160, 8, "1 shared expert of width 1536"},
    {R"({"model_type": "glm_moe_dsa", "hidden_size": 6144, "intermediate_size": 12288, "moe_intermediate_size": 2048,
         "n_routed_experts": 256, "num_experts_per_tok": 8, "n_shared_experts": 1, "num_nextn_predict_layers": 1})",
     6144, 2048, 256, 8, "1 layer that predicts further tokens"},
    {R"({"model_type": "kimi_k2", "hidden_size": 7168, "intermediate_size": 18432, "moe_intermediate_size": 2048,
         "n_routed_experts": 384, "num_experts_per_tok": 8, "n_shared_experts": 1, "n_group": 1, "topk_group": 1})",
     7168, 2048, 384, 8, "1 shared expert"},
    {R"({"model_type": "gpt_oss", "hidden_size": 2880, "intermediate_size": 2880, "num_local_experts": 128,
         "num_experts_per_tok": 4, "experts_per_token": 4, "quantization_config": {"quant_method": "mxfp4"}})",
     2880, 2880, 128, 4, "weights in mxfp4"},
    {R"({"model_type": "PanguProMoE", "hidden_size": 5120, "moe_intermediate_size": 1344, "num_experts": 64,
         "num_experts_per_tok": 8, "shared_expert_intermediate_size": 5376})",
     5120, 1344, 64, 8,
     "shared experts of width 5376 beside the routed ones; a token has one expert of each of 8 groups"},
    {R"({"model_type": "llama4", "text_config": {"model_type": "llama4_text", "hidden_size": 5120,
         "intermediate_size": 8192, "intermediate_size_mlp": 16384, "num_local_experts": 128,
         "num_experts_per_tok": 1, "interleave_moe_layer_step": 2, "torch_dtype": "bfloat16"}})",
     5120, 8192, 128, 1, "1 shared expert of width 8192 beside the routed ones; dense layers between"},
};

}  // namespace

TEST_CASE("A family's config.json is its shape, and what is left out is named") {
  for (const Family& family : kFamilies) {
    const ReadModel model = read_family(family.json);
    INFO(family.json);
    CHECK(model.error.empty());
    CHECK(model.shape.hidden == family.hidden);
    CHECK(model.shape.intermediate == family.intermediate);
    CHECK(model.shape.experts() == family.experts);
    CHECK(model.shape.top_k == family.top_k);
    CHECK(model.shape.dtype == DataType::kBf16);
    CHECK_THAT(joined(model.left_out), Contains(family.left_out));
  }
  CHECK(joined(read_family(kFamilies[0].json).left_out) == kFamilies[0].left_out);
}

TEST_CASE("A config.json says of what all layers of a model consist") {
  const auto layers = [](const std::string& json) {
    const ScratchDirectory folder;
    std::ofstream(folder / "config.json") << json;
    Diagnostics diagnostics;
    const Config root =
        Config::parse("include: config.json\n", (folder / "e.yaml").string(), {}, diagnostics);
    const ModelShape shape = read_model_shape(root.map("model"), {});
    diagnostics.throw_if_any();
    return shape;
  };
  const ModelShape v3 = layers(
      R"({"model_type": "deepseek_v3", "hidden_size": 7168, "intermediate_size": 18432, "moe_intermediate_size": 2048,
         "n_routed_experts": 256, "num_experts_per_tok": 8, "n_shared_experts": 1, "first_k_dense_replace": 3,
         "moe_layer_freq": 1, "num_nextn_predict_layers": 1, "num_hidden_layers": 61, "vocab_size": 129280,
         "num_attention_heads": 128, "num_key_value_heads": 128, "q_lora_rank": 1536, "kv_lora_rank": 512,
         "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "tie_word_embeddings": false})");
  CHECK(v3.layers.size() == 1 + 61 + 1 + 1);
  CHECK(std::ranges::count(v3.layers, "dense") == 3);
  CHECK(std::ranges::count(v3.layers, "moe") == 58);
  CHECK(v3.layers[62] == "mtp");
  CHECK((v3.attention.d_qk == 192 && v3.attention.d_v == 128 && v3.attention.latent->queries == 1536));
  CHECK((v3.dense_intermediate == 18432 && v3.experts.shared_intermediate == 2048));

  const ModelShape qwen = layers(
      R"({"model_type": "qwen3", "hidden_size": 4096, "intermediate_size": 12288, "num_hidden_layers": 36,
         "vocab_size": 151936, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128})");
  CHECK(std::ranges::count(qwen.layers, "dense") == 36);
  CHECK((qwen.experts.count == 0 && qwen.attention.kv_heads == 8 && qwen.attention.qk_norm));

  const std::string maverick =
      R"("model_type": "llama4_text", "hidden_size": 5120, "intermediate_size": 8192, "intermediate_size_mlp": 16384,
         "num_local_experts": 128, "num_experts_per_tok": 1, "interleave_moe_layer_step": 2, "vocab_size": 202048,
         "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128, "num_hidden_layers": 4)";
  CHECK(layers("{" + maverick + "}").layers ==
        std::vector<std::string>{"embedding", "dense", "moe", "dense", "moe", "head"});

  const auto of_family = [](const std::string& family) {
    return R"({"model_type": ")" + family +
           R"(", "hidden_size": 64, "intermediate_size": 32, "num_hidden_layers": 1, "vocab_size": 10,
         "num_attention_heads": 4})";
  };
  CHECK(layers(of_family("new")).attention.d_qk == 16);
  CHECK(assumed_of(of_family("new")) ==
        std::vector<std::string>{"model.attention.head_dim=16", "model.attention.qk_norm=false"});
  CHECK(assumed_of(of_family("llama")).empty());
}

TEST_CASE("Experts in a width of their own are read in it, and keys that are not known are refused") {
  const std::string start = R"({"model_type": "some_moe", "hidden_size": 4096, "moe_intermediate_size": 1536,
    "n_routed_experts": 128, "num_experts_per_tok": 6, "vocab_size": 1000, "num_hidden_layers": 4,
    "num_attention_heads": 32, )";
  const ReadModel latent = read_family(start + R"("moe_latent_size": 1024})");
  CHECK(latent.error.empty());
  CHECK(latent.shape.hidden == 1024);
  CHECK(latent.shape.intermediate == 1536);
  CHECK_THAT(joined(latent.left_out),
             Contains("projections between the model's width and the 1024 of its experts"));

  CHECK(read_family(start + R"("hidden_act": "silu"})").error.empty());

  const ReadModel unknown = read_family(start + R"("expert_inner_dim": 768})");
  CHECK_THAT(unknown.error, Contains("expert_inner_dim: a width that is not known here"));
  // Whatever names experts and is not read is named, unless it is a number of training.
  for (const char* key : {R"("zero_expert_num": 8)", R"("moe_every_n_layers": 2)",
                          R"("expert_kinds": [1, 2])", R"("routed_by": "hash")"}) {
    INFO(key);
    CHECK_THAT(read_family(start + key + "}").error,
               Contains("it names experts, and is not read: --set model.experts=128"));
    CHECK(read_family(start + key + "}", 1, {"model.experts=128"}).error.empty());
  }
  CHECK(
      read_family(start +
                  R"("moe_router_aux_loss_coef": 1, "expert_dropout": 1, "use_moe": true, "moe_note": null})")
          .error.empty());
  CHECK(read_family(start + R"("shared_expert_intermediate_size": 768, "routed_scaling_factor": 2.5})")
            .error.empty());
}

TEST_CASE("Layers with experts are those that a config.json lists, or a period or first and last ones give") {
  const auto layers = [](const std::string& by) {
    const ScratchDirectory folder;
    std::ofstream(folder / "config.json")
        << R"({"model_type": "some_moe", "hidden_size": 64, "moe_intermediate_size": [32, 32], "intermediate_size": 128,
      "moe_num_experts": 8, "moe_k": 2, "vocab_size": 10, "num_hidden_layers": 6, "num_attention_heads": 4, )" +
               by + "}";
    Diagnostics diagnostics;
    const Config root =
        Config::parse("include: config.json\n", (folder / "e.yaml").string(), {}, diagnostics);
    CHECK(root.map("model").integer("intermediate", 1, 1000) == 32);
    return fmt::format("{}", fmt::join(root.map("model").texts("layers"), ", "));
  };
  CHECK(layers(R"("moe_layer_start_index": 1, "moe_layer_end_index": 4)") ==
        "embedding, dense, 4 moe, dense, head");
  CHECK(layers(R"("moe_layer_interval": 2)") == "embedding, dense, moe, dense, moe, dense, moe, head");
  CHECK(layers(R"("expert_layer_period": 3, "expert_layer_offset": 1)") ==
        "embedding, dense, moe, 2 dense, moe, dense, head");
  CHECK(layers(R"("moe_layers_enum": "4,5")") == "embedding, 4 dense, 2 moe, head");
  CHECK(layers(R"("is_moe_layer": [false, true, true, true, true, false])") ==
        "embedding, dense, 4 moe, dense, head");
  CHECK(layers(R"("num_dense_layers": 5)") == "embedding, 5 dense, moe, head");
}

TEST_CASE("Types of a config.json are those that are computed with, or a note") {
  const auto of = [](const std::string& dtype) {
    return read_family(
        R"({"model_type": "mixtral", "hidden_size": 64, "intermediate_size": 64, "num_local_experts": 8,
                    "num_experts_per_tok": 2, "dtype": ")" +
        dtype + "\"}");
  };
  CHECK(of("float16").shape.dtype == DataType::kFp16);
  CHECK(of("float32").shape.dtype == DataType::kFp32);
  CHECK_THAT(joined(of("float8_e4m3fn").left_out), Contains("float8_e4m3fn: computed as bf16"));
}

TEST_CASE("A config.json that is no MoE model is refused at its line with the keys that are missing") {
  CHECK_THAT(
      read_family(R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008})").error,
      Contains("config.json:1:1") && Contains("n_routed_experts, num_experts") && Contains("no MoE layer"));
  CHECK_THAT(read_family("{\"hidden_size\": 4096,\n \"num_experts\": \"many\"}").error,
             Contains("config.json:2:2") && Contains("num_experts: expected a whole number above 0"));
  CHECK_THAT(read_family("{\"hidden_size\": -1}").error, Contains("hidden_size: expected a whole number"));
  CHECK_THAT(read_family("[1, 2]").error, Contains("no JSON object"));
  CHECK_THAT(read_family("{\"hidden_size\": 7168,\n  oops}").error, Contains("config.json:2:3: no JSON"));
  CHECK_THAT(read_family(
                 R"({"model_type": "x", "hidden_size": 64, "intermediate_size": 99999999999, "num_experts": 8,
                      "num_experts_per_tok": 2})")
                 .error,
             Contains("config.json:1:40: model.intermediate: 99999999999 is out of range"));
}

TEST_CASE("A number of layers or heads that cannot be is refused at its key") {
  const auto error = [](const std::string& more) {
    return read_family("{\"hidden_size\": 64, \"intermediate_size\": 32,\n" + more + "}").error;
  };
  CHECK_THAT(error(R"("num_attention_heads": 4, "num_hidden_layers": -3)"),
             Contains("config.json:2:27: num_hidden_layers: expected a whole number from 1 to 16384"));
  CHECK_THAT(error(R"("num_hidden_layers": 1000000000)"), Contains("config.json:2:1: num_hidden_layers"));
  CHECK_THAT(error(R"("num_attention_heads": 0)"), Contains("config.json:2:1: num_attention_heads"));
  CHECK_THAT(
      error(
          R"("num_experts": 4, "num_experts_per_tok": 2, "first_k_dense_replace": 9, "num_hidden_layers": 8)"),
      Contains("config.json:2:45: first_k_dense_replace: 9 dense layers of 8, expected at most 8"));
}

TEST_CASE("A config.json of a million brackets or of a number beyond all is read without harm") {
  constexpr std::size_t kDeep = 1'000'000;
  const std::string
      layer = R"("hidden_size": 64, "intermediate_size": 32, "num_experts": 4, "num_experts_per_tok": 2)",
      deep = R"("x": )" + std::string(kDeep, '[') + std::string(kDeep, ']');
  CHECK(read_family("{" + layer + ", " + deep + "}").shape.hidden == 64);
  CHECK(read_family(R"({"text_config": {)" + layer + ", " + deep + "}}").shape.hidden == 64);
  CHECK_THAT(read_family(R"({"hidden_size": 1e999})").error,
             Contains("config.json:1:1: a number that is too large"));
}

TEST_CASE("A group that does not divide a model's experts is refused at the file's key") {
  CHECK_THAT(read_family(kFamilies[0].json, 3).error,
             Contains("config.json:2:10: model.experts: 256 experts on 3 ranks"));
}
