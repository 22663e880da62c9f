#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "models/blocks/block.h"
#include "models/config/model_shape_config.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

ModelShape read_text(const std::string& text, std::string& error) {
  Diagnostics diagnostics;
  const Config root = Config::parse(text, "model.yaml", {}, diagnostics);
  const ModelShape shape = read_model_shape(root.map("model"), {});
  for (const std::string& message : diagnostics.messages()) error += message + '\n';
  return shape;
}

ModelShape shipped(const std::string& name) {
  Diagnostics diagnostics;
  const auto path = std::filesystem::path(A3SIM_SOURCE_DIR) / "configs/models" / (name + ".yaml");
  const Config root = Config::load(path, std::vector<std::string>{}, diagnostics);
  const ModelShape shape = read_model_shape(root.map("model"), {.ep = 32});
  INFO(name);
  diagnostics.throw_if_any();
  return shape;
}

Block block_of(const ModelShape& model, const std::string& kind, const BlockLayout& layout = {}) {
  return BlockKinds::get(kind).block(model, layout);
}

double parameters(const ModelShape& model) {
  double count = 0;
  for (const std::string& kind : model.layers) {
    const Block block = block_of(model, kind);
    count += block.parameters + block.expert_parameters;
  }
  return count;
}

const BlockKernel& named(const std::vector<BlockKernel>& kernels, const std::string& name) {
  const auto it = std::ranges::find(kernels, name, &BlockKernel::name);
  INFO(name);
  REQUIRE(it != kernels.end());
  return *it;
}

std::vector<std::uint64_t> mnk(const std::vector<BlockKernel>& kernels, const std::string& name) {
  const auto& product = std::get<BlockProduct>(named(kernels, name).work);
  return {product.m, product.n, product.k};
}

// The formula counts no recompute: backwards four products of five.
double without_scores_again(const BlockAttention& attention) {
  const double twice_qk = 2.0 * attention.d_qk, twice_v = 2.0 * attention.d_v;
  return attention.flops() * (attention.backward ? (twice_qk + twice_v) / (1.5 * twice_qk + twice_v) : 1);
}

double sent_bytes(const std::vector<BlockKernel>& kernels) {
  double bytes = 0;
  for (const BlockKernel& kernel : kernels)
    if (const auto* exchange = std::get_if<BlockCollective>(&kernel.work)) bytes += exchange->sent();
  return bytes;
}

}  // namespace

TEST_CASE("Shipped models have as many parameters as their papers and model cards say") {
  const std::vector<std::pair<std::string, double>> published = {
      {"deepseek_v2", 236e9},      {"glm_4_5", 355e9 + 3.6e9},  // the card leaves out what predicts a further token
      {"kimi_k2", 1.03e12},        {"gpt_oss_120b", 116.8e9},  {"gpt_oss_20b", 20.9e9},
      {"mixtral_8x7b", 46.7e9},    {"mixtral_8x22b", 140.6e9}, {"pangu_pro_moe", 72e9},
      {"llama_4_maverick", 400e9}, {"llama_4_scout", 109e9},   {"qwen3_235b_a22b", 235e9},
      {"qwen3_30b_a3b", 30.5e9},   {"qwen3_8b", 8.19e9}};
  for (const auto& [name, count] : published) {
    INFO(name << ": " << parameters(shipped(name)));
    CHECK(parameters(shipped(name)) == Approx(count).epsilon(0.015));
  }
  // 671 billion, and 14 of the layer that predicts a further token, table and head of which are the model's.
  CHECK(parameters(shipped("deepseek_v3")) == Approx(671e9 + 11.5e9).epsilon(0.005));
}

TEST_CASE(
    "Products of a step are six operations for each weight that a token meets, however dies share them") {
  for (const std::string name : {"deepseek_v3", "qwen3_30b_a3b", "qwen3_8b", "llama_4_maverick", "glm_4_5"}) {
    const ModelShape model = shipped(name);
    for (const std::uint32_t tp : {1U, 2U, 4U}) {
      for (const std::uint32_t cp : {1U, 2U}) {
        const BlockLayout layout{.sequence = 8192, .micro_batch = 2, .tp = tp, .cp = cp};
        double flops = 0, stated = 0;
        for (const std::string& kind : model.layers) {
          const Block block = block_of(model, kind, layout);
          double die = 0;
          for (const auto* kernels : {&block.forward, &block.activation_gradient, &block.weight_gradient}) {
            for (const BlockKernel& kernel : *kernels) {
              if (const auto* product = std::get_if<BlockProduct>(&kernel.work)) die += product->flops();
              if (const auto* attention = std::get_if<BlockAttention>(&kernel.work))
                die += without_scores_again(*attention);
            }
          }
          if (block.experts)
            die += 3 * 6.0 * block.experts->hidden * block.experts->intermediate * block.experts->top_k *
                   static_cast<double>(block.experts->tokens);
          flops += die * tp / static_cast<double>(layout.tokens());
          stated += block.model_flops;
        }
        INFO(name << " tp " << tp << " cp " << cp << ": " << flops << " of " << stated);
        CHECK(flops == Approx(stated).epsilon(0.005));
        CHECK(model_flops(model, layout) == stated);
      }
    }
  }
}

TEST_CASE("Model FLOPs per token are the published formula") {
  const ModelShape model = shipped("qwen3_8b");
  const double weights =
      36 * (4096.0 * (32 + 2 * 8) * 128 + 32 * 128 * 4096.0 + 3 * 4096.0 * 12288) + 151936.0 * 4096;
  const double attention = 3.0 * 36 * 32 * (128 + 128) * 4096;
  CHECK(model_flops(model, {.sequence = 4096}) == Approx(6 * weights + attention));

  const ModelShape latent = shipped("deepseek_v3");
  const double projections =
      7168.0 * 1536 + 1536.0 * 128 * 192 + 7168.0 * 576 + 512.0 * 128 * 256 + 128.0 * 128 * 7168;
  const double moe = 7168.0 * 256 + 9 * 3 * 7168.0 * 2048, dense = 3 * 7168.0 * 18432;
  const double all = 62 * projections + 3 * dense + 59 * moe + 2 * 7168.0 * 7168 + 2 * 129280.0 * 7168;
  CHECK(model_flops(latent, {.sequence = 4096}) == Approx(6 * all + 3.0 * 62 * 128 * (192 + 128) * 4096));
}

TEST_CASE("Latent attention projects each die's own tokens down and all tokens up") {
  const ModelShape model = shipped("deepseek_v3");
  const Block block = block_of(model, "moe", {.sequence = 4096, .micro_batch = 1, .tp = 2});
  using Sizes = std::vector<std::uint64_t>;
  CHECK(mnk(block.forward, "q_down") == Sizes{2048, 1536, 7168});
  CHECK(mnk(block.forward, "kv_down") == Sizes{2048, 576, 7168});
  CHECK(mnk(block.forward, "q_up") == Sizes{4096, 192 * 64, 1536});
  CHECK(mnk(block.forward, "kv_up") == Sizes{4096, 256 * 64, 512});
  CHECK(mnk(block.forward, "attention.output") == Sizes{4096, 7168, 128 * 64});
  CHECK(mnk(block.activation_gradient, "q_up.activation_gradient") == Sizes{4096, 1536, 192 * 64});
  CHECK(mnk(block.weight_gradient, "q_up.weight_gradient") == Sizes{1536, 192 * 64, 4096});
  const auto& attention = std::get<BlockAttention>(named(block.forward, "attention").work);
  CHECK(attention.heads == 64);
  CHECK((attention.d_qk == 192 && attention.d_v == 128));
  CHECK(block.experts->tokens == 2048);
}

TEST_CASE("Causal attention is half of the pairs, and its gradients are five products for two") {
  BlockAttention attention{1, 32, 8, 128, 128, 4096, 4096};
  CHECK(attention.flops() == 0.5 * 4 * 32 * 128 * 4096.0 * 4096.0);
  const double causal = attention.flops();
  attention.causal = false;
  CHECK(attention.flops() == 2 * causal);
  attention.backward = true;
  CHECK(attention.flops() == 2.5 * 2 * causal);
}

TEST_CASE(
    "Dies of a TP group gather and scatter the hidden state around attention and feed-forward network") {
  const ModelShape model = shipped("qwen3_8b");
  const double tensor = 4096.0 * 4096 * 2;
  const BlockLayout one{.sequence = 4096}, four{.sequence = 4096, .tp = 4};
  CHECK(sent_bytes(block_of(model, "dense", one).forward) == 0);
  const Block split = block_of(model, "dense", four);
  CHECK(sent_bytes(split.forward) == 4 * tensor * 3 / 4);
  CHECK(sent_bytes(split.activation_gradient) == 4 * tensor * 3 / 4);
  CHECK(sent_bytes(split.weight_gradient) == 2 * tensor * 3 / 4);
  // Whole tensors on each die: two sums forward, two backward, each in two rounds.
  const Block whole = block_of(model, "dense", {.sequence = 4096, .tp = 4, .sequence_parallel = false});
  CHECK(sent_bytes(whole.forward) == 2 * 2 * tensor * 3 / 4);
  CHECK(sent_bytes(whole.weight_gradient) == 0);
  // Parameters but those of norms are shared.
  CHECK(split.parameters == Approx(block_of(model, "dense", one).parameters / 4).epsilon(0.001));
}

TEST_CASE("Keys and values go round a CP group, and gradients with them") {
  const ModelShape model = shipped("qwen3_30b_a3b");
  const Block block = block_of(model, "moe", {.sequence = 32768, .cp = 4});
  const double own = 8192.0 * 4 * 256 * 2;
  CHECK(sent_bytes(block.forward) == own * 3);
  CHECK(sent_bytes(block.activation_gradient) == 2 * own * 3);
  const auto& attention = std::get<BlockAttention>(named(block.forward, "attention").work);
  CHECK((attention.queries == 8192 && attention.keys == 32768));
  CHECK(named(block.forward, "attention").launches == 4);
}

TEST_CASE("A CP group may split attention by heads: each die swaps tokens for heads, and back") {
  const ModelShape model = shipped("qwen3_30b_a3b");
  const Block block = block_of(model, "moe", {.sequence = 32768, .cp = 4, .ulysses = true});
  // Queries of 32 heads, keys and values of 4, then results of 32; three of four parts leave.
  const double own = 8192.0 * 128 * 2 * (32 + 2 * 4 + 32);
  CHECK(sent_bytes(block.forward) == own * 3 / 4);
  CHECK(sent_bytes(block.activation_gradient) == own * 3 / 4);
  const auto& attention = std::get<BlockAttention>(named(block.forward, "attention").work);
  CHECK((attention.heads == 8 && attention.queries == 32768 && attention.keys == 32768));
  const Block other = block_of(model, "moe", {.sequence = 32768, .cp = 4});
  const auto& ring = std::get<BlockAttention>(named(other.forward, "attention").work);
  CHECK(attention.flops() == ring.flops());
}

TEST_CASE("Tokens of packed documents meet only those of their own") {
  const ModelShape model = shipped("qwen3_30b_a3b");
  const Block whole = block_of(model, "moe", {.sequence = 8192}),
              packed = block_of(model, "moe", {.sequence = 8192, .documents = 4});
  const auto flops = [](const Block& block) {
    return std::get<BlockAttention>(named(block.forward, "attention").work).flops();
  };
  CHECK(flops(packed) == flops(whole) / 4);
  CHECK(whole.model_flops - packed.model_flops == 3.0 * 32 * 256 * (8192 - 2048));
}

TEST_CASE("What is computed again need not be kept") {
  const Block block = block_of(shipped("qwen3_8b"), "dense");
  const double gate_up = 4096.0 * 2 * 12288 * 2, product = 4096.0 * 12288 * 2, norm = 4096.0 * 4096 * 2;
  using enum RecomputeKind;
  CHECK(block.kept({}) - block.kept({kActivation}) == product);
  CHECK(block.kept({}) - block.kept({kNorm}) == 2 * norm);
  CHECK(block.kept({}) - block.kept({kMlp}) == gate_up + product);
  CHECK(block.kept_input() == norm);
  CHECK(named(block.forward, "feed_forward.gate_up").recompute.has(kMlp));
  CHECK_FALSE(named(block.forward, "qkv").recompute.has(kMlp));
}

TEST_CASE("Operators that are not fused are more kernels and move more bytes") {
  const ModelShape model = shipped("qwen3_8b");
  const auto moved = [](const Block& block) {
    double bytes = 0;
    for (const BlockKernel& kernel : block.forward)
      if (const auto* vector = std::get_if<BlockVector>(&kernel.work))
        bytes += vector->read + vector->written;
    return bytes;
  };
  for (std::size_t f = 0; f < kCountOf<Fusion>; ++f) {
    const auto fusion = static_cast<Fusion>(f);
    const bool in_dense =
        fusion != Fusion::kRouter && fusion != Fusion::kLoss && fusion != Fusion::kAccumulate;
    BlockLayout apart, fused;
    apart.fuse = {};
    fused.fuse = {fusion};
    const Block less = block_of(model, "dense", apart), more = block_of(model, "dense", fused);
    INFO(name_of(fusion));
    CHECK((more.forward.size() < less.forward.size()) == in_dense);
    CHECK((moved(more) < moved(less)) == in_dense);
    CHECK((more.weight_gradient.size() < less.weight_gradient.size()) == (fusion == Fusion::kAccumulate));
  }
}

TEST_CASE("A block that is not known, or that the model cannot make, is refused with what is missing") {
  const auto error = [](const std::string& layers, const std::string& more = "") {
    std::string all;
    read_text(
        "model:\n  hidden: 64\n  vocabulary: 100\n  attention: {heads: 4, kv_heads: 2, head_dim: 16}\n" +
            more + "  layers: " + layers + "\n",
        all);
    return all;
  };
  CHECK(error("[embedding, head]").empty());
  CHECK(error("[embedding, '2 (dense dense)', head]", "  dense_intermediate: 32\n").empty());
  CHECK_THAT(error("[embeding]"), Contains("model.yaml:5:") && Contains("did you mean 'embedding'"));
  CHECK_THAT(error("[2 dense]"), Contains("dense needs model.dense_intermediate"));
  CHECK_THAT(error("[moe]"), Contains("moe needs model.experts"));
  CHECK_THAT(error("['0 dense']"), Contains("expected a kind of block with its number"));
  CHECK_THAT(error("['99999999 embedding']"), Contains("at most"));
  CHECK_THAT(error("['99999999999999999999999 embedding']"), Contains("expected a kind of block"));
  CHECK_THAT(error("[head]", "  atention: 3\n"), Contains("unknown key"));
}
