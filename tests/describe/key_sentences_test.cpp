#include "sim/describe/key_sentences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <set>

#include "sim/core/read_file.h"
#include "sim/describe/document.h"
#include "sim/describe/idle_keys.h"
#include "sim/describe/key_list.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/sweep/sweep.h"
#include "tests/scratch_directory.h"

using namespace a3sim;

namespace {

constexpr const char* kPage = A3SIM_SOURCE_DIR "/docs/keys.md";

// The kinds whose keys have sentences. The others are written with the published tables at hand, or by the program itself.
const std::vector<std::string> kKinds = {"experiment", "hardware", "program", "model",
                                         "order",      "faults",   "sweep",   "points"};

// All keys and blocks of a kind.
std::set<std::string> paths_of(const std::string& kind) {
  const KeyTree& tree = known_keys(Documents::get(kind));
  std::set<std::string> paths;
  for (const ListedKey& key : listed_keys(tree)) paths.insert(key.path);
  for (const std::string& block : listed_blocks(tree)) paths.insert(block);
  return paths;
}

std::string section_of(const std::string& kind, const std::string& title) {
  std::string text = fmt::format("## {}\n", title);
  for (const KeySentence& sentence : key_sentences(kind)) {
    const std::string_view pattern = sentence.pattern;
    const std::string_view shown = pattern.starts_with("**") ? pattern.substr(1) : pattern;
    const bool block = pattern.find('.') == std::string_view::npos && pattern != "include";
    text += block ? fmt::format("\n### {}\n\n{}\n\n", pattern, sentence.text)
                  : fmt::format("{}- `{}`: {}\n", pattern == "include" ? "\n" : "", shown, sentence.text);
  }
  return text;
}

// What keys take and what holds without them is left to the program, which knows it of each configuration.
std::string page() {
  return "# Keys of configurations\n\n"
         "What each key means. `a3sim config KEY` adds what it takes, what holds without it, and its value, "
         "origin and source in a\n"
         "configuration; `a3sim config BLOCK` lists a block. `*` stands for a name or a position. Keys that "
         "begin with `*.` are\n"
         "those of all tilings: `tiling` and `tiling.operators.*`.\n"
         "`test_describe \"[.record]\"` writes this page from `sim/describe/keys.yaml`.\n\n" +
         section_of("experiment", "Experiments, machines, programs, models, orders, faults") + '\n' +
         section_of("sweep", "Sweeps") + '\n' + section_of("points", "Measurements");
}

// Returns which of the overrides change nothing in a shipped experiment.
std::vector<std::string> idle_in(const std::string& name, const std::vector<std::string>& overrides) {
  std::vector<std::string> paths;
  for (const IdleKey& key :
       idle_keys(load_experiment(configs_folder() / "experiments" / (name + ".yaml"), overrides)))
    if (key.mark.file == "--set") paths.push_back(key.path);
  return paths;
}

}  // namespace

TEST_CASE("every key and every block has one sentence, and every sentence has a key", "[slow]") {
  std::map<std::string, std::set<std::string>> used;  // by section
  for (const std::string& kind : kKinds) {
    REQUIRE_FALSE(key_sentences(kind).empty());
    for (const std::string& path : paths_of(kind)) {
      std::vector<std::string> fitting;
      for (const KeySentence* sentence : sentences_of(kind, path)) fitting.push_back(sentence->pattern);
      INFO(kind << ": " << path << " fits " << fmt::format("{}", fitting));
      CHECK(fitting.size() == 1);
      used[kind == "sweep" || kind == "points" ? kind : "experiment"].insert(fitting.begin(), fitting.end());
    }
  }
  for (const auto& [kind, patterns] : used) {
    for (const KeySentence& sentence : key_sentences(kind)) {
      INFO(kind << ": " << sentence.pattern);
      CHECK(patterns.contains(sentence.pattern));
    }
  }
}

TEST_CASE("a sentence is one: it begins with a capital letter and ends with a point") {
  for (const std::string& kind : kKinds) {
    for (const KeySentence& sentence : key_sentences(kind)) {
      INFO(sentence.pattern << ": " << sentence.text);
      CHECK(sentence.text.ends_with('.'));
      CHECK(sentence.text.size() > 10);
    }
  }
}

TEST_CASE("a pattern fits part by part, and ** stands for one part or more") {
  CHECK(fits_key("routing.skew", "routing.skew"));
  CHECK_FALSE(fits_key("routing.skew", "routing"));
  CHECK_FALSE(fits_key("routing", "routing.skew"));
  CHECK(fits_key("ranks.clock.*", "ranks.clock.3"));
  CHECK(fits_key("ranks.clock.*", "ranks.clock.*"));
  CHECK(fits_key("**.order", "tiling.order"));
  CHECK(fits_key("**.order", "tiling.operators.*.order"));
  CHECK_FALSE(fits_key("**.order", "order"));
  CHECK_FALSE(fits_key("**.order", "order.name"));
}

TEST_CASE("the reference page of keys is what the sentences and the readers say") {
  INFO("test_describe \"[.record]\" writes it");
  CHECK(read_file(kPage) == page());
}

TEST_CASE("write the reference page of keys", "[.record]") { std::ofstream(kPage) << page(); }

TEST_CASE("a name that means what any name means is listed once, and one with keys of its own by itself") {
  const std::vector<ListedKey> keys = listed_keys(known_keys(Documents::get("experiment")));
  const auto listed = [&](std::string_view path) {
    return std::ranges::find(keys, path, &ListedKey::path) != keys.end();
  };
  for (const char* any : {"network.routes.*", "experiment.poll.*", "workers.*", "workers.*.*"})
    CHECK(listed(any));
  for (const char* one : {"network.routes.ub", "network.topology.hccs", "experiment.poll.aic", "workers.aic"})
    CHECK_FALSE(listed(one));
  for (const char* own : {"hardware.workers.cube.l1", "hardware.workers.vector.ub"}) CHECK(listed(own));
  REQUIRE(find_key(keys, "workers.aic"));
  CHECK(find_key(keys, "workers.aic")->expected() == "a mapping, or an integer of at least 1");
}

TEST_CASE("a key without effect under what else is set is known to be one") {
  using Paths = std::vector<std::string>;
  CHECK(idle_in("ep8", {"routing.skew=0.4"}) == Paths{"routing.skew"});
  CHECK(idle_in("ep8", {"routing.kind=sampled", "routing.skew=0.4"}) == Paths{});
  CHECK(idle_in("ep8", {"routing.kind=sampled", "routing.busiest=2"}) == Paths{"routing.busiest"});
  CHECK(idle_in("ep8", {"routing.kind=lognormal", "routing.busiest=2"}) == Paths{});
  CHECK(idle_in("ep8", {"routing.kind=lognormal", "routing.skew=2"}) == Paths{"routing.skew"});
  CHECK(idle_in("ep8", {"routing.seed=2"}) == Paths{"routing.seed"});
  CHECK(idle_in("ep8", {"experiment.dispatch_servers=2"}) == Paths{"experiment.dispatch_servers"});
  CHECK(idle_in("ep8", {"experiment.execution=dynamic", "experiment.dispatch_servers=2"}) == Paths{});
  CHECK(idle_in("ep8", {"program.tasks.dynamic_start=1 us"}) == Paths{"program.tasks.dynamic_start"});
  CHECK(idle_in("ep8", {"experiment.execution=dynamic", "program.tasks.dynamic_start=1 us"}) == Paths{});
  CHECK(idle_in("ep8", {"workers.aiv.dynamic=20", "workers.aic.static=20"}) == Paths{"workers.aiv.dynamic"});
  CHECK(idle_in("ep8", {"experiment.execution=dynamic", "workers.aiv.dynamic=20"}) == Paths{});
  CHECK(idle_in("ep8", {"l2.hash=modulo"}) == Paths{"l2.hash"});
  CHECK(idle_in("ep8", {"model.vocabulary=1000", "model.dense_intermediate=512"}) ==
        Paths{"model.dense_intermediate", "model.vocabulary"});
  CHECK(idle_in("ep8", {"model.attention={heads: 8, head_dim: 64}"}) ==
        Paths{"model.attention.head_dim", "model.attention.heads"});
  CHECK(idle_in("ep8", {"experiment.sustained=true"}) == Paths{"experiment.sustained"});
  CHECK(idle_in("ep8", {"order.assignment=shared"}) == Paths{});
  for (const char* const execution : {"dynamic", "kernel", "two_streams"})
    CHECK(idle_in("ep8", {std::string("experiment.execution=") + execution, "order.assignment=shared"}) ==
          Paths{"order.assignment"});
  CHECK(idle_in("step_qwen3_8b", {"experiment.execution=two_streams", "routing.kind=sampled", "step.draws=4",
                                  "step.cp_exchange=ulysses", "cut.chunk=64"}) ==
        Paths{"cut.chunk", "experiment.execution", "routing.kind", "step.cp_exchange", "step.draws"});
  CHECK(idle_in("decode_deepseek_v3", {"inference.context_seed=2", "cut.shares=3", "cut.chunk=64",
                                       "tiling.base_m=64", "experiment.launch=queued"}) ==
        Paths{"cut.shares", "experiment.launch", "inference.context_seed", "tiling.base_m"});
  CHECK(idle_in("decode_deepseek_v3", {"inference.context_seed=2", "inference.context_sigma=1"}) == Paths{});
  CHECK(
      idle_in("decode_deepseek_v3", {"inference.padded=false", "inference.interference=2",
                                     "inference.index_cache=int8", "inference.launch.host=1 us"}) ==
      Paths{"inference.index_cache", "inference.interference", "inference.launch.host", "inference.padded"});
  CHECK(idle_in("decode_deepseek_v3_2", {"inference.launched=eager", "inference.index_cache=int8",
                                         "inference.launch.host=1 us"}) == Paths{});
  CHECK(idle_in("elementwise", {"tiling.base_m=64"}) == Paths{"tiling.base_m"});
  CHECK(idle_in("gemm", {"tiling.base_m=64"}) == Paths{});
  CHECK(idle_in("feplb_ep2", {"experiment.pass=forward", "experiment.window=full", "cut.chunk=64",
                              "l2.mode=lines", "order.assignment=shared", "bucket.rows=4096"}) ==
        Paths{"bucket.rows", "cut.chunk", "experiment.pass", "experiment.window", "l2.mode",
              "order.assignment"});
  CHECK(idle_in("step_qwen3_8b", {"step.optimizer.slices=4"}) == Paths{"step.optimizer.slices"});
  CHECK(idle_in("step_qwen3_8b", {"step.host.reads_counts=true"}) == Paths{"step.host.reads_counts"});
}

TEST_CASE("an axis of a sweep that changes nothing at any point is refused with the reason") {
  const ScratchDirectory scratch;
  const auto plan = [&](const std::string& rest) {
    const std::string base = (configs_folder() / "experiments" / "ep8.yaml").string();
    return plan_sweep(read_sweep(scratch.add(
                                     "sweep.yaml",
                                     fmt::format("sweep:\n  base: {}\n  metrics: [latency]\n{}", base, rest)),
                                 {}),
                      1)
        .ids.size();
  };
  const std::string axes = "  axes:\n    skew: {key: routing.skew, values: [0.2, 0.4]}\n";
  CHECK_THROWS_WITH(plan(axes), Catch::Contains("routing.skew has no effect here. Exponent") &&
                                    Catch::Contains("Only kind sampled uses it"));
  CHECK(plan(axes + "  set: {routing.kind: sampled}\n") == 2);
  CHECK(plan(axes + "    kind: {key: routing.kind, values: [balanced, sampled]}\n") == 4);
}
