#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "tests/step/run_text.h"

namespace a3sim {
namespace {

Ran offloaded(const std::string& part, const std::string& link, const std::vector<std::string>& more = {}) {
  std::vector<std::string> set = {"step.global_batch=4", "step.offload=" + part, "step.host.link=" + link};
  set.insert(set.end(), more.begin(), more.end());
  return run_text(kDense, set);
}

double most_of(const Ran& ran, std::uint32_t stage = 0) {
  double most = 0;
  for (const auto& [time, bytes] : activations_of(ran.run.written, ran.run.result, stage))
    most = std::max(most, bytes);
  return most;
}

double kept_of(const Ran& ran) {
  double kept = 0;
  for (const std::uint32_t b : ran.prepared.layout.blocks_of(0)) kept += ran.prepared.blocks[b].kept;
  return kept;
}

double kept_by_layer(const Ran& ran) {
  const std::vector<BlockTimes>& blocks = ran.prepared.blocks;
  return std::ranges::find(blocks, "dense", &BlockTimes::kind)->kept;
}
double kept_by_layers(const Ran& ran) { return 8 * kept_by_layer(ran); }

// The time in which a link to the host moves bytes one way.
double moving(const Ran& ran, const std::string& name) {
  double time = 0;
  for (const StreamTask& task : ran.run.written.program.tasks)
    if (task.name == name) time += seconds(task.hold);
  return time;
}

}  // namespace

TEST_CASE("activations in the host's memory go there and come back once per micro-batch") {
  const Ran half = offloaded("0.5", "100 GB/s");
  const double bytes = 4 * 0.5 * kept_by_layers(half);
  CHECK(moving(half, "SwapOut") == Approx(bytes / 100e9).epsilon(1e-6));
  CHECK(moving(half, "SwapIn_bwd") == Approx(bytes / 100e9).epsilon(1e-6));
}

TEST_CASE("over a fast link the step is as long, and a die holds the rest and two blocks") {
  const Ran none = offloaded("0", "100 TB/s"), all = offloaded("1", "100 TB/s");
  CHECK(seconds(all.run.result.makespan) == Approx(seconds(none.run.result.makespan)).epsilon(0.01));
  CHECK(most_of(none) == Approx(kept_of(none)));
  const double others = kept_of(all) - kept_by_layers(all);  // of embedding and head, which stay
  CHECK(most_of(all) <= others + 2 * kept_by_layer(all));
  CHECK(most_of(all) <= all.prepared.memory[0].activations);
  const Ran half = offloaded("0.5", "100 TB/s");
  CHECK(most_of(half) >= kept_of(half) / 2);
  CHECK(most_of(half) <= others + kept_by_layers(half) / 2 + kept_by_layer(half));
}

TEST_CASE("the logits of a head, which are needed at once, do not wait for the host") {
  // A layer's activations take a quarter of its forward pass to go or come, and the logits would take several passes.
  const std::vector<std::string> set = {"model.vocabulary=131072"};
  const Ran none = offloaded("0", "100 GB/s", set);
  const BlockTimes& layer = *std::ranges::find(none.prepared.blocks, "dense", &BlockTimes::kind);
  Duration forward{};
  for (const PartWork& part : layer.forward) forward += part.alone();
  const auto link = static_cast<std::int64_t>(4 * layer.kept / seconds(forward));
  const Ran all = offloaded("1", std::to_string(link) + " B/s", set);
  CHECK(seconds(all.run.result.makespan) == Approx(seconds(none.run.result.makespan)).epsilon(0.005));
}

TEST_CASE("over a slow link the step takes the time of its bytes") {
  const Ran all = offloaded("1", "1 GB/s");
  // Of each micro-batch what leaves is on its way before it may come back.
  const double bytes = kept_by_layers(all);
  CHECK(seconds(all.run.result.makespan) >= 4 * bytes / 1e9);
  CHECK(seconds(all.run.result.makespan) <= 8 * bytes / 1e9 * 1.2);
}

TEST_CASE(
    "activations come back in a pipeline, beside another micro-batch, and apart from weight gradients") {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"parallel.pp=2", "step.global_batch=8"},
        {"parallel.pp=2", "parallel.vpp=2", "step.schedule=dualpipev", "step.global_batch=8",
         "step.split_weights=true"},
        {"parallel.pp=2", "step.schedule=zb_h1", "step.global_batch=8"}}) {
    const Ran ran = offloaded("0.7", "25 GB/s", more);
    for (std::uint32_t s = 0; s < 2; ++s) {
      const ActivationCurve curve = activations_of(ran.run.written, ran.run.result, s);
      CHECK(curve.back().second == Approx(0).margin(1));
      CHECK(std::ranges::all_of(curve, [](const auto& point) { return point.second > -1; }));
    }
  }
  CHECK_THROWS_WITH(run_text(kDense, {"step.offload=0.5"}), Catch::Contains("step.host.link"));
  CHECK_THROWS_WITH(run_text(kDense, {"step.offload=1.5"}), Catch::Contains("step.offload"));
}

TEST_CASE(
    "what comes back for activation gradients is foreseen to stay until weight gradients are computed") {
  for (const char* const schedule : {"1f1b", "zb_h1", "zb_v", "dualpipev", "dualpipe"}) {
    CAPTURE(schedule);
    const std::string_view name = schedule;
    const bool v = name == "zb_v" || name == "dualpipev";
    const Ran ran = run_text(kDense, {"parallel.pp=4", v ? "parallel.vpp=2" : "parallel.vpp=1",
                                      "step.global_batch=16", "step.offload=0.75", "step.host.link=100 TB/s",
                                      "step.split_weights=true", std::string("step.schedule=") + schedule});
    for (std::uint32_t s = 0; s < 4; ++s) {
      double most = 0;
      for (const auto& [time, bytes] : activations_of(ran.run.written, ran.run.result, s))
        most = std::max(most, bytes);
      const double foreseen = ran.prepared.memory[s].activations;
      CHECK(most <= foreseen * 1.0001);
      CHECK(most >= foreseen * 0.8);  // what comes ahead may find that what was before it is gone
    }
  }
}

TEST_CASE("documents of equal lengths are equal documents, and attention meets pairs within each") {
  const auto with = [](const std::string& set) { return run_text(kDense, {"step.global_batch=2", set}); };
  const Ran equal = with("step.documents=4"), listed = with("step.document_lengths=[256, 256, 256, 256]"),
            uneven = with("step.document_lengths=[640, 128, 128, 128]"), one = with("step.documents=1");
  CHECK(equal.run.result.makespan == listed.run.result.makespan);
  CHECK(equal.prepared.blocks[1].model_flops == Approx(listed.prepared.blocks[1].model_flops));
  // Of a layer: forward and twice that backward, causal, 2 operations for each of two products of 64 columns a head.
  const double pairs = 640.0 * 640 + 3.0 * 128 * 128;
  const auto attention = [&](const Ran& ran) { return ran.prepared.blocks[1].model_flops; };
  CHECK(attention(uneven) - attention(equal) ==
        Approx(3.0 * 16 * (64 + 64) * (pairs - 4.0 * 256 * 256) / 1024).epsilon(1e-6));
  CHECK(uneven.run.result.makespan > equal.run.result.makespan);
  CHECK(uneven.run.result.makespan < one.run.result.makespan);
  CHECK_THROWS_WITH(with("step.document_lengths=[1000]"), Catch::Contains("1024 (step.sequence)"));
  CHECK_THROWS_WITH(with("step.document_lengths=[x]"), Catch::Contains("numbers of tokens"));
}

}  // namespace a3sim
