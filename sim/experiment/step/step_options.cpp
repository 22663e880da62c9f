#include "sim/experiment/step/step_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "sim/core/closest.h"
#include "sim/device/hardware.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/step/schedule.h"

namespace a3sim {
namespace {

constexpr std::int64_t kMostDraws = 1024;
constexpr double kMostCapacity = 64;
constexpr double kMostParameters = 1e12;
constexpr std::uint64_t kMostTokens = 1U << 31U;
constexpr std::int64_t kMostDies = 1 << 20, kMostBatch = 1 << 24, kLongest = 1 << 24;

// Returns the divisors of a number up to `most`, as text for a message.
std::string divisors(std::uint64_t number, std::uint64_t most) {
  std::vector<std::uint64_t> found;
  for (std::uint64_t d = 1; d <= std::min(number, most); ++d)
    if (number % d == 0) found.push_back(d);
  return fmt::format("{}", fmt::join(found, ", "));
}

// Returns the number of DP ranks that so many dies make, in groups of `together` dies.
std::uint32_t read_dies(const Config& parallel, std::uint64_t together) {
  const auto dies = static_cast<std::uint64_t>(parallel.integer("dies", 1, kMostDies));
  if (parallel.text("dp", "auto") != "auto")
    parallel.error("dp", "it follows from parallel.dies, expected 'auto' beside that");
  if (dies % together == 0) return static_cast<std::uint32_t>(dies / together);
  parallel.error(
      "dies", fmt::format("{} dies in groups of {} (tp times cp times pp), expected a multiple of {}", dies,
                          together, together));
  return 1;
}

// Reads dp. By default there are as few dies as the experts need.
void read_groups(const Config& parallel, std::uint32_t together, StepOptions& step) {
  const auto usual = static_cast<std::int64_t>(
      std::lcm<std::uint64_t>(together, std::uint64_t{step.ep} * step.etp) / together);
  step.dp = static_cast<std::uint32_t>(parallel.integer("dp", 1, kMostDies, std::min(usual, kMostDies)));
}

void read_parallel_sizes(const Config& parallel, bool experts, StepOptions& step) {
  const auto size = [&](const char* key, std::int64_t usual = 1) {
    return static_cast<std::uint32_t>(parallel.integer(key, 1, kMostDies, usual));
  };
  step.tp = size("tp");
  step.pp = size("pp");
  step.vpp = size("vpp");
  step.cp = size("cp");
  step.ep = size("ep", experts ? 8 : 1);
  step.etp = size("etp");
  if (step.tp % step.etp != 0) {
    parallel.error("etp",
                   fmt::format("{} dies share each expert's products, of {} dies (parallel.tp) that hold the "
                               "same tokens: expected one of: {}",
                               step.etp, step.tp, divisors(step.tp, kMostDies)));
    step.etp = 1;
  }
  const std::uint32_t together = step.tp * step.cp;
  if (parallel.has("dies")) {
    step.dp = read_dies(parallel, std::uint64_t{together} * step.pp);
  } else {
    read_groups(parallel, together, step);
  }
  const std::uint64_t dies = std::uint64_t{step.tp} * step.cp * step.dp;
  if (dies * step.pp > kMostDies) {
    parallel.error("dp",
                   fmt::format("the layout has {} dies, expected at most {}", dies * step.pp, kMostDies));
    parallel.throw_if_any();
  }
  if (!parallel.is_wrong("dies") && (dies % step.etp != 0 || dies / step.etp % step.ep != 0)) {
    parallel.error(
        "ep", fmt::format("{} ranks{} share the experts of a stage's {} dies (tp times cp times dp), "
                          "expected one of: {}",
                          step.ep, step.etp > 1 ? fmt::format(" of {} dies (parallel.etp)", step.etp) : "",
                          dies, divisors(dies / step.etp, 1024)));
  }
}

void read_batch(const Config& block, StepOptions& step) {
  step.sequence = static_cast<std::uint64_t>(block.integer("sequence", 1, kLongest, 4096));
  step.micro_batch = static_cast<std::uint64_t>(block.integer("micro_batch", 1, kMostBatch, 1));
  const std::uint64_t together = step.micro_batch * step.dp;
  // Eight micro-batches per stage keep its bubble small.
  const auto usual = static_cast<std::int64_t>(together * (step.pp == 1 ? 8 : 8 * step.pp));
  step.global_batch =
      static_cast<std::uint64_t>(block.integer("global_batch", 1, kMostBatch, std::min(usual, kMostBatch)));
  if (block.is_wrong("micro_batch")) return;
  if (together > std::uint64_t{kMostBatch}) {
    block.error("micro_batch",
                fmt::format("{} samples on each of {} data-parallel ranks, expected at most {}: a step has "
                            "at most {}",
                            step.micro_batch, step.dp, kMostBatch / step.dp, kMostBatch));
    return;
  }
  if (!block.is_wrong("global_batch") && step.global_batch % together != 0) {
    block.error(
        "global_batch",
        fmt::format("{} samples in micro-batches of {} on {} data-parallel ranks: expected a multiple "
                    "of {}, such as {}",
                    step.global_batch, step.micro_batch, step.dp, together,
                    (step.global_batch / together + 1) * together));
  }
  if (block.is_wrong("sequence")) return;
  if (const std::uint64_t tokens = step.micro_batch * step.sequence / step.cp; tokens > kMostTokens) {
    const bool sequence = step.sequence > step.micro_batch;
    block.error(
        sequence ? "sequence" : "micro_batch",
        fmt::format(
            "a micro-batch has {} tokens on a die (micro_batch times sequence over parallel.cp), expected "
            "at most {}: {} up to {}",
            tokens, kMostTokens, sequence ? "a sequence of" : "a micro_batch of",
            std::max<std::uint64_t>(1,
                                    kMostTokens * step.cp / (sequence ? step.micro_batch : step.sequence))));
    return;
  }
  if (step.sequence % step.cp != 0)
    block.error("sequence", fmt::format("{} tokens on {} dies (parallel.cp), expected a multiple of {}",
                                        step.sequence, step.cp, step.cp));
  else if (step.sequence_parallel && step.micro_batch * step.sequence / step.cp % step.tp != 0)
    block.error("sequence", fmt::format("{} tokens of a micro-batch on {} dies (parallel.tp), expected a "
                                        "multiple of {}",
                                        step.micro_batch * step.sequence / step.cp, step.tp, step.tp));
}

void read_schedule(const Config& block, StepOptions& step) {
  const char* const usual = step.pp == 1 && step.vpp == 1 ? "none" : step.vpp == 1 ? "1f1b" : "interleaved";
  step.schedule = block.registered<PipelineSchedule>("schedule", usual).value_or(usual);
  step.split_weights = block.boolean("split_weights", false);
  step.split = block.text("split", "layers");
  step.overlap = block.choice("overlap", EpOverlap::kNone);
  step.weights_beside = block.boolean("weights_beside", true);
  step.exchange_stretch = block.number("exchange_stretch", 1, 10, 1);
  if (block.is_wrong("schedule") || block.is_wrong("global_batch") || block.is_wrong("micro_batch")) return;
  step.copies = PipelineSchedules::get(step.schedule).copies;
  const ScheduleShape shape{step.pp,
                            step.vpp,
                            step.micro_batches(),
                            step.split_weights,
                            step.overlap == EpOverlap::kTwoMicroBatches,
                            step.copies};
  if (const std::string why = PipelineSchedules::get(step.schedule).why_not(shape); !why.empty())
    block.error("schedule", why);
}

void read_recompute(const Config& block, StepOptions& step) {
  constexpr auto kNames = kNamesOf<RecomputeKind>;
  for (const std::string& name : block.texts("recompute")) {
    const auto found = std::ranges::find(kNames, name);
    if (name == "all") {
      step.recompute_all = true;
    } else if (found != std::end(kNames)) {
      step.recompute.add({static_cast<RecomputeKind>(found - std::begin(kNames))});
    } else {
      block.error("recompute", fmt::format("'{}' cannot be computed again; expected a list of: all, {}", name,
                                           fmt::join(kNames, ", ")));
    }
  }
}

// Reads how many layers of a chunk are computed again, where not all are.
void read_recompute_layers(const Config& block, StepOptions& step) {
  step.recompute_layers = static_cast<std::uint32_t>(block.integer("recompute_layers", 0, kLongest, 0));
  if (step.recompute_layers > 0 && !step.recompute_all) {
    if (block.has("recompute")) step.recompute_layers = 0;
    block.error("recompute_layers",
                "layers that are computed again as a whole, expected step.recompute=[all] beside it");
  }
}

void read_fusions(const Config& block, StepOptions& step) {
  step.fuse = BlockLayout{}.fuse;
  if (!block.has("fuse")) return;
  step.fuse.clear();
  constexpr auto kNames = kNamesOf<Fusion>;
  for (const std::string& name : block.texts("fuse")) {
    const auto found = std::ranges::find(kNames, name);
    if (found == std::end(kNames))
      block.error("fuse", fmt::format("unknown operator '{}'; known: {}", name, fmt::join(kNames, ", ")));
    else
      step.fuse.push_back(static_cast<Fusion>(found - std::begin(kNames)));
  }
}

std::string read_preset(const Config& block, const char* key, const StepOptions& step) {
  if (!block.has(key)) return "";
  const std::string preset = block.text(key);
  const std::vector<std::string> known = names_in(configs_folder() / "presets");
  if (std::ranges::find(known, preset) == known.end())
    block.error(key, fmt::format("unknown preset '{}'; known: {}{}", preset, fmt::join(known, ", "),
                                 suggestion(preset, known)));
  else if (step.exchange == ExpertExchange::kStreams)
    block.error(key, "experts run under a preset where step.exchange is taskflow");
  return preset;
}

// Reads how many groups of DP ranks hold all that is spread. Experts have fewer DP ranks than other parameters.
void read_replicas(const Config& block, StepOptions& step) {
  step.replicas = static_cast<std::uint32_t>(block.integer("replicas", 1, kMostDies, 1));
  const std::uint32_t ranks = std::gcd(step.dp * step.cp, step.expert_copies());
  if (step.replicas > 1 && ranks % step.replicas != 0) {
    block.error(
        "replicas",
        fmt::format("{} groups of {} DP ranks, and {} that hold the same experts: expected one of: {}",
                    step.replicas, step.dp * step.cp, step.expert_copies(), divisors(ranks, kMostDies)));
    step.replicas = 1;
  }
}

void read_optimizer(const Config& block, StepOptions& step) {
  step.optimizer.sharded = block.boolean("sharded", true);
  step.optimizer.state_bytes = static_cast<std::uint32_t>(block.integer("state_bytes", 2, 8, 8));
  step.optimizer.swapped = block.boolean("swapped", false);
  step.optimizer.reuses_weights = block.boolean("reuses_weights", false);
  step.optimizer.slices = static_cast<std::uint32_t>(block.integer("slices", 1, 1024, 16));
  if (!step.optimizer.swapped) block.let_stand("slices");
  block.finish();
}

void read_host(const Config& host, StepOptions& step) {
  step.launch = host.has("launch") ? host.duration("launch") : Duration::zero();
  step.permute_calls = static_cast<std::uint32_t>(host.integer("permute_calls", 0, kMostDraws, 0));
  if (step.exchange != ExpertExchange::kStreams) host.let_stand("permute_calls");
  step.captured = host.number("captured", 0, 1, 0);
  step.reads_counts = host.boolean("reads_counts", false);
  if (host.has("unlisted")) step.unlisted = host.duration("unlisted");
  for (const SourcedValue& value : host.sourced())
    if (value.path == host.path("unlisted")) step.unlisted_most = value.high;
  if (step.launch == Duration::zero()) host.let_stand("reads_counts");
  if (host.has("link") || step.optimizer.swapped || step.offload > 0) step.host_link = host.rate("link");
  host.finish();
}

// Reads the tokens of each document of a sample, where they differ.
void read_document_lengths(const Config& block, StepOptions& step) {
  constexpr const char* kKey = "document_lengths";
  std::uint64_t sum = 0;
  for (const std::string& text : block.texts(kKey)) {
    std::uint64_t tokens = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), tokens);
    if (error != std::errc() || end != text.data() + text.size() || tokens == 0 || tokens > kLongest)
      return block.error(kKey, fmt::format("'{}': expected a list of numbers of tokens", text));
    step.document_lengths.push_back(tokens);
    sum += tokens;
  }
  if (step.document_lengths.empty() || block.is_wrong("sequence")) return;
  if (sum != step.sequence)
    block.error(
        kKey, fmt::format("documents of {} tokens in all, expected {} (step.sequence)", sum, step.sequence));
  else if (step.documents > 1)
    block.error(kKey,
                "documents of lengths of their own beside step.documents, which cuts a sample into equal "
                "parts: expected one of both");
}

// Reads how attention's tokens meet: in documents, and on the dies of a CP group.
void read_attention(const Config& block, StepOptions& step) {
  step.documents = static_cast<std::uint64_t>(block.integer("documents", 1, kLongest, 1));
  if (!block.is_wrong("sequence") && step.sequence % (step.documents * step.cp) != 0) {
    block.error("documents",
                fmt::format("{} documents of {} tokens on {} dies (parallel.cp): expected a divisor of {}",
                            step.documents, step.sequence, step.cp, step.sequence / step.cp));
    step.documents = 1;
  }
  read_document_lengths(block, step);
  step.ulysses = block.choice("cp_exchange", {"ring", "ulysses"}, "ring") == 1;
}

// Reads which products run in eight bits, and which exchanges carry their operands.
void read_fp8(const Config& block, const Hardware& hardware, bool experts, StepOptions& step) {
  step.fp8 = block.choice("fp8", Fp8Recipe::kNone);
  step.fp8_dispatch = block.boolean("fp8_dispatch", false);
  if (step.fp8 != Fp8Recipe::kNone && hardware.cube.macs_per_cycle(operand_type(step.fp8)) == 0)
    block.error("fp8", fmt::format("{} does not multiply in FP8: expected none, or a machine whose file has "
                                   "hardware.workers.cube.macs_fp8, as ascend950pr_9589.yaml and "
                                   "h100_node.yaml",
                                   hardware.name));
  else if (step.fp8 != Fp8Recipe::kNone && experts && step.exchange != ExpertExchange::kStreams)
    block.error("fp8",
                "a taskflow computes experts in the model's type: expected step.exchange=streams beside it, "
                "or none");
  if (step.fp8_dispatch && step.fp8 != Fp8Recipe::kBlockwise) {
    block.error("fp8_dispatch",
                "rows go with scales of their own blocks: expected step.fp8=blockwise beside it");
    step.fp8_dispatch = false;
  }
}

}  // namespace

BlockLayout StepOptions::block_layout() const {
  return {sequence,
          micro_batch,
          tp,
          cp,
          documents,
          ulysses,
          sequence_parallel,
          fuse,
          document_lengths,
          pad_experts ? expert_capacity : 1,
          etp,
          fp8,
          fp8_dispatch};
}

StepOptions read_step_options(const Config& root, const Hardware& hardware) {
  StepOptions step;
  read_parallel_sizes(root.map("parallel"), root.map("model").has("experts"), step);
  const Config block = root.map("step");
  step.sequence_parallel = block.boolean("sequence_parallel", true);
  read_batch(block, step);
  read_attention(block, step);
  read_schedule(block, step);
  read_recompute(block, step);
  read_recompute_layers(block, step);
  step.offload = block.number("offload", 0, 1, 0);
  read_fusions(block, step);
  step.tp_pipelined = block.boolean("tp_pipelined", false);
  step.dp_overlap = block.choice("dp_overlap", DpOverlap::kBoth);
  step.gradient_bytes = static_cast<std::uint32_t>(block.integer("gradient_bytes", 2, 4, 4));
  step.reduce_bytes = static_cast<std::uint32_t>(block.integer("reduce_bytes", 2, 4, step.gradient_bytes));
  step.fsdp = block.boolean("fsdp", false);
  if (step.fsdp && step.copies > 1)
    block.error("fsdp",
                fmt::format("{} keeps {} copies of all weights: expected false, or another step.schedule",
                            step.schedule, step.copies));
  step.zero2 = block.boolean("zero2", false);
  step.bucket = block.number("bucket", 1, kMostParameters, 40e6);
  read_replicas(block, step);
  step.exchange = block.choice("exchange", ExpertExchange::kTaskflow);
  read_fp8(block, hardware, root.map("model").has("experts"), step);
  step.experts = read_preset(block, "experts", step);
  step.experts_backward = read_preset(block, "experts_backward", step);
  if (!step.experts_backward.empty() && step.experts.empty())
    block.error("experts_backward", "it takes the place of step.experts backward: expected that too");
  step.expert_capacity = block.number("expert_capacity", 0, kMostCapacity, 0);
  step.pad_experts = block.boolean("pad_experts", false);
  if (step.pad_experts && step.expert_capacity == 0) {
    block.error(
        "pad_experts",
        "how many rows experts are filled up to is not said: expected step.expert_capacity beside it");
    step.pad_experts = false;
  }
  step.draws = static_cast<std::uint32_t>(block.integer("draws", 1, kMostDraws, 8));
  read_optimizer(block.map("optimizer"), step);
  read_host(block.map("host"), step);
  step.capacity = block.has("capacity") ? block.bytes("capacity") : hardware.memory.hbm_size;
  step.over_capacity = block.boolean("over_capacity", false);
  step.not_modelled = block.texts("not_modelled");
  block.finish();
  return step;
}

}  // namespace a3sim
