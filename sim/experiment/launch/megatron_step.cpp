#include <fmt/format.h>

#include <array>
#include <optional>

#include "sim/core/config/decimal.h"
#include "sim/experiment/launch/launch_reader.h"

namespace a3sim {
namespace {

using Items = std::vector<std::pair<std::string, Mark>>;

class StepArguments {
 public:
  explicit StepArguments(LaunchReader& reader) : reader_(reader) {}

  void read() {
    read_batches();
    read_capacity();
    read_recompute();
    read_fused();
    read_overlaps();
    read_optimizer();
    // A script that ran need not fit what is foreseen here: what it needs is said instead.
    reader_.set("step.over_capacity", "true", reader_.start());
  }

 private:
  void read_flag(std::string_view name, const char* key) {
    reader_.set(key, reader_.flag(name) ? "true" : "false", reader_.mark(name));
  }

  void read_batches() {
    for (const auto& [name, key] :
         {std::pair{"seq-length", "step.sequence"}, std::pair{"micro-batch-size", "step.micro_batch"},
          std::pair{"global-batch-size", "step.global_batch"}}) {
      if (reader_.has(name))
        reader_.copy(name, key);
      else
        reader_.open(key, fmt::format("the script has no --{}: --set {}=N", name, key), reader_.start());
    }
  }

  // The most rows that an expert takes from each rank are Megatron's factor times their mean; a negative one sets no limit.
  void read_capacity() {
    constexpr const char *kFactor = "moe-expert-capacity-factor", *kPad = "moe-pad-expert-input-to-capacity";
    const auto given =
        reader_.has(kFactor) ? reader_.text(kFactor, "step.expert_capacity") : std::optional<std::string>();
    double factor = -1;
    if (given && (leading_decimal(*given) != *given || !decimal_double(*given, factor) || factor == 0))
      return reader_.error(
          reader_.value_mark(kFactor),
          fmt::format("--{}: '{}', expected a number above 0, or -1 for no limit", kFactor, *given));
    const bool limits = factor > 0;
    if (limits) reader_.set("step.expert_capacity", *given, reader_.value_mark(kFactor));
    if (!reader_.flag(kPad)) return;
    if (limits) return reader_.set("step.pad_experts", "true", reader_.mark(kPad));
    if (given || !reader_.has(kFactor))
      reader_.error(reader_.mark(kPad),
                    fmt::format("--{} without --{}: Megatron refuses that", kPad, kFactor));
  }

  void read_recompute() {
    Items kinds;
    if (reader_.flag("recompute-activation-function"))
      kinds.emplace_back("activation", reader_.mark("recompute-activation-function"));
    if (reader_.flag("recompute-norm")) kinds.emplace_back("norm", reader_.mark("recompute-norm"));
    if (reader_.flag("mla-zero-memory")) kinds.emplace_back("attention_up", reader_.mark("mla-zero-memory"));
    const auto granularity = reader_.text("recompute-granularity", "step.recompute");
    if (granularity == "full")
      read_full(kinds);
    else if (granularity == "selective" || reader_.flag("recompute-activations"))
      read_selective(kinds);
    else if (granularity)
      reader_.error(reader_.value_mark("recompute-granularity"),
                    fmt::format("--recompute-granularity {}: expected full or selective", *granularity));
    if (!kinds.empty()) reader_.set_list("step.recompute", kinds);
  }

  void read_full(Items& kinds) {
    kinds.emplace_back("all", reader_.value_mark("recompute-granularity"));
    const auto method = reader_.text("recompute-method", "step.recompute_layers");
    const auto number = reader_.whole("recompute-num-layers", "step.recompute_layers");
    if (method == "block" && number) {
      if (reader_.flag("enable-recompute-layers-per-pp-rank") &&
          reader_.has("num-layers-per-virtual-pipeline-stage"))
        return reader_.open("step.recompute_layers",
                            "--enable-recompute-layers-per-pp-rank counts the layers of a stage, and here "
                            "those of each chunk count: "
                            "--set step.recompute_layers=N",
                            reader_.value_mark("recompute-num-layers"));
      reader_.set("step.recompute_layers", *number, reader_.value_mark("recompute-num-layers"));
    } else if (method == "uniform" && number.value_or(1) > 1) {
      reader_.note(fmt::format("--recompute-num-layers {} (line {}): the input of each layer is kept here, "
                               "not of each {} layers",
                               *number, reader_.mark("recompute-num-layers").line, *number),
                   reader_.mark("recompute-num-layers"));
    }
  }

  void read_selective(Items& kinds) {
    constexpr std::array kModules{std::pair{"layernorm", "norm"}, std::pair{"moe_act", "activation"},
                                  std::pair{"mlp", "mlp"}, std::pair{"moe", "moe"},
                                  std::pair{"mla_up_proj", "attention_up"}};
    const LaunchArgument* const modules = reader_.find("recompute-modules");
    const auto left_out = [this](const std::string& module, const Mark& mark) {
      reader_.note(fmt::format("recompute of {} (line {}): it is not computed again here", module, mark.line),
                   mark);
    };
    if (modules == nullptr) return left_out("core_attn", reader_.mark("recompute-granularity"));
    for (const LaunchArgument::Value& value : modules->values) {
      const auto* found = kModules.begin();
      while (found != kModules.end() && value.text != found->first) ++found;
      if (found != kModules.end())
        kinds.emplace_back(found->second, value.mark);
      else
        left_out(value.text, value.mark);
    }
  }

  void read_fused() {
    constexpr std::array kFused{std::pair{"use-fused-rmsnorm", "norm"},
                                std::pair{"use-fused-rotary-pos-emb", "rope"},
                                std::pair{"use-fused-swiglu", "swiglu"},
                                std::pair{"moe-router-fusion", "router"},
                                std::pair{"cross-entropy-loss-fusion", "loss"},
                                std::pair{"gemm-gradient-accumulation-fusion", "accumulate"}};
    Items fused;
    for (const auto& [name, kind] : kFused)
      if (reader_.flag(name)) fused.emplace_back(kind, reader_.mark(name));
    reader_.set_list("step.fuse", fused);
    if (!reader_.flag("use-flash-attn"))
      reader_.note("no --use-flash-attn: attention is one kernel here all the same", reader_.start());
  }

  void read_overlaps() {
    const bool reduce = reader_.flag("overlap-grad-reduce"), gather = reader_.flag("overlap-param-gather");
    reader_.set("step.dp_overlap",
                reduce && gather ? "both"
                : reduce         ? "reduce"
                : gather         ? "gather"
                                 : "none",
                reader_.mark(reduce ? "overlap-grad-reduce" : "overlap-param-gather"));
    if (reader_.flag("moe-fb-overlap") || reader_.flag("overlap-moe-expert-parallel-comm"))
      reader_.set("step.overlap", "two_micro_batches",
                  reader_.mark(reader_.flag("moe-fb-overlap") ? "moe-fb-overlap"
                                                              : "overlap-moe-expert-parallel-comm"));
    else if (reader_.flag("moe-alltoall-overlap-comm"))
      reader_.set("step.overlap", "within_one", reader_.mark("moe-alltoall-overlap-comm"));
    for (const char* name : {"use-ascend-mc2", "use-ascend-coc", "tp-comm-overlap"})
      if (reader_.flag(name)) reader_.set("step.tp_pipelined", "true", reader_.mark(name));
  }

  void read_optimizer() {
    read_flag("use-distributed-optimizer", "step.optimizer.sharded");
    read_flag("swap-optimizer", "step.optimizer.swapped");
    if (reader_.flag("reuse-fp32-param"))
      reader_.set("step.optimizer.reuses_weights", "true", reader_.mark("reuse-fp32-param"));
    if (reader_.flag("use-torch-fsdp2")) reader_.set("step.fsdp", "true", reader_.mark("use-torch-fsdp2"));
    if (reader_.flag("grad-reduce-in-bf16"))
      reader_.set("step.gradient_bytes", 2, reader_.mark("grad-reduce-in-bf16"));
  }

  LaunchReader& reader_;
};

}  // namespace

void read_megatron_step(LaunchReader& reader) { StepArguments(reader).read(); }

}  // namespace a3sim
