#include <fmt/format.h>

#include <algorithm>

#include "models/blocks/fp8_recipe.h"
#include "sim/experiment/launch/launch_reader.h"

namespace a3sim {
namespace {

class ModelArguments {
 public:
  explicit ModelArguments(LaunchReader& reader) : reader_(reader) {}

  void read(const std::optional<ScriptChunks>& chunks) {
    reader_.copy("hidden-size", "model.hidden");
    missing("hidden-size", "model.hidden");
    read_vocabulary();
    const bool tied = !reader_.flag("untie-embeddings-and-output-weights");
    reader_.set("model.tied", tied ? "true" : "false", reader_.mark("untie-embeddings-and-output-weights"));
    read_attention();
    read_gate();
    const bool experts = reader_.has("num-experts");
    if (experts) read_experts();
    const auto dense = read_layers(chunks, experts);
    refuse_other_attention();
    if (dense) read_dense();
    read_type();
  }

 private:
  // Leaves a key open that another file may give.
  void missing(std::string_view name, std::string_view key) {
    if (reader_.has(name)) return;
    reader_.open(
        key,
        fmt::format("the script has no --{}: --hf config.json gives its model, or --set {}=N", name, key),
        reader_.start());
  }

  void read_vocabulary() {
    constexpr const char* kKey = "model.vocabulary";
    if (reader_.has("padded-vocab-size")) return reader_.copy("padded-vocab-size", kKey);
    const auto size = reader_.whole("vocab-size", kKey);
    const auto by = reader_.whole_or("make-vocab-size-divisible-by", kKey, 128);
    const auto tp = reader_.whole_or("tensor-model-parallel-size", kKey, 1);
    if (size && by && tp) {
      const std::int64_t multiple = *by * *tp;
      return reader_.set(kKey, (*size + multiple - 1) / multiple * multiple,
                         reader_.value_mark("vocab-size"));
    }
    if (!reader_.has("vocab-size"))
      reader_.open(kKey,
                   "the script leaves it to its tokenizer (no --padded-vocab-size, no --vocab-size): --hf "
                   "config.json, or --set "
                   "model.vocabulary=N",
                   reader_.start());
  }

  void read_attention() {
    reader_.copy("num-attention-heads", "model.attention.heads");
    missing("num-attention-heads", "model.attention.heads");
    if (reader_.flag("multi-latent-attention") || reader_.flag("multi-head-latent-attention"))
      return read_latent_attention();
    const auto heads = reader_.whole("num-attention-heads", "model.attention.heads");
    if (!heads) return;
    if (reader_.flag("group-query-attention"))
      reader_.copy("num-query-groups", "model.attention.kv_heads");
    else
      reader_.set("model.attention.kv_heads", *heads, reader_.value_mark("num-attention-heads"));
    if (reader_.has("kv-channels"))
      reader_.copy("kv-channels", "model.attention.head_dim");
    else if (const auto hidden = reader_.whole("hidden-size", "model.hidden"); hidden && *hidden >= *heads)
      reader_.set("model.attention.head_dim", *hidden / *heads, reader_.value_mark("num-attention-heads"));
    if (reader_.flag("qk-layernorm"))
      reader_.set("model.attention.qk_norm", "true", reader_.mark("qk-layernorm"));
  }

  bool gated() const {
    return reader_.flag("swiglu") || reader_.flag("geglu") || reader_.flag("quick-geglu");
  }
  // Megatron's default is GELU without a gate.
  void read_gate() {
    if (gated()) return;
    const bool squared = reader_.flag("squared-relu");
    reader_.set("model.gated", "false", reader_.mark("squared-relu"));
    if (!squared)
      reader_.note(
          "no --swiglu: feed-forward networks have no gate, and GELU takes the time of a squared ReLU",
          reader_.start());
  }

  void read_latent_attention() {
    const auto take = [this](std::initializer_list<const char*> names, const char* key) {
      for (const char* name : names)
        if (reader_.has(name)) return reader_.copy(name, key);
      missing(*names.begin(), key);
    };
    reader_.copy("q-lora-rank", "model.attention.q_lora");
    take({"kv-lora-rank"}, "model.attention.kv_lora");
    take({"qk-head-dim", "qk-nope-head-dim"}, "model.attention.qk_nope");
    take({"qk-pos-emb-head-dim", "qk-rope-head-dim"}, "model.attention.qk_rope");
    take({"v-head-dim"}, "model.attention.v_dim");
  }

  void read_experts() {
    reader_.copy("num-experts", "model.experts");
    const auto top_k = reader_.whole_or("moe-router-topk", "model.top_k", 2);
    if (top_k) reader_.set("model.top_k", *top_k, reader_.value_mark("moe-router-topk"));
    const char* const width = reader_.has("moe-ffn-hidden-size")     ? "moe-ffn-hidden-size"
                              : reader_.has("moe-intermediate-size") ? "moe-intermediate-size"
                                                                     : "ffn-hidden-size";
    reader_.copy(width, "model.intermediate");
    missing(width, "model.intermediate");
    if (reader_.has("moe-shared-expert-intermediate-size")) {
      reader_.copy("moe-shared-expert-intermediate-size", "model.shared_intermediate");
    } else if (const auto shared = reader_.whole("n-shared-experts", "model.shared_intermediate", 0);
               shared && *shared > 0) {
      if (const auto each = reader_.whole(width, "model.intermediate"))
        reader_.set("model.shared_intermediate", *shared * *each, reader_.value_mark("n-shared-experts"));
    }
    if (reader_.has("moe-latent-size")) reader_.copy("moe-latent-size", "model.latent");
    const auto dispatcher = reader_.text("moe-token-dispatcher-type", "step.exchange");
    if (dispatcher && *dispatcher != "alltoall" && *dispatcher != "alltoall_seq")
      reader_.open(
          "step.exchange",
          fmt::format("--moe-token-dispatcher-type {}: rows are not brought by the host's all-to-all: --set "
                      "step.exchange=taskflow takes that all the same, streams kernels that hold cores",
                      *dispatcher),
          reader_.value_mark("moe-token-dispatcher-type"));
    if (!reader_.flag("moe-grouped-gemm"))
      reader_.note(
          "no --moe-grouped-gemm: the products of experts run as one grouped product here all the same",
          reader_.start());
  }

  // Returns which layers have experts, by their number; nullopt after an error.
  std::optional<std::vector<bool>> pattern(std::int64_t layers) {
    std::vector<bool> moe(static_cast<std::size_t>(layers), true);
    const auto first = reader_.whole_or("first-k-dense-replace", "model.layers", 0, -1);
    const auto frequency =
        reader_.has("moe-layer-freq") ? reader_.text("moe-layer-freq", "model.layers") : "1";
    if (!first || !frequency) return {};
    if (frequency->find('[') != std::string::npos) {
      const auto list = number_list(*frequency);
      if (!list || std::ssize(*list) != layers) {
        reader_.error(
            reader_.value_mark("moe-layer-freq"),
            fmt::format(
                "--moe-layer-freq {}: expected a number, or a list for {} layers such as [0]*3+[1]*{}",
                *frequency, layers, std::max<std::int64_t>(0, layers - 3)));
        return {};
      }
      for (std::size_t i = 0; i < moe.size(); ++i) moe[i] = (*list)[i] != 0;
      return moe;
    }
    const auto every = reader_.whole_or("moe-layer-freq", "model.layers", 1, -1);
    if (!every) return {};
    for (std::int64_t i = 0; i < layers; ++i)
      moe[static_cast<std::size_t>(i)] = i >= *first && (*every <= 1 || i % *every == 0);
    return moe;
  }

  // Sets the list of layers. Returns whether some are dense.
  bool read_layers(const std::optional<ScriptChunks>& chunks, bool experts) {
    missing("num-layers", "model.layers");
    const auto layers = reader_.whole("num-layers", "model.layers");
    if (!layers || !chunks) return !experts;
    const auto moe = experts ? pattern(*layers) : std::vector<bool>(static_cast<std::size_t>(*layers), false);
    if (!moe) return false;
    std::vector<std::pair<std::string, std::int64_t>> runs;
    bool dense = false;
    for (const std::uint32_t position : chunks->all()) {
      const char* const kind = (*moe)[position] ? "moe" : "dense";
      dense = dense || !(*moe)[position];
      if (runs.empty() || runs.back().first != kind) runs.emplace_back(kind, 0);
      ++runs.back().second;
    }
    const char* const mtp = reader_.has("mtp-num-layers") ? "mtp-num-layers" : "mtp-num-layer";
    const Mark mark = reader_.value_mark("num-layers");
    std::vector<std::pair<std::string, Mark>> items{{"embedding", mark}};
    for (const auto& [kind, count] : runs)
      items.emplace_back(count == 1 ? kind : fmt::format("{} {}", count, kind),
                         kind == "dense" && experts ? reader_.value_mark("first-k-dense-replace") : mark);
    if (const auto further = reader_.whole(mtp, "model.layers", 0); further && *further > 0)
      items.emplace_back(*further == 1 ? "mtp" : fmt::format("{} mtp", *further), reader_.value_mark(mtp));
    items.emplace_back("head", mark);
    reader_.set_list("model.layers", items);
    std::vector<std::string> names;
    for (const auto& [name, place] : items) names.push_back(name);
    layers_ = fmt::format("[{}]", fmt::join(names, ", "));
    return dense;
  }

  // Layers whose attention is linear or sparse take another time, which is not simulated.
  void refuse_other_attention() {
    for (const char* name :
         {"full-attention-interval", "enable-dsa-indexer", "enable-dsa", "hybrid-override-pattern",
          "is-hybrid-model", "experimental-attention-variant", "linear-attention-freq",
          "use-sparse-flash-attn", "heterogeneous-layers-config-path",
          "heterogeneous-layers-config-encoded-json", "share-kvstates", "cla-share-factor"}) {
      if (!reader_.has(name)) continue;
      const std::string layers = layers_.empty() ? "[...]" : layers_;
      return reader_.open(
          "model.layers",
          fmt::format("--{}: layers that differ, or linear or sparse attention, are not simulated: --set "
                      "model.layers='{}' takes full attention in "
                      "all of them",
                      name, layers),
          reader_.mark(name));
    }
  }

  void read_dense() {
    constexpr const char* kKey = "model.dense_intermediate";
    if (reader_.has("ffn-hidden-size")) return reader_.copy("ffn-hidden-size", kKey);
    constexpr std::int64_t kWhole =
        64;  // Megatron's default: 4 x hidden, and two thirds with a gate, in whole blocks
    if (const auto hidden = reader_.whole("hidden-size", "model.hidden"))
      reader_.set(kKey, gated() ? *hidden * 8 / 3 / kWhole * kWhole : *hidden * 4,
                  reader_.value_mark("hidden-size"));
  }

  void read_type() {
    if (reader_.has("fp4-format"))
      return reader_.open("model.dtype",
                          "--fp4-format: products in 4 bits are not simulated in a step: --set "
                          "model.dtype=bf16 takes them in 16",
                          reader_.mark("fp4-format"));
    read_fp8();
    const char* const name = reader_.flag("bf16") ? "bf16" : "fp16";
    reader_.set("model.dtype", reader_.flag(name) ? name : "fp32", reader_.mark(name));
  }

  // Without a recipe, Megatron's scales are those of former steps.
  void read_fp8() {
    constexpr const char *kKey = "step.fp8", *kRecipe = "fp8-recipe";
    const char* const format = reader_.has("fp8-format") ? "fp8-format" : "fp8";
    if (!reader_.has(format)) return;
    if (!reader_.has(kRecipe)) return reader_.set(kKey, "delayed", reader_.mark(format));
    const auto recipe = reader_.text(kRecipe, kKey);
    if (!recipe) return;
    if (*recipe == "mxfp8") return reader_.set(kKey, "blockwise", reader_.value_mark(kRecipe));
    if (std::ranges::find(kNamesOf<Fp8Recipe>, *recipe) != std::end(kNamesOf<Fp8Recipe>) && *recipe != "none")
      return reader_.set(kKey, *recipe, reader_.value_mark(kRecipe));
    reader_.open(
        kKey,
        fmt::format("--fp8-recipe: '{}' is not known: --set step.fp8=blockwise takes scales of blocks, "
                    "step.fp8=none products in 16 bits",
                    *recipe),
        reader_.value_mark(kRecipe));
  }

  LaunchReader& reader_;
  std::string layers_;  // as a list of YAML; empty: not known
};

}  // namespace

void read_megatron_model(LaunchReader& reader, const std::optional<ScriptChunks>& chunks) {
  ModelArguments(reader).read(chunks);
}

}  // namespace a3sim
