#include "sim/experiment/launch/launch_script.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>

#include "sim/core/config/foreign.h"
#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/experiment/config/foreign_file.h"
#include "sim/experiment/launch/shell.h"
#include "sim/experiment/step/step_sections.h"
#include "tests/scratch_directory.h"

namespace a3sim {
namespace {

using Catch::Matchers::Contains;

std::vector<std::string> words_of(std::string_view script) {
  Diagnostics diagnostics;
  const ShellScript read = read_shell(script, "x.sh", diagnostics);
  diagnostics.throw_if_any();
  std::vector<std::string> words;
  for (const ShellCommand& command : read.commands)
    for (const ShellWord& word : command.words) words.push_back(word.unknown.empty() ? word.text : "?");
  return words;
}

std::string error_of(std::string_view script) {
  try {
    static_cast<void>(words_of(script));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

using Words = std::vector<std::string>;

TEST_CASE("a shell's words are read as bash reads them") {
  // Each is what `bash -c 'set -- ...; printf "%s|" "$@"'` gives.
  CHECK(words_of("A=2\nB=\"--x $A \\\n  --y ${A}\"\nrun $B end") ==
        Words{"run", "--x", "2", "--y", "2", "end"});
  CHECK(words_of("A='a b'\nrun \"$A\" $A '$A' \\$A") == Words{"run", "a b", "a", "b", "$A", "$A"});
  CHECK(words_of("N=16 M=$((N*2 + 3%2)); run $(($N*$M)) $((-(1-4)))") == Words{"run", "528", "3"});
  CHECK(words_of("run ${X:-8} ${Y:=3} $Y ${Y:+set} ${Z-}") == Words{"run", "8", "3", "3", "set"});
  CHECK(words_of("A=(1 'two words' # a comment\n 3)\nA+=(4)\nrun \"${A[@]}\"") ==
        Words{"run", "1", "two words", "3", "4"});
  CHECK(words_of("G=\"--a\"\nG+=\" --b\"\nrun $G # not --c") == Words{"run", "--a", "--b"});
  CHECK(words_of("run a 2>&1 | tee x.log > y & echo b") == Words{"run", "a", "tee", "x.log", "echo", "b"});
  CHECK(words_of("cat <<EOF\n--num-layers 3\nEOF\nrun a") == Words{"cat", "run", "a"});
  CHECK(words_of("\xEF\xBB\xBFrun a \\\r\n  b\r\n") == Words{"run", "a", "b"});
  CHECK(words_of("run \"\" a#b") == Words{"run", "", "a#b"});
}

TEST_CASE("what only a run would tell is not known, and nothing is run") {
  CHECK(words_of("A=$(touch /tmp/never)\nrun $A `date` $1 $UNSET ${B%x}") ==
        Words{"run", "?", "?", "?", "?", "?"});
  CHECK(words_of("TP=1\nif [ $X = 1 ]; then\n  TP=2\nfi\nrun $TP") ==
        Words{"[", "?", "=", "1", "]", "run", "?"});
  CHECK(words_of("for TP in 1 2; do\n run $TP\ndone") == Words{"run", "?"});
}

TEST_CASE("a script that is wrong says where") {
  CHECK_THAT(error_of("A=1\nB='x\n"), Contains("x.sh:2:3") && Contains("a quote that does not end"));
  CHECK_THAT(error_of("A=$((1/0))"), Contains("a division by zero"));
  CHECK_THAT(error_of("A=$((9223372036854775807+1))"), Contains("beyond 64 bits"));
  CHECK_THAT(error_of("A=$((2*)"), Contains("ends"));
  CHECK_THAT(error_of(std::string("\xFF\xFE", 2) + "r"), Contains("expected a shell script in UTF-8"));
  std::string doubled = "A=0123456789\n";
  for (int i = 0; i < 40; ++i) doubled += "A=$A$A\n";
  CHECK_THAT(error_of(doubled + "run $A"), Contains("expand to more than 16 MiB"));
}

constexpr const char* kMoe = R"(#!/bin/bash
NPUS_PER_NODE=16
NNODES=4
TP=2
PP=4
EP=8
NUM_LAYERS=16
DISTRIBUTED_ARGS="--nproc_per_node $NPUS_PER_NODE --nnodes $NNODES"
MOE_ARGS="
    --num-experts 32 \
    --moe-router-topk 4 \
    --moe-ffn-hidden-size 512 \
    --n-shared-experts 2 \
    --first-k-dense-replace 2 \
    --moe-grouped-gemm \
    --expert-tensor-parallel-size 1
"
GPT_ARGS="
    --tensor-model-parallel-size ${TP} \
    --pipeline-model-parallel-size ${PP} \
    --expert-model-parallel-size ${EP} \
    --num-layers-per-virtual-pipeline-stage 2 \
    --sequence-parallel \
    --num-layers ${NUM_LAYERS} \
    --noop-layers 1,15 \
    --hidden-size 1024 \
    --ffn-hidden-size 2048 \
    --num-attention-heads 16 \
    --group-query-attention \
    --num-query-groups 4 \
    --kv-channels 128 \
    --seq-length 2048 \
    --micro-batch-size 1 \
    --global-batch-size 64 \
    --vocab-size 1001 \
    --make-vocab-size-divisible-by 100 \
    --swiglu \
    --use-fused-rmsnorm \
    --use-flash-attn \
    --mtp-num-layers 1 \
    --recompute-granularity full \
    --recompute-method block \
    --recompute-num-layers 1 \
    --use-distributed-optimizer \
    --overlap-grad-reduce \
    --moe-alltoall-overlap-comm \
    --tokenizer-type PretrainedFromHF \
    --swap-attention \
    --a-new-argument 7 \
    --bf16
"
torchrun $DISTRIBUTED_ARGS pretrain_gpt.py $GPT_ARGS $MOE_ARGS | tee logs/x.log
)";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// Values that a script gives, by key, with the line after them.
std::map<std::string, std::string> values_of(const std::string& text,
                                             const std::string& name = "pretrain.sh") {
  const ScratchDirectory folder;
  std::map<std::string, std::string> values;
  for (const ForeignValue& value : read_foreign(folder.add(name, text)).values)
    values[value.path] =
        value.open.empty() ? fmt::format("{} :{}", value.text, value.mark.line) : "open: " + value.open;
  return values;
}

Experiment loaded(const std::string& text, const std::vector<std::string>& set = {}) {
  const ScratchDirectory folder;
  return load_launch(folder.add("pretrain.sh", text), "", set);
}

TEST_CASE("a launch script gives the configuration that its arguments say, with their lines") {
  const auto values = values_of(kMoe);
  const std::map<std::string, std::string> expected{
      {"model.hidden", "1024 :26"},
      {"model.vocabulary", "1200 :35"},  // 1001 in whole hundreds for each of two dies
      {"model.attention.heads", "16 :28"},
      {"model.attention.kv_heads", "4 :30"},
      {"model.attention.head_dim", "128 :31"},
      {"model.experts", "32 :10"},
      {"model.top_k", "4 :11"},
      {"model.intermediate", "512 :12"},
      {"model.shared_intermediate", "1024 :13"},
      {"model.dense_intermediate", "2048 :27"},
      // Positions 1 and 15 of 16 are empty: one dense layer is left of two, and 13 with experts.
      {"model.layers", "[embedding, dense, 13 moe, mtp, head] :7"},
      {"model.dtype", "bf16 :50"},
      {"parallel.tp", "2 :4"},
      {"parallel.pp", "4 :5"},
      {"parallel.vpp", "2 :22"},
      {"parallel.ep", "8 :6"},
      {"parallel.dies", "64 :3"},
      {"step.schedule", "interleaved :22"},
      {"step.split", "Et|tt|tt|tt|tt|tt|tt|tmL :25"},
      {"step.sequence", "2048 :32"},
      {"step.micro_batch", "1 :33"},
      {"step.global_batch", "64 :34"},
      {"step.recompute", "[all] :41"},
      {"step.recompute_layers", "1 :43"},
      {"step.fuse", "[norm] :38"},
      {"step.dp_overlap", "reduce :45"},
      {"step.overlap", "within_one :46"},
      {"step.optimizer.sharded", "true :44"},
      {"model.tied", "true :0"},  // nothing unties them
  };
  for (const auto& [key, value] : expected) {
    INFO(key);
    REQUIRE(values.contains(key));
    CHECK(values.at(key) == value);
  }
}

TEST_CASE("a launch script runs as the configuration written by hand does") {
  const Experiment script = loaded(kMoe);
  const Experiment hand =
      parse_experiment(R"(include: [../steps/launch_script.yaml]
experiment: {name: hand}
model:
  hidden: 1024
  vocabulary: 1200
  tied: true
  attention: {heads: 16, kv_heads: 4, head_dim: 128}
  experts: 32
  top_k: 4
  intermediate: 512
  shared_intermediate: 1024
  dense_intermediate: 2048
  layers: [embedding, dense, 13 moe, mtp, head]
parallel: {tp: 2, pp: 4, vpp: 2, dp: 8, ep: 8}
step:
  sequence: 2048
  global_batch: 64
  schedule: interleaved
  split: Et|tt|tt|tt|tt|tt|tt|tmL
  recompute: [all]
  recompute_layers: 1
  fuse: [norm]
  dp_overlap: reduce
  overlap: within_one
)",
                       std::string(A3SIM_SOURCE_DIR) + "/configs/experiments/hand.yaml", {});
  const SimulatedStep a = simulate_step(script), b = simulate_step(hand);
  CHECK(a.figures.time == b.figures.time);
  CHECK(a.figures.peak_memory == b.figures.peak_memory);
}

TEST_CASE("every argument of a script is used, does not matter, or is named") {
  Diagnostics diagnostics;
  const LaunchScript script = read_launch_script(kMoe, {"pretrain.sh", 1, 1}, diagnostics);
  const auto fate_of = [&](std::string_view name) {
    for (const LaunchArgument& argument : script.arguments)
      if (argument.name == name) return argument.fate;
    return ArgumentFate::kUnknown;
  };
  CHECK(fate_of("--hidden-size") == ArgumentFate::kUsed);
  CHECK(fate_of("--tokenizer-type") == ArgumentFate::kDoesNotMatter);
  CHECK(fate_of("--swap-attention") == ArgumentFate::kNotModelled);
  const std::vector<std::string> left_out = loaded(kMoe).not_modelled;
  REQUIRE(left_out.size() == 2);
  CHECK_THAT(left_out[0], Contains("--swap-attention (line 48)"));
  CHECK(left_out[1] == "--a-new-argument 7 (line 49): not known here");
}

TEST_CASE("what a script leaves open, or what cannot be simulated, is refused with what would decide it") {
  const auto refusal = [](std::string text, const std::vector<std::string>& set) {
    try {
      loaded(text, set);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  // Experts' weights are split over TP unless the script says otherwise.
  const std::string split = replaced(kMoe, "--expert-tensor-parallel-size 1", "--norm-topk-prob");
  CHECK(values_of(split).at("parallel.ep") == "8 :6");
  CHECK(values_of(split).at("parallel.etp") == "2 :4");
  CHECK(values_of(replaced(split, "--norm-topk-prob", "--moe-tp-extend-ep")).at("parallel.ep") == "16 :6");
  const std::string hybrid =
      replaced(kMoe, "--swiglu", "--swiglu --context-parallel-size 2 --context-parallel-algo hybrid_cp_algo");
  CHECK_THAT(refusal(hybrid, {}), Contains("hybrid_cp_algo") && Contains("--set step.cp_exchange"));
  CHECK(refusal(hybrid, {"step.cp_exchange=ring", "parallel.ep=8"}).empty());
  CHECK_THAT(refusal(replaced(kMoe, "TP=2", "TP=$(nproc)"), {}), Contains("a command, which is not run"));
  CHECK_THAT(refusal(replaced(kMoe, "--bf16", "--bf16 --fp4-format e2m1"), {}),
             Contains("--set model.dtype=bf16"));
  // A3 has no FP8.
  const std::string fp8 = replaced(kMoe, "--bf16", "--bf16 --fp8-format hybrid");
  CHECK(values_of(fp8).at("step.fp8").starts_with("delayed :"));
  CHECK(values_of(replaced(fp8, "hybrid", "e4m3 --fp8-recipe mxfp8"))
            .at("step.fp8")
            .starts_with("blockwise :"));
  CHECK_THAT(refusal(fp8, {}), Contains("pretrain.sh:") && Contains("does not multiply in FP8"));
  CHECK(refusal(fp8, {"step.fp8=none"}).empty());
  CHECK_THAT(refusal(replaced(fp8, "hybrid", "e4m3 --fp8-recipe own"), {}),
             Contains("--set step.fp8=blockwise"));
  CHECK_THAT(refusal(replaced(kMoe, "--hidden-size 1024", "--hidden-size 1k"), {}),
             Contains("pretrain.sh:26:19") && !Contains("missing") &&
                 Contains("--hidden-size: '1k', expected a whole number"));
  CHECK_THAT(refusal(replaced(kMoe, "--noop-layers 1,15", "--noop-layers 1,16"), {}),
             Contains("from 0 to 15"));
  CHECK_THAT(refusal(replaced(kMoe, "NUM_LAYERS=16", "NUM_LAYERS=17"), {}), Contains("no multiple"));
  const std::string linear = replaced(kMoe, "--swiglu", "--swiglu --full-attention-interval 4");
  CHECK_THAT(refusal(linear, {}), Contains("--set model.layers='[embedding, dense, 13 moe, mtp, head]'"));
  CHECK(refusal(linear, {"model.layers=[embedding, dense, 13 moe, mtp, head]"}).empty());
  CHECK_THAT(refusal("echo nothing\n", {}), Contains("no command of the script trains a model"));
  CHECK_THAT(refusal(replaced(kMoe, "--global-batch-size 64", "--global-batch-size 60"), {}),
             Contains("pretrain.sh:34:25") && Contains("expected a multiple of 8"));
}

TEST_CASE("what experts take at most, and whether they are filled up, is as the script says") {
  const auto with = [](const std::string& more) { return replaced(kMoe, "--swiglu", "--swiglu " + more); };
  const std::string factor = "--moe-expert-capacity-factor 1.5", pad = " --moe-pad-expert-input-to-capacity";
  const auto values = values_of(with(factor + pad + " --moe-token-drop-policy probs"));
  CHECK(values.at("step.expert_capacity").starts_with("1.5 :"));
  CHECK(values.at("step.pad_experts").starts_with("true :"));
  CHECK(values_of(with(factor)).count("step.pad_experts") == 0);
  CHECK(values_of(with("--moe-expert-capacity-factor -1")).count("step.expert_capacity") == 0);
  CHECK_THROWS_WITH(loaded(with(pad)), Contains("without --moe-expert-capacity-factor"));
  CHECK_THROWS_WITH(loaded(with("--moe-expert-capacity-factor nan")), Contains("expected a number above 0"));
  // Experts that are filled up work on half as many rows again; at balanced routing a limit alone changes nothing.
  const Duration plain = simulate_step(loaded(kMoe)).figures.time;
  CHECK(simulate_step(loaded(with(factor))).figures.time == plain);
  CHECK(simulate_step(loaded(with(factor + pad))).figures.time > plain);
}

TEST_CASE("layers of a config.json that the script's list does not have are said, with those that run") {
  const ScratchDirectory folder;
  const std::filesystem::path script = folder.add("pretrain.sh", kMoe);
  const std::string sizes = R"("model_type": "x", "hidden_size": 1024, "num_hidden_layers": 4,
    "num_attention_heads": 16, "num_key_value_heads": 4, "head_dim": 128, "vocab_size": 1200, "num_experts": 32,
    "num_experts_per_tok": 4, "moe_intermediate_size": 512, "hidden_act": "silu")";
  const auto said = [&](const std::string& more, const std::vector<std::string>& set) {
    const Experiment experiment =
        load_launch(script, folder.add("config.json", "{" + sizes + more + "}"), set);
    const std::vector<std::string>& all = training_plan_of(experiment).step.not_modelled;
    return all.empty() ? std::string() : all.back();
  };
  const std::string linear =
      R"(, "layer_types": ["linear_attention", "linear_attention", "linear_attention", "full_attention"])";
  CHECK_THAT(said(linear, {}), Contains("config.json: layer_types") && Contains("linear_attention") &&
                                   Contains("[embedding, dense, 13 moe, mtp, head]"));
  CHECK_THAT(said(linear, {"model.layers=[embedding, dense, 13 moe, mtp, head]"}), !Contains("config.json"));
  CHECK_THAT(said("", {}), !Contains("config.json"));
}

TEST_CASE("pipelines are dealt as the script's arguments say") {
  const auto split = [](std::string_view from, std::string_view to) {
    const auto values = values_of(
        replaced(replaced(kMoe, "--num-layers-per-virtual-pipeline-stage 2", "--log-interval 1"), from, to));
    return values.at("step.split").substr(0, values.at("step.split").find(' '));
  };
  CHECK(split("--swiglu", "--swiglu") == "Ettt|tttt|tttt|tttmL");
  CHECK(split("--swiglu", "--swiglu --num-layer-list 3,5,5,3") == "Ett|ttttt|ttttt|ttmL");
  CHECK(split("--swiglu", "--swiglu --schedules-method dualpipev") == "Et|tt|tt|tt|tt|tt|tt|tmL");
  CHECK(split("--swiglu",
              "--swiglu --decoder-first-pipeline-num-layers 2 --decoder-last-pipeline-num-layers 4") ==
        "Et|ttttt|ttttt|tttmL");
  CHECK(
      split(
          "--noop-layers 1,15",
          "--num-layers 14 --account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split") ==
      "Ettt|tttt|tttt|tttmL");
}

TEST_CASE("layers have experts by a frequency or a list") {
  const auto layers = [](const std::string& by) {
    return values_of(replaced(kMoe, "--first-k-dense-replace 2", by)).at("model.layers");
  };
  CHECK_THAT(layers("--moe-layer-freq -1 --first-k-dense-replace -1"),
             Contains("[embedding, 14 moe, mtp, head]"));
  // Even positions have experts; 1 and 15 are empty.
  CHECK_THAT(layers("--moe-layer-freq 2"),
             Contains("[embedding, moe, moe, dense, moe") || Contains("[embedding, 2 moe, dense, moe"));
  CHECK_THAT(layers("--moe-layer-freq '([0]*4+[1]*12)'"),
             Contains("[embedding, 3 dense, 11 moe, mtp, head]"));
}

TEST_CASE("layers of a chunk that are not computed again keep their activations, and take less time") {
  const auto step = [](const char* layers) {
    return simulate_step(loaded(kMoe, {std::string("step.recompute_layers=") + layers})).figures;
  };
  const StepFigures one = step("1"), two = step("2"), all = step("0");
  CHECK(one.time < two.time);
  CHECK(one.peak_memory > two.peak_memory);
  CHECK(two.time <= all.time);  // `all` computes the MTP block again, too
}

TEST_CASE("shipped examples of launch scripts run") {
  const std::filesystem::path folder = std::filesystem::path(A3SIM_SOURCE_DIR) / "configs" / "launch";
  CHECK(load_launch(folder / "moe_small_a3.sh", "", {}).not_modelled.size() == 1);
  const Experiment fsdp = load_launch(folder / "fsdp2.yaml", folder / "qwen3_moe_small.json",
                                      std::vector<std::string>{"parallel.dies=16", "step.global_batch=64"});
  const StepOptions& step = training_plan_of(fsdp).step;
  CHECK((step.fsdp && step.recompute_all && step.dp == 16 && step.ep == 8 && step.reduce_bytes == 2 &&
         step.sequence == 4096));
  CHECK_THROWS_WITH(
      load_launch(folder / "fsdp2.yaml", "", std::vector<std::string>{"parallel.dies=16"}),
      Contains("--hf config.json") && Contains("--set step.global_batch=N") && !Contains("parallel.dies"));
}

}  // namespace
}  // namespace a3sim
