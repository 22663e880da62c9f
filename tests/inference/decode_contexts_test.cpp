#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "tests/inference/decode_step.h"

// Requests with caches of unlike lengths.
namespace a3sim {
namespace {

using Catch::Contains;

constexpr double kContextLayers = 61, kKeyBytes = 2 * (512 + 64), kContextBatch = 24;

double cache_of(const RanStep& step, const char* kernel) { return step.kernel(kernel).cache; }

TEST_CASE("As many tokens in all caches take as long whether they are stated once or for each request") {
  const Duration once = time_of_step({"inference.context=6000"}),
                 each = time_of_step({"inference.contexts=[6000, 6000, 6000]"});
  CHECK(seconds(each) == Approx(seconds(once)).epsilon(0.01));
}

TEST_CASE("Attention reads the keys of each request, long or short") {
  const RanStep step = ran(decode_of({"inference.contexts=[1024, 8192]"}));
  CHECK(cache_of(step, "FlashAttention") ==
        Approx(kContextLayers * kKeyBytes * kContextBatch * (1024 + 8192) / 2));
  CHECK(step.prepared.plan.options.context == (1024 + 8192) / 2);
  CHECK(step.prepared.plan.options.longest == Approx(1));
}

TEST_CASE("A step waits for the rank with most tokens in its cache") {
  std::string lengths;  // of 32 ranks with one request each, one has eight times as many
  for (int rank = 0; rank < 32; ++rank) lengths += rank == 7 ? "32768, " : "4096, ";
  const std::vector<std::string> set{"inference.batch=1", "inference.contexts=[" + lengths + "]"};
  const RanStep unlike = ran(decode_of(set)),
                longest = ran(decode_of({"inference.batch=1", "inference.context=32768"}));
  CHECK(seconds(unlike.figures.time) == Approx(seconds(longest.figures.time)).epsilon(0.01));
  CHECK(unlike.prepared.plan.options.longest == Approx(8 / (1 + 7.0 / 32)).epsilon(0.001));
}

TEST_CASE("Sparse attention chooses from long caches and takes short ones whole") {
  const RanStep step = ran(decode_of({"inference.contexts=[1000, 131072]"}, "decode_deepseek_v3_2.yaml"));
  constexpr double kChosen = 2048, kIndexBytes = 128;
  CHECK(cache_of(step, "SparseAttention") == Approx(kContextLayers * kKeyBytes * (1000 + kChosen)));
  CHECK(cache_of(step, "Indexer") == Approx(kContextLayers * kIndexBytes * (1000 + 131072)));
  // Each core chooses for one token: the long cache's alone sets the time.
  const RanStep long_alone =
      ran(decode_of({"inference.batch=1", "inference.context=131072"}, "decode_deepseek_v3_2.yaml"));
  CHECK(seconds(step.each("Indexer")) == Approx(seconds(long_alone.each("Indexer"))).epsilon(0.05));
}

TEST_CASE("Drawn lengths have the mean that is stated, spread as stated, and are the same for a seed") {
  const auto options = [](const std::vector<std::string>& set) {
    return inference_plan_of(decode_of(set)).options;
  };
  const InferenceOptions drawn = options({"inference.context_sigma=1"});
  CHECK(static_cast<double>(drawn.context) == Approx(4096).epsilon(0.1));
  CHECK(drawn.longest > 1.1);
  CHECK(drawn.lengths.front() > 4 * drawn.lengths.back());
  CHECK(drawn.lengths == options({"inference.context_sigma=1"}).lengths);
  CHECK(drawn.lengths != options({"inference.context_sigma=1", "inference.context_seed=2"}).lengths);
  CHECK(time_of_step({"inference.context_sigma=1"}) > time_of_step({}));
  CHECK_THROWS_WITH(decode_of({"inference.contexts=[0]"}), Contains("tokens of a request"));
  CHECK_THROWS_WITH(decode_of({"inference.contexts=[512]", "inference.longest=2"}), Contains("either"));
}

}  // namespace
}  // namespace a3sim
