#include "sim/check/data_check.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "scheduler/orders/order_config.h"
#include "sim/experiment/run/run_experiment.h"
#include "tests/check/small.h"
#include "tests/few.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

using Overrides = std::vector<std::string>;
const std::vector<std::string> kNothing;

std::vector<std::filesystem::path> shipped_file(const char* folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(configs_folder() / folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  return files;
}

OrderSpec order_in(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  const OrderSpec order = read_order(Config::load(file, {}, diagnostics).map("order"));
  diagnostics.throw_if_any();
  return order;
}

// Every token goes to one expert, most to the popular ones: some experts have no rows.
const Overrides kSkewed = {"model.top_k=1", "routing.kind=sampled", "routing.seed=3", "routing.skew=3"};

Overrides with(Overrides overrides, std::initializer_list<const char*> more) {
  overrides.insert(overrides.end(), more.begin(), more.end());
  return overrides;
}

}  // namespace

TEST_CASE("every shipped experiment computes at its small shape what the plain reference does", "[slow]") {
  for (const std::filesystem::path& file : shipped_file("experiments")) {
    if (file.stem() == "ep16") continue;  // takes a second, and is ep8 with more of the same
    if (load_experiment(file, {}).work->why_no_programs().empty())
      continue;  // programs, which layer_data_test.cpp carries tensors through
    INFO(file);
    CHECK(wrong(small_cases(file, {}, kDataSeed)) == kNothing);
  }
}

TEST_CASE("on one rank, all outputs and all gradients are right under every shipped order and routing") {
  for (const Overrides& routing : {Overrides{}, kSkewed}) {
    std::vector<DataCase> cases = shipped_cases("ep4", with(routing, {"parallel.ep=1"}));
    for (const std::filesystem::path& file : shipped_file("orders")) {
      if (file.stem() == "mega_moe") continue;  // names operators of another graph
      INFO(file << (routing.empty() ? ", balanced" : ", skewed"));
      for (DataCase& data_case : cases) {
        const std::vector<std::string> elsewhere = data_case.experiment.order.elsewhere;
        data_case.experiment.order = order_in(file);
        data_case.experiment.order.elsewhere = elsewhere;
        const DataCheck check(data_case, kDataSeed);
        CHECK(check_data(check, {}).faults == kNothing);
        CHECK((structure_of(check).idle_experts > 0) == !routing.empty());
        REQUIRE(check.passes().size() == 2);
        CHECK(check.passes()[0].expected.count("output") == 1);
        for (const char* gradient : {"d_tokens", "d_w1", "d_w2"})
          CHECK(check.passes()[1].expected.count(gradient) == 1);
      }
    }
  }
}

TEST_CASE("ranks, routings, partitions, buckets, types, assignments, executions do not change the result") {
  const auto set = GENERATE(from_range(
      few(12, {Overrides{"parallel.ep=2"}, with(kSkewed, {"parallel.ep=2"}), kSkewed,
               with(kSkewed, {"cut.partitions=3", "bucket.rows=4096"}), Overrides{"bucket.rows=2048"},
               Overrides{"cut.partitions=7"}, Overrides{"parallel.ep=1", "model.dtype=fp16"},
               Overrides{"parallel.ep=1", "model.dtype=fp32", "tiling={base_n: 64, base_k: 32}"},
               Overrides{"parallel.ep=1", "order.assignment=shared"},
               Overrides{"parallel.ep=2", "workers={aic: 2, aiv: 3}", "order.limit={Dispatch: 1}"},
               Overrides{"parallel.ep=2", "model.experts_per_rank=1", "model.top_k=1"},
               Overrides{"experiment.execution=dynamic", "parallel.ep=2"}, Overrides{"parallel.ep=8"}})));
  INFO(Catch::rangeToString(set));
  CHECK(wrong(shipped_cases("ep4", set)) == kNothing);
}

TEST_CASE("measurements of single operators compute the right thing, under every execution") {
  const char* execution = GENERATE("static", "dynamic", "kernel");
  // The programs of these experiments have no scheduler on the device: this gives them one.
  const Overrides set = {std::string("experiment.execution=") + execution, "program.tasks.dynamic_task=1 us"};
  INFO(execution);
  CHECK(wrong(shipped_cases("swiglu_add", set)) == kNothing);
  for (const char* experts : {"graph.experts=0", "graph.experts=5"}) {
    if (experts != std::string("graph.experts=0") && execution != std::string("kernel")) continue;
    const std::vector<DataCase> cases = shipped_cases("gemm", with(set, {experts}));
    for (const DataCase& data_case : cases) CHECK(data_case.oracles == std::vector{Oracle::kGemm});
    CHECK(structure_of(DataCheck(cases[0], kDataSeed)).fewest_blocks >= 3);
    CHECK(wrong(cases) == kNothing);
  }
}

TEST_CASE("a graph of one's own without a model computes what its operators do, as tiles and as kernels") {
  const std::string configs = configs_folder().string();
  const auto file = std::filesystem::temp_directory_path() / "a3sim_plain_graph.yaml";
  std::ofstream(file) << "include: ['" + configs + "/hardware/a3_24_48.yaml', '" + configs +
                             "/programs/cann.yaml', '" + configs + "/orders/naive.yaml']\n" + R"(
experiment: {name: half_an_ffn, workload: graph, execution: static}
graph:
  name: half_an_ffn
  sizes: {rows: 4096, width: 3072, hidden: 2048, tiles: 64}
  tensors:
    - {name: gate_up, layout: plain, rows: rows, cols: 2*width}
    - {name: activation, layout: plain, rows: rows, cols: width}
    - {name: weights, layout: plain, rows: width, cols: hidden}
    - {name: down, layout: plain, rows: rows, cols: hidden}
    - {name: residual, layout: plain, rows: rows, cols: hidden}
    - {name: output, layout: plain, rows: rows, cols: hidden}
  operators:
    - {name: SwiGLU, type: SwiGLU, inputs: [gate_up], outputs: [activation],
       split: {inherit: none, rows: ceil(rows/tiles)}}
    - {name: Down, type: GroupedMatmul, inputs: [activation, weights], outputs: [down]}
    - {name: Residual, type: Add, inputs: [down, residual], outputs: [output]}
)";
  for (const char* execution : {"static", "kernel"}) {
    const std::vector<DataCase> cases =
        small_cases(file, Overrides{std::string("experiment.execution=") + execution}, kDataSeed);
    CHECK(cases[0].shape.find("graph.sizes.width=67") != std::string::npos);
    CHECK(wrong(cases) == kNothing);
  }
  std::filesystem::remove(file);
}

TEST_CASE("the small shape keeps the structure: partitions, ragged chunks, three blocks a share") {
  const char* ep =
      GENERATE(from_range(few(2, {"parallel.ep=1", "parallel.ep=2", "parallel.ep=4", "parallel.ep=8"})));
  const auto partitions = GENERATE(from_range(few(2, {1U, 9U, 2U, 3U})));
  INFO(ep << ", " << partitions << " partitions");
  const std::vector<DataCase> cases =
      shipped_cases("ep4", {ep, "cut.partitions=" + std::to_string(partitions)});
  constexpr std::uint32_t kMostPartitions = 4;
  REQUIRE(cases.size() == (partitions == 1 ? 2 : 1));
  CHECK(cases.front().experiment.cut.partitions == std::min(partitions, kMostPartitions));
  CHECK(cases.back().experiment.cut.partitions >= 2);
  for (const DataCase& data_case : cases) {
    const Structure structure = structure_of(DataCheck(data_case, kDataSeed));
    CHECK(structure.fewest_blocks >= 3);
    CHECK(structure.shortest_put < structure.longest_put);
    CHECK(structure.longest_put == data_case.experiment.cut.chunk);
    CHECK(structure.experts == 8 * data_case.experiment.shape.ep);
  }
}

TEST_CASE("nothing of a small shape is larger than the configuration has it") {
  const DataCase data_case = shipped_cases("ep4", {"model.tokens=8", "model.hidden=5", "model.intermediate=3",
                                                   "cut={shares: 2, chunk: 1, task_rows: 3}"})[0];
  CHECK(data_case.experiment.shape.tokens == 8);
  CHECK(data_case.experiment.shape.hidden == 5);
  CHECK(data_case.experiment.shape.intermediate == 3);
  CHECK(data_case.experiment.cut.shares == 2);
  CHECK(data_case.experiment.cut.chunk == 1);
  CHECK(data_case.experiment.cut.task_rows == 3);
  CHECK(wrong({data_case}) == kNothing);
}

TEST_CASE("counts from a file are scaled: an expert without rows stays without, one with rows has some") {
  const auto file = std::filesystem::temp_directory_path() / "a3sim_data_counts.csv";
  std::ofstream(file) << "4096,0,100,1,0,2048,512,77\n";
  const std::vector<DataCase> cases =
      shipped_cases("ep4", {"parallel.ep=1", "routing.kind=file", "routing.file=" + file.string()});
  for (const DataCase& data_case : cases) {
    const RoutingCounts counts = data_case.routed.counts(data_case.experiment.shape);
    CHECK(counts.at(0, 0) == data_case.experiment.shape.tokens);
    for (const std::uint32_t expert : {1U, 4U}) CHECK(counts.at(0, expert) == 0);
    for (const std::uint32_t expert : {2U, 3U, 5U, 6U, 7U}) CHECK(counts.at(0, expert) > 0);
  }
  CHECK(wrong(cases) == kNothing);
  std::filesystem::remove(file);
}

TEST_CASE("a configuration of one pass, or of the transport window, is completed to what carries data") {
  const DataCase backward = shipped_cases("ep4", {"experiment.pass=backward"})[0];
  REQUIRE(backward.experiment.passes.size() == 2);
  CHECK(backward.oracles[0] == Oracle::kForward);
  CHECK(backward.oracles[1] == Oracle::kBackward);
  const DataCase forward = shipped_cases("ep4", {"experiment.pass=forward"})[0];
  REQUIRE(forward.experiment.passes.size() == 1);
  CHECK(forward.experiment.passes[0].graph.operators().front().name == "Permute");
  CHECK(forward.experiment.passes[0].graph.operators().back().name == "Accumulate");
}

TEST_CASE("graphs are compared with plain loops where they are known, else with whole operators") {
  CHECK(shipped_cases("forward_graph")[0].oracles == std::vector{Oracle::kForward});
  CHECK(shipped_cases("swiglu_add")[0].oracles == std::vector{Oracle::kSwigluAdd});
  CHECK(shipped_cases("diamond")[0].oracles == std::vector{Oracle::kWhole});
  // The product b times a, of tensors with the same names, was once compared with a times b, and called wrong.
  const std::vector<DataCase> swapped = shipped_cases(
      "gemm", {"graph.operators=[{name: GMM, type: GroupedMatmul, inputs: [b, a], outputs: [c]}]"});
  CHECK(swapped[0].oracles == std::vector{Oracle::kWhole});
  CHECK(swapped[0].experiment.passes[0].graph.tensors()[0].rows == 67);  // all sizes shrink together
  CHECK(wrong(swapped) == kNothing);
}

TEST_CASE("an order that lists tasks cannot be shrunk, and the message says so") {
  const auto file = std::filesystem::temp_directory_path() / "a3sim_data_order.csv";
  std::ofstream(file) << "queue,rank,op,index\nCTQ,0,GMM1,0\n";
  CHECK_THROWS_WITH(
      shipped_cases("ep4", {"order={name: mine, ctq_list: " + file.string() + ", vtq: [stage]}"}),
      Contains("--full"));
  std::filesystem::remove(file);
}

TEST_CASE("the configured shape is kept when asked for, and its memory is told beforehand") {
  const std::filesystem::path file = configs_folder() / "experiments" / "ep4.yaml";
  const Overrides small = {"parallel.ep=1", "model.tokens=30", "model.hidden=40", "model.intermediate=20",
                           "model.top_k=2"};
  const DataCase data_case = full_case(file, small, kDataSeed);
  CHECK(data_case.experiment.shape.hidden == 40);
  CHECK(wrong({data_case}) == kNothing);
  constexpr std::int64_t kTokens = 30, kRows = 2 * kTokens, kHidden = 40, kWidth = 20, kExperts = 8;
  constexpr std::int64_t kWeights = kExperts * 3 * kHidden * kWidth, kMetadata = kExperts + 2 * kTokens;
  // Received and sent rows, gate_up, activation, expert output, returned rows, tokens in and out.
  constexpr std::int64_t kForward = kRows * (4 * kHidden + 3 * kWidth) + 2 * kTokens * kHidden + kWeights;
  // The kept ones, and the gradients of all.
  constexpr std::int64_t kBackward =
      kRows * (5 * kHidden + 6 * kWidth) + 2 * kTokens * kHidden + 2 * kWeights;
  CHECK(data_bytes(data_case).count == 2 * 4 * (kForward + kBackward + 2 * kMetadata));
  CHECK(data_bytes(full_case(file, {}, kDataSeed)) > data_bytes(data_case) * 100);
}

TEST_CASE("every rank holds other tensors: a row of the wrong rank shows") {
  const DataCheck check(shipped_cases("ep4", {"parallel.ep=2"})[0], kDataSeed);
  for (const char* name : {"tokens", "w1", "w2"}) {
    const std::vector<TensorData>& by_rank = check.passes()[0].given.at(name);
    REQUIRE(by_rank.size() == 2);
    CHECK(by_rank[0].values != by_rank[1].values);
  }
}

TEST_CASE("carrying data takes no time: a run is the configuration's, to the picosecond") {
  const char* execution = GENERATE("static", "dynamic", "kernel");
  const DataCase data_case =
      shipped_cases("swiglu_add", {std::string("experiment.execution=") + execution})[0];
  CHECK(DataCheck(data_case, kDataSeed).passes()[0].makespan ==
        run_experiment(data_case.experiment, false)[0].run.makespan);
}

TEST_CASE("the same seed gives the same tensors, another one others") {
  const TensorData once = random_tensor(DataType::kBf16, 3, 5, 1, 7, 2);
  CHECK(once.values == random_tensor(DataType::kBf16, 3, 5, 1, 7, 2).values);
  CHECK(once.values != random_tensor(DataType::kBf16, 3, 5, 1, 8, 2).values);
  CHECK(once.values != random_tensor(DataType::kBf16, 3, 5, 1, 7, 3).values);
  for (const float value : once.values) CHECK(value == round_to(DataType::kBf16, value));
}
