#include "models/config/model_config.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/error.h"
#include "tests/scratch_directory.h"

namespace a3sim {
namespace {

using Catch::Contains;

struct Model {
  Parallel parallel;
  MoeShape shape;
  RoutingSpec routing;
};

Model read(const Config& root, const Diagnostics& diagnostics) {
  Model model;
  model.parallel = read_parallel(root.map("parallel"));
  model.shape = read_shape(root.map("model"), model.parallel);
  model.routing = read_routing(root.map("routing"));
  root.finish();
  diagnostics.throw_if_any();
  return model;
}

// The smallest model, changed by overrides.
Model read(const std::vector<std::string>& overrides) {
  Diagnostics diagnostics;
  const Config root = Config::parse(
      "parallel: {ep: 4}\n"
      "model: {tokens: 16, hidden: 8, intermediate: 4, top_k: 2, experts_per_rank: 3}\n",
      "folder/model.yaml", overrides, diagnostics);
  return read(root, diagnostics);
}

std::string error_of(const std::vector<std::string>& overrides) {
  try {
    read(overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("Every model file loads on eight ranks") {
  int files = 0;
  const auto folder = std::filesystem::path(A3SIM_SOURCE_DIR) / "configs/models";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    INFO(entry.path());
    Diagnostics diagnostics;
    const std::vector<std::string> ranks = {"parallel.ep=8"};
    const Config root = Config::load(entry.path(), ranks, diagnostics);
    CHECK_FALSE(root.map("model").text("source").empty());
    if (root.map("model").has("top_k"))
      CHECK_NOTHROW(read(root, diagnostics));
    else  // of dense layers alone
      CHECK_THROWS_WITH(read(root, diagnostics), Catch::Matchers::Contains("no MoE layer to run alone"));
    ++files;
  }
  CHECK(files >= 8);
}

TEST_CASE("The paper's experts are those of DeepSeek-V3 on 32 ranks") {
  const auto load = [](const std::string& file) {
    Diagnostics diagnostics;
    const std::vector<std::string> ranks = {"parallel.ep=32"};
    const auto path = std::filesystem::path(A3SIM_SOURCE_DIR) / "configs/models" / file;
    return read(Config::load(path, ranks, diagnostics), diagnostics).shape;
  };
  CHECK(load("hyperparallel_moe.yaml") == load("deepseek_v3.yaml"));
}

TEST_CASE("A shape is read with its defaults") {
  const Model model = read(std::vector<std::string>{});
  CHECK(model.shape == MoeShape{.tokens = 16,
                                .hidden = 8,
                                .intermediate = 4,
                                .top_k = 2,
                                .experts_per_rank = 3,
                                .ep = 4,
                                .dtype = DataType::kBf16});
  CHECK(model.parallel.tp_stride == 1);
  CHECK(model.routing.kind == "balanced");
}

TEST_CASE("Experts in total are shared by the ranks of the group") {
  Diagnostics diagnostics;
  const Config root = Config::parse("{tokens: 1, hidden: 1, intermediate: 1, top_k: 1, experts: 12}",
                                    "m.yaml", {}, diagnostics);
  CHECK(read_shape(root, {.ep = 4}).experts_per_rank == 12 / 4);
  CHECK(diagnostics.empty());
  read_shape(root, {.ep = 5});
  REQUIRE_FALSE(diagnostics.empty());
  CHECK_THAT(diagnostics.messages()[0], Contains("12 experts on 5 ranks, expected a multiple of the ranks"));
}

TEST_CASE("Experts are given once") {
  CHECK_THAT(error_of({"model.experts=12"}), Contains("beside experts_per_rank, expected one of the two"));
}

TEST_CASE("A token goes to at most all experts") {
  CHECK(read({"model.top_k=12"}).shape.top_k == 3 * 4);
  CHECK_THAT(error_of({"model.top_k=13"}), Contains("13 experts per token of 12 experts in all"));
  CHECK_THAT(error_of({"model.experts_per_rank=1", "model.top_k=5"}), Contains("5 experts per token of 4"));
  // What is wrong with the experts is said, and nothing of what is read instead.
  for (const char* wrong : {"0", "x", "[1]"}) {
    CHECK_THAT(error_of({std::string("model.experts_per_rank=") + wrong, "model.top_k=12"}),
               Contains("experts_per_rank") && !Contains("a token of"));
  }
}

TEST_CASE("What is wrong with the number of ranks is said once, and nothing of what is read instead") {
  for (const char* wrong : {"parallel.ep=0", "parallel.ep=x", "parallel.ep=70000"}) {
    const std::string error = error_of({wrong, "model.top_k=8"});
    CHECK_THAT(error, Contains("parallel.ep: "));
    CHECK(std::ranges::count(error, '\n') == 0);
  }
  Diagnostics diagnostics;
  const Config root = Config::parse("{tokens: 1, hidden: 1, intermediate: 1, top_k: 8, experts: 256}",
                                    "m.yaml", {}, diagnostics);
  read_shape(root, {.ep = 7});
  CHECK(diagnostics.messages().size() == 1);
}

TEST_CASE("A rank has no more experts than its tasks can name") {
  CHECK(read({"model.experts_per_rank=65534", "parallel.ep=2"}).shape.experts_per_rank == 65534);
  CHECK_THAT(error_of({"model.experts_per_rank=65535", "parallel.ep=2"}),
             Contains("experts_per_rank: 65535 is out of range, expected an integer from 1 to 65534"));
  Diagnostics diagnostics;
  const Config root = Config::parse("{tokens: 1, hidden: 1, intermediate: 1, top_k: 1, experts: 140000}",
                                    "m.yaml", {}, diagnostics);
  CHECK(read_shape(root, {.ep = 4}).experts_per_rank == 35000);
  CHECK(diagnostics.empty());
  read_shape(root, {.ep = 2});
  REQUIRE_FALSE(diagnostics.empty());
  CHECK_THAT(diagnostics.messages()[0],
             Contains("m.yaml:1:") &&
                 Contains("experts: 140000 experts on 2 ranks, expected at most 65534 on each"));
}

TEST_CASE("Sizes of zero, too many ranks and data types without a name are refused") {
  for (const std::string key : {"model.tokens", "model.hidden", "model.intermediate", "model.top_k",
                                "model.experts_per_rank", "parallel.ep", "parallel.tp_stride"}) {
    CHECK_THAT(error_of({key + "=0"}), Contains(key + ": 0 is out of range, expected an integer from 1"));
  }
  CHECK_THAT(error_of({"parallel.ep=65537"}), Contains("65537 is out of range"));
  CHECK_THAT(error_of({"model.dtype=bf6"}), Contains("did you mean 'bf16'?"));
  CHECK_THAT(error_of({"model.dtype=int32"}), Contains("bf16, fp16, fp32, int8"));
}

TEST_CASE("Experts and rows that do not fit their counters are refused") {
  CHECK_THAT(error_of({"parallel.ep=65536", "model.experts_per_rank=65536"}),
             Contains("experts_per_rank: 65536"));
  // 2^24 tokens to 2 local experts each from 64 ranks: 2^31 rows, one more than can be counted.
  CHECK_THAT(error_of({"model.tokens=16777216", "parallel.ep=64"}), Contains("make up to 2147483648 rows"));
  CHECK(read({"model.tokens=16777215", "parallel.ep=64"}).shape.tokens == 16777215);
}

TEST_CASE("A routing file is relative to the file that names it") {
  const ScratchDirectory scratch;
  const std::string counts = scratch.add("counts.csv", "1").string();
  CHECK(read({"routing.kind=file", "routing.file=" + counts}).routing.file == counts);
  Diagnostics diagnostics;
  const Config root = Config::parse("{kind: file, file: ../counts.csv}", (scratch / "b/model.yaml").string(),
                                    {}, diagnostics);
  CHECK(read_routing(root).file == counts);
  CHECK(diagnostics.empty());
}

TEST_CASE("A routing file that is not there is an error at the line that names it") {
  Diagnostics diagnostics;
  const Config root = Config::parse("kind: file\nfile: /nowhere/counts.csv\n", "m.yaml", {}, diagnostics);
  read_routing(root);
  REQUIRE_FALSE(diagnostics.empty());
  CHECK(diagnostics.messages()[0] ==
        "m.yaml:2:7: file: /nowhere/counts.csv: cannot be read: No such file or directory");
}

TEST_CASE("A routing takes its seed and skew, and an unknown kind lists the known ones") {
  const RoutingSpec spec = read({"routing={kind: sampled, seed: 7, skew: 0.5}"}).routing;
  CHECK(spec.kind == "sampled");
  CHECK(spec.seed == 7);
  CHECK(spec.skew == 0.5);
  CHECK_THAT(error_of({"routing.kind=sampeld"}),
             Contains("unknown routing 'sampeld'; known: ") && Contains("; did you mean 'sampled'?"));
  CHECK_THAT(error_of({"routing.kind=zipf"}),
             Contains("known: balanced, bursts, drifting, file, hot_expert, hot_rank, lognormal, long_tail, "
                      "mixed, ragged, recorded, rotating, sampled"));
  CHECK_THAT(error_of({"routing.kind=file"}), Contains("routing.file: missing, expected a path"));
  CHECK_THAT(error_of({"routing.skew=-1"}), Contains("routing.skew: -1 is out of range"));
}

}  // namespace
}  // namespace a3sim
