#include <catch2/catch.hpp>

#include "tests/inference/decode_step.h"

// A step of decode of DeepSeek-V3, counted by hand.
namespace a3sim {
namespace {

constexpr double kLayers = 61, kDense = 3, kRouted = 58, kHidden = 7168, kHeads = 128;
constexpr double kQueryRank = 1536, kKeyRank = 512, kRotated = 64, kNope = 128, kValueWidth = 128;
constexpr double kExperts = 256, kExpertWidth = 2048, kDenseWidth = 18432, kVocabulary = 129280;
constexpr double kInt8 = 1, kBf16 = 2, kFp32 = 4, kDies = 32, kBatch = 24, kContext = 4096;

double all_of(const RanStep& step, double KernelAccount::* bytes) {
  double sum = 0;
  for (const KernelAccount& kernel : step.figures.kernels) sum += kernel.*bytes;
  return sum;
}

TEST_CASE(
    "A step of decode reads each weight once: attention, dense networks, shared and routed experts, router "
    "and head") {
  const RanStep step = ran(decode_of());
  const double attention =
      kInt8 * (kHidden * (kQueryRank + kKeyRank + kRotated) + kQueryRank * kHeads * (kNope + kRotated) +
               kHeads * kValueWidth * kHidden) +
      kBf16 * kKeyRank * kHeads * (kNope + kValueWidth);
  const double expert = kInt8 * 3 * kHidden * kExpertWidth, dense = kInt8 * 3 * kHidden * kDenseWidth;
  const double head = kBf16 * kHidden * kVocabulary, router = kFp32 * kHidden * kExperts;
  const double weights =
      kLayers * attention + kDense * dense + kRouted * (expert * (1 + kExperts / kDies) + router) + head;
  CHECK(all_of(step, &KernelAccount::weights) == Approx(weights));
  // The memory also holds the embedding, and the layer that predicts further tokens only if it is used.
  CHECK(step.prepared.memory.weights() == Approx(weights + head));
  // They come from the HBM at 1.41 TB/s at most.
  CHECK(seconds(step.figures.time) > weights / 1.41e12);
}

TEST_CASE("A step of decode reads the compressed keys of all requests once per layer, in its type") {
  const double cache = kLayers * kBatch * kContext * (kKeyRank + kRotated);
  const RanStep step = ran(decode_of());
  CHECK(all_of(step, &KernelAccount::cache) == Approx(kBf16 * cache));
  CHECK(all_of(ran(decode_of({"inference.cache=int8"})), &KernelAccount::cache) == Approx(cache));
  CHECK(cache_of_token(step.prepared.plan) == Approx(kBf16 * kLayers * (kKeyRank + kRotated)));
}

TEST_CASE(
    "Products that stream their weights take the bytes over the rate at which cubes load them, and a head") {
  // GMM1: eight experts of 2 x 2048 x 7168, in 8 bits.
  const RanStep step = ran(decode_of());
  const double weights = kExperts / kDies * 2 * kHidden * kExpertWidth, rate = 1.542e12 * 0.914;
  const double alone = weights / rate + 3.1e-6;
  CHECK(seconds(step.each("GroupedGateUp")) == Approx(alone).epsilon(0.05));
  CHECK(seconds(step.each("GroupedGateUp")) > alone);
}

TEST_CASE("A half of the cores takes as much longer for MLA's projections as was measured on A3") {
  // LongCat-Flash's decode, taken out of the net: 45.2 us on 24 AIC and 48 AIV, 68.1 us on half of them (hicann/cann-recipes-infer).
  const std::vector<std::string> alone{"model.layers=[embedding, 28 dense, head]", "inference.batch=12"};
  const RanStep all = ran(decode_of(alone, "decode_longcat_flash.yaml"));
  std::vector<std::string> shared = alone;
  shared.emplace_back("inference.core_share=0.5");
  const RanStep half = ran(decode_of(shared, "decode_longcat_flash.yaml"));
  CHECK(microseconds(all.each("MlaProlog")) == Approx(45.2).epsilon(0.05));
  CHECK(microseconds(half.each("MlaProlog")) == Approx(68.1).epsilon(0.12));
}

TEST_CASE("The gap between kernels of a graph is paid once per kernel") {
  const RanStep before = ran(decode_of({"inference.launch.gap=1 us"})),
                after = ran(decode_of({"inference.launch.gap=3 us"}));
  const auto kernels = static_cast<std::int64_t>(before.figures.launches);
  CHECK(after.figures.time - before.figures.time == 2_us * kernels);
}

TEST_CASE("A host that is slower than all kernels paces the step") {
  const RanStep step = ran(decode_of({"inference.launched=eager", "inference.launch.host=3 ms"}));
  const auto kernels = static_cast<std::int64_t>(step.figures.launches);
  CHECK(step.figures.time > 3000_us * kernels);
  CHECK(step.figures.time < 3000_us * (kernels + 1));
  CHECK(at(step.figures.classes, TimeClass::kHost) > 9 * step.figures.time / 10);
}

TEST_CASE("Time per output token is the step over one and the accepted drafts") {
  const RanStep step = ran(decode_of({"inference.drafts=3", "inference.accepted=1.44"}));
  CHECK(seconds(step.figures.token) == Approx(seconds(step.figures.time) / 2.44));
  CHECK(step.figures.tokens_a_die == Approx(kBatch * 2.44 / seconds(step.figures.time)));
  CHECK(sum_of(step.figures.classes) == step.figures.time);
}

TEST_CASE("The largest batch fits, and one more does not") {
  InferencePlan plan = inference_plan_of(decode_of());
  plan.options.batch = largest_batch(plan);
  REQUIRE(plan.options.batch > kBatch);
  CHECK(over_inference_capacity(plan).empty());
  ++plan.options.batch;
  CHECK_FALSE(over_inference_capacity(plan).empty());
}

TEST_CASE(
    "Without links, exchanges cost what their kernels cost, and the step is shorter by no more than they "
    "took") {
  const RanStep usual = ran(decode_of());
  const RanStep free = ran(decode_of(
      {"hardware.fabric.planes.hccs.egress=100 TB/s", "hardware.fabric.planes.hccs.ingress=100 TB/s",
       "hardware.fabric.planes.sio.egress=100 TB/s", "hardware.fabric.planes.sio.ingress=100 TB/s"}));
  CHECK(free.figures.time <= usual.figures.time);
  CHECK(usual.figures.time - free.figures.time <= at(usual.figures.classes, TimeClass::kEp));
  CHECK(free.each("Output") == usual.each("Output"));
}

}  // namespace
}  // namespace a3sim
