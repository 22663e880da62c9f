#include "sim/experiment/inference/inference_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/config/model_shape_config.h"
#include "sim/core/error.h"
#include "sim/experiment/inference/context_lengths.h"

namespace a3sim {
namespace {

constexpr std::int64_t kMostInferenceDies = 1 << 14, kMostRequests = 1 << 20, kLongestContext = 1 << 24;

std::uint32_t dies_in(const Config& config, std::string_view key) {
  return static_cast<std::uint32_t>(config.integer(key, 1, kMostInferenceDies, 1));
}

void read_requests(const Config& block, InferenceOptions& options) {
  options.phase = block.choice("phase", InferencePhase::kDecode);
  options.batch = static_cast<std::uint64_t>(block.integer("batch", 1, kMostRequests, 1));
  options.context = static_cast<std::uint64_t>(block.integer("context", 1, kLongestContext, 4096));
  options.longest = block.number("longest", 1, 100, 1);
  if (options.phase == InferencePhase::kPrefill) {
    for (const char* key : {"drafts", "accepted", "longest", "contexts"}) block.let_stand(key);
    options.longest = 1;
    return;
  }
  options.drafts = static_cast<std::uint32_t>(block.integer("drafts", 0, 16, 0));
  options.accepted = block.number("accepted", 0, 16, 0);
  if (options.accepted > options.drafts)
    block.error("accepted",
                fmt::format("{} of {} drafts, expected at most as many", options.accepted, options.drafts));
}

// Sets a part of the dies apart for attention. As many requests as before are dealt to its ranks.
void read_attention_part(const Config& block, InferenceOptions& options) {
  const double part = block.number("attention_part", 0, 1, 0);
  if (part == 0) return;
  const auto apart = static_cast<std::uint32_t>(std::lround(part * options.ep));
  if (options.attention_dies > 0 || apart == 0 || apart >= options.ep) {
    block.error("attention_part", options.attention_dies > 0
                                      ? std::string("expected either this or inference.attention_dies")
                                      : fmt::format("{} of {} dies (parallel.ep), expected some and not all",
                                                    apart, options.ep));
    return;
  }
  options.batch = (options.batch * options.ep + apart - 1) / apart;
  options.attention_dies = apart;
  options.ep -= apart;
}

void read_types(const Config& block, InferenceOptions& options) {
  options.weights = block.choice("weights", WeightType::kBf16);
  options.experts = block.choice("experts", options.weights);
  options.experts_by = block.choice("experts_by", ExpertKernels::kSeparate);
  options.cache_bytes = block.choice("cache", {"bf16", "int8"}, "bf16") == 0 ? 2 : 1;
  options.index_cache_bytes = block.choice("index_cache", {"bf16", "int8"}, "bf16") == 0 ? 2 : 1;
  if (options.weights == WeightType::kW4A8)
    block.error("weights", "4 bits are for routed experts (inference.experts): expected bf16 or w8a8");
}

void read_inference_streams(const Config& block, InferenceOptions& options) {
  options.micro_batches = static_cast<std::uint32_t>(block.integer("micro_batches", 1, 8, 1));
  options.core_share = block.number("core_share", 0.05, 1, 1);
  options.shared_beside = block.boolean("shared_beside", true);
  options.fused = block.boolean("fused", true);
  options.redundant = static_cast<std::uint32_t>(block.integer("redundant", 0, kMostInferenceDies, 0));
  options.idle = static_cast<std::uint32_t>(block.integer("idle", 0, kMostInferenceDies, 0));
  options.padded = block.boolean("padded", true);
  options.dense_tp = dies_in(block, "dense_tp");
  options.head_tp = dies_in(block, "head_tp");
}

void read_launch(const Config& block, InferenceOptions& options) {
  options.launched = block.choice("launched", LaunchedBy::kGraph);
  const Config launch = block.map("launch");
  options.launch = {launch.duration("head"), launch.duration("gap"), launch.duration("host")};
  launch.finish();
}

// Refuses what training steps know of models, and steps of inference do not.
void refuse_other_layers(const Config& model, const ModelShape& shape) {
  refuse_ungated(model, "the experts and feed-forward networks of a step of inference");
  if (shape.experts.latent > 0)
    model.error("latent", "experts in a width of their own are not modelled in inference: expected none");
  if (std::ranges::any_of(shape.layers,
                          [](const std::string& block) { return block.starts_with("windowed"); }))
    model.error("layers",
                "sliding windows are not modelled in inference: expected dense and moe, which meet all keys");
}

}  // namespace

InferenceOptions read_inference_options(const Config& root, const Hardware& hardware) {
  InferenceOptions options;
  const Config parallel = root.map("parallel");
  options.tp = dies_in(parallel, "tp");
  options.cp = dies_in(parallel, "cp");
  options.ep = dies_in(parallel, "ep");
  const Config block = root.map("inference");
  options.attention_dies =
      static_cast<std::uint32_t>(block.integer("attention_dies", 0, kMostInferenceDies, 0));
  read_requests(block, options);
  read_attention_part(block, options);
  read_context_lengths(block, options);
  read_types(block, options);
  read_inference_streams(block, options);
  read_launch(block, options);
  options.interference = block.number("interference", 1, 4, 1);
  options.collective = block.duration("collective");
  options.gather = block.rate("gather");
  options.capacity = block.has("capacity") ? block.bytes("capacity") : hardware.memory.hbm_size;
  options.reserved = block.number("reserved", 0, 0.9, 0);
  options.over_capacity = block.boolean("over_capacity", false);
  block.finish();
  const Config attention = root.map("model").map("attention");
  if (attention.has("index")) {
    const Config index = attention.map("index");
    constexpr std::int64_t kMost = 1 << 20;
    const auto size = [&](const char* key) {
      return static_cast<std::uint32_t>(index.integer(key, 1, kMost));
    };
    options.index = {size("heads"), size("width"), size("top_k")};
    index.finish();
  }
  return options;
}

// MegaMoE's kernel is what its public source is: it multiplies in 8 bits, on all cores of dies that have tokens and experts.
static void check_mega_moe(const Config& block, const InferenceOptions& options) {
  if (options.experts_by != ExpertKernels::kMegaMoe) return;
  const auto refuse = [&](const char* key, const std::string& why) {
    block.error(key, why + ", expected inference.experts_by=separate beside it");
  };
  if (options.experts != WeightType::kW8A8)
    block.error("experts", fmt::format("MegaMoE's kernel multiplies in 8 bits, not in {}: expected w8a8, or "
                                       "inference.experts_by=separate beside it",
                                       name_of(options.experts)));
  if (options.attention_dies > 0)
    refuse("attention_dies", "MegaMoE's tokens and experts are on the same dies");
  if (options.core_share < 1) refuse("core_share", "MegaMoE's kernel deals its work to all cores");
  if (options.idle > 0 && !options.padded) refuse("padded", "MegaMoE's ranks have equally many tokens");
}

// Products and rows of more tokens would be counted past 32 bits.
static void check_tokens(const Config& block, const InferenceOptions& options) {
  constexpr std::uint64_t kMostTokens = std::uint64_t{1} << 22;
  if (options.micro_tokens() <= kMostTokens) return;
  const bool prefill = options.phase == InferencePhase::kPrefill;
  block.error(
      "batch",
      fmt::format("{} tokens of a rank in a micro-batch, expected at most {}: fewer requests{}",
                  options.micro_tokens(), kMostTokens, prefill ? ", or a shorter inference.context" : ""));
}

void check_inference(const Config& root, const InferencePlan& plan) {
  refuse_other_layers(root.map("model"), plan.model);
  const InferenceOptions& options = plan.options;
  check_tokens(root.map("inference"), options);
  check_mega_moe(root.map("inference"), options);
  const Config parallel = root.map("parallel"), block = root.map("inference");
  const std::uint32_t group = options.tp * options.cp, heads = plan.model.attention.heads;
  if (options.attention() % group != 0)
    parallel.error("tp",
                   fmt::format("groups of {} dies (parallel.tp times parallel.cp) of {} with attention, "
                               "expected a divisor",
                               group, options.attention()));
  if (heads > 0 && heads % options.tp != 0)
    parallel.error("tp", fmt::format("{} heads on {} dies, expected a divisor", heads, options.tp));
  const std::uint32_t experts = plan.model.experts.count;
  if (experts > 0 && (experts + options.redundant) % options.ep != 0)
    parallel.error("ep",
                   fmt::format("{} experts{} on {} dies, expected a divisor", experts,
                               options.redundant > 0 ? fmt::format(" and {} again", options.redundant) : "",
                               options.ep));
  if (options.index && options.phase == InferencePhase::kPrefill)
    block.error("phase",
                "the model has sparse attention, whose prefill is not modelled: expected decode, or "
                "--set model.attention without index, which attends to all keys");
  if (options.index && !plan.model.attention.latent)
    root.map("model")
        .map("attention")
        .error("index", "an indexer chooses keys of latent attention: expected kv_lora");
  if (experts == 0 && options.attention_dies > 0)
    block.error("attention_dies", "the model has no experts to be apart from: expected none");
  if (options.drafts > 0 && std::ranges::find(plan.model.layers, "mtp") == plan.model.layers.end())
    block.error("drafts", "the model has no block mtp that predicts them (model.layers): expected 0");
  if (plan.model.vocabulary == 0 || plan.model.attention.heads == 0)
    root.map("model").error("layers", "a step of inference needs model.attention and model.vocabulary");
  if (options.idle >= options.ranks())
    block.error("idle", fmt::format("{} of {} ranks, expected fewer", options.idle, options.ranks()));
  if (options.micro_batches > options.batch)
    block.error("micro_batches",
                fmt::format("{} parts of {} requests (inference.batch), expected at most as many",
                            options.micro_batches, options.batch));
  if (options.attention() % options.dense_tp != 0)
    block.error("dense_tp", fmt::format("groups of {} dies of {}, expected a divisor", options.dense_tp,
                                        options.attention()));
  if (options.attention() % options.head_tp != 0)
    block.error("head_tp", fmt::format("groups of {} dies of {}, expected a divisor", options.head_tp,
                                       options.attention()));
}

const InferencePlan& inference_plan_of(const Experiment& experiment) {
  const auto* const work = dynamic_cast<const InferenceWork*>(experiment.work.get());
  if (!work) throw InputError(experiment.name + ": experiment.workload is not inference_step");
  return work->plan();
}

}  // namespace a3sim
