#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/experiment/run/run_estimate.h"
#include "sim/experiment/work.h"
#include "tests/inference/decode_step.h"

namespace a3sim {
namespace {

using Catch::Contains;

TEST_CASE(
    "A step takes longer with more requests, longer contexts and more drafts, and a token less with more "
    "accepted") {
  CHECK(time_of_step({"inference.batch=8"}) < time_of_step({"inference.batch=32"}));
  CHECK(time_of_step({"inference.context=2048"}) < time_of_step({"inference.context=16384"}));
  CHECK(time_of_step({"inference.drafts=1"}) < time_of_step({"inference.drafts=2"}));
  CHECK(time_of_step({"inference.longest=1"}) < time_of_step({"inference.longest=2"}));
  CHECK(time_of_step({"parallel.ep=64"}) < time_of_step({"parallel.ep=16"}));
}

TEST_CASE("Types of fewer bytes make the step shorter, and 4 bits halve what experts read") {
  const Duration bf16 = time_of_step({"inference.weights=bf16"}), int8 = time_of_step({});
  CHECK(int8 < bf16);
  const RanStep w8 = ran(decode_of()), w4 = ran(decode_of({"inference.experts=w4a8"}));
  CHECK(w4.kernel("GroupedGateUp").weights == Approx(w8.kernel("GroupedGateUp").weights / 2));
  CHECK(w4.each("GroupedGateUp") < w8.each("GroupedGateUp"));
  CHECK(w4.prepared.memory.experts == Approx(w8.prepared.memory.experts / 2));
}

TEST_CASE(
    "Half of the cores load weights at half of their cores' rate, and never take more than twice as long") {
  const RanStep all = ran(decode_of()), half = ran(decode_of({"inference.core_share=0.5"}));
  for (const char* const kernel : {"MlaProlog", "Output", "SharedGateUp", "GroupedSwiglu"}) {
    INFO(kernel);
    CHECK(half.each(kernel) > all.each(kernel));
    CHECK(half.each(kernel) <= 2 * all.each(kernel));
  }
  // 24 cores wait for 1.41 TB/s of the HBM together; 12 load 41.52 bytes per cycle each.
  const double slower = (1.542e12 * 0.914) / (12 * 41.52 * 1.85e9);
  const double longer = seconds(half.each("GroupedGateUp")) / seconds(all.each("GroupedGateUp"));
  CHECK(longer > 0.97 * slower);
  CHECK(longer < 1.1 * slower);  // each round of blocks loads the rows again, too
}

TEST_CASE("A few more cores make attention no longer than what splitting its keys costs") {
  const auto attention_on = [](const std::string& cores) {
    return ran(decode_of({"hardware.workers.cube.count=" + cores, "workers.aic=" + cores}))
        .each("FlashAttention");
  };
  const Duration before = attention_on("24");
  for (const char* const cores : {"25", "26", "27", "28"}) {
    INFO(cores);
    CHECK(seconds(attention_on(cores)) < 1.02 * seconds(before));
  }
  for (const char* const cores : {"32", "36", "48"}) CHECK(attention_on(cores) <= before);
}

TEST_CASE("Sparse attention reads the keys that it chooses, and its indexer all of them") {
  const char* const file = "decode_deepseek_v3_2.yaml";
  const RanStep near = ran(decode_of({"inference.context=32768"}, file)),
                far = ran(decode_of({"inference.context=65536"}, file));
  CHECK(near.each("SparseAttention") == far.each("SparseAttention"));
  CHECK(far.kernel("Indexer").cache == Approx(2 * near.kernel("Indexer").cache));
  CHECK(far.each("Indexer") > near.each("Indexer"));
  // As many keys as it would choose: all of them, in their order.
  const RanStep few = ran(decode_of({"inference.context=2048"}, file));
  CHECK(few.kernel("FlashAttention").runs > 0);
}

TEST_CASE("A faster host collective makes no prefill longer, and none shorter once the ports are full") {
  const auto at = [](const std::string& rate) {
    return time_of_step({"inference.batch=1", "inference.context=1024", "program.collective.rate=" + rate},
                        "prefill_deepseek_v3.yaml");
  };
  const Duration paced = at("105 GB/s"), near = at("122 GB/s"), full = at("130 GB/s");
  CHECK(near < paced);
  CHECK(full < near);  // 122.5 of a port's egress, which a package's two dies do not need between them
  CHECK(at("200 GB/s") == full);
  CHECK(at("100000 GB/s") == full);
}

TEST_CASE("A run is foreseen to take longer with more rows, and with a rank of its own for each die") {
  const auto seconds_of = [](std::vector<std::string> set) {
    set.emplace_back("inference.over_capacity=true");
    const Experiment prefill =
        load_experiment(configs_folder() / "experiments" / "prefill_deepseek_v3.yaml", set);
    return prefill.work->estimate(prefill, false).seconds;
  };
  const double few = seconds_of({"inference.batch=1"}), many = seconds_of({"inference.batch=4"});
  CHECK(many > 3 * few);
  CHECK(seconds_of({"inference.batch=1", "routing.kind=sampled"}) > 3 * few);
}

TEST_CASE("Micro-batches hide a prefill's exchanges behind one another's products") {
  const char* const file = "prefill_deepseek_v3.yaml";
  const Duration one = time_of_step({}, file), two = time_of_step({"inference.micro_batches=2"}, file);
  CHECK(two < one);
  const RanStep step = ran(decode_of({}, file));
  CHECK(one - two <= at(step.figures.classes, TimeClass::kEp) + at(step.figures.classes, TimeClass::kVector));
}

TEST_CASE("Ranks without requests leave fewer tokens, and empty ones fewer rows for experts") {
  const RanStep all = ran(decode_of()), padded = ran(decode_of({"inference.idle=16"})),
                empty = ran(decode_of({"inference.idle=16", "inference.padded=false"}));
  CHECK(padded.figures.time == all.figures.time);
  CHECK(padded.figures.tokens_a_die == Approx(all.figures.tokens_a_die / 2));
  CHECK(empty.figures.time < padded.figures.time);
}

TEST_CASE("Dies of attention and dies of experts work in turn on one batch, and beside one another on two") {
  const std::vector<std::string> apart{"inference.attention_dies=32", "parallel.ep=64", "inference.batch=32",
                                       "inference.context=32768"};
  const Experiment experiment = decode_of(apart);
  const PreparedInference prepared = prepare_inference(experiment);
  CHECK(prepared.written.program.ranks == 2);
  const RanStep one = ran(experiment);
  CHECK(at(one.figures.classes, TimeClass::kBubble) >=
        one.kernel("GroupedGateUp").time + one.kernel("GroupedDown").time);
  std::vector<std::string> ring = apart;
  ring.emplace_back("inference.micro_batches=2");
  CHECK(at(ran(decode_of(ring)).figures.classes, TimeClass::kBubble) <
        at(one.figures.classes, TimeClass::kBubble));
}

TEST_CASE("A step of inference says what does not fit") {
  const auto why = [](const std::vector<std::string>& set) {
    std::vector<std::string> all{"inference.over_capacity=false"};
    all.insert(all.end(), set.begin(), set.end());
    try {
      static_cast<void>(decode_of(all));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(why({"inference.batch=400"}), Contains("inference.batch=") && Contains("fits"));
  CHECK_THAT(why({"parallel.ep=24"}), Contains("256 experts on 24 dies"));
  CHECK_THAT(why({"parallel.tp=3"}), Contains("expected a divisor"));
  CHECK_THAT(why({"inference.accepted=0.5"}), Contains("of 0 drafts"));
  CHECK_THAT(why({"inference.micro_batches=8", "inference.batch=4"}), Contains("parts of 4 requests"));
  CHECK_THAT(why({"inference.weights=w4a8"}), Contains("routed experts"));
  CHECK_THAT(why({"inference.idle=32"}), Contains("expected fewer"));
}

}  // namespace
}  // namespace a3sim
