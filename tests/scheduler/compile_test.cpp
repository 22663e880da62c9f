#include "scheduler/compile/compile.h"

#include <catch2/catch.hpp>

#include "scheduler/verify/verify.h"
#include "sim/core/error.h"
#include "tests/scheduler/small_compile.h"
#include "tests/scheduler/wiring_oracle.h"

namespace a3sim {
namespace {

struct Case {
  std::uint32_t ep, partitions;
  bool backward;
  RoutingCounts counts;
  Window window = Window::kTransport;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const bool backward : {false, true}) {
    for (const std::uint32_t ep : {1U, 2U, 4U}) {
      const MoeShape shape = small_shape(ep);
      all.push_back({ep, 1, backward, route({}, shape)});
      all.push_back({ep, 2, backward, uneven_counts(shape, 7 + ep)});
    }
    all.push_back({2, 2, backward, uneven_counts(small_shape(2), 3, 1)});
    all.push_back({2, 1, backward, route({}, small_shape(2)), Window::kFull});
  }
  return all;
}

// Rows that elements of a region really have under these counts.
std::set<std::pair<std::uint32_t, std::uint32_t>> real_elements(const TaskflowView& flow, oracle::Task task,
                                                                const Region& region,
                                                                const RowLayout& layout) {
  const TensorInfo& tensor = flow.ranks[region.rank].tensors[region.tensor];
  const Rows rows = layout.pack(tensor.layout, region.rank, region.rows());
  std::set<std::pair<std::uint32_t, std::uint32_t>> result;
  const Tiling* tiling = flow.tiling(oracle::td(flow, task));
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    for (std::uint32_t col = 0; col < tensor.cols; ++col) {
      const std::uint32_t across = tiling ? (tensor.cols + tiling->base_n - 1) / tiling->base_n : 1;
      const bool own = region.shares == 1 ||
                       (row / tiling->base_m * across + col / tiling->base_n) % region.shares == region.share;
      if (own) result.emplace(rows.begin + row, col);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("compiled events are those of brute force, for every shape, pass and partition") {
  for (const Case& c : cases()) {
    INFO("EP" << c.ep << " P" << c.partitions << (c.backward ? " backward" : " forward"));
    const CompileOptions options = small_options(c.ep, c.counts, c.partitions);
    const Compilation compiled = compile(small_graph(c.backward, options.shape, c.window), "g", options);
    const TaskflowView flow(compiled.schedule);
    const oracle::Matrix exact = oracle::reduction(oracle::dependencies(flow));
    CHECK(oracle::wired(flow) == oracle::shared(exact));
    CHECK(oracle::thresholds_hold(flow));
    CHECK(compiled.sharing.exact_pairs == oracle::ones(exact));
    CHECK(compiled.sharing.joins == 0);
    CHECK(verify(compiled.schedule).errors == std::vector<std::string>{});
  }
}

TEST_CASE("a graph of products alone needs no vector worker, unless its events need a Join") {
  Graph graph;
  const auto plain = [&](const char* name, std::uint32_t rows, std::uint32_t cols, bool external) {
    return graph.add_tensor({name, Layout::kPlain, rows, cols, DataType::kBf16, external});
  };
  const TensorId x = plain("x", 8, 6, true), w = plain("w", 6, 10, true), y = plain("y", 8, 10, false);
  graph.add_operator(make_node("Product", "GroupedMatmul", {x, w}, {y}));
  CompileOptions options = small_options(1, RoutingCounts(1, 2));
  options.workers[kAivQueue].count = 0;
  const Compilation compiled = compile(with_small_blocks(graph), "g", options);
  CHECK(compiled.sharing.joins == 0);
  CHECK(compiled.schedule[0].tasks().size() == options.cut.shares);
}

TEST_CASE("a schedule's waits suffice under every routing of its bucket") {
  for (const bool backward : {false, true}) {
    const MoeShape shape = small_shape(2);
    RoutingCounts capacity(2, shape.experts());
    for (std::uint32_t src = 0; src < 2; ++src) {
      for (std::uint32_t e = 0; e < shape.experts(); ++e) capacity.at(src, e) = 5;
    }
    const Compilation compiled = compile(small_graph(backward, shape), "g", small_options(2, capacity, 2));
    const TaskflowView flow(compiled.schedule);
    const oracle::Matrix reach = oracle::closure(oracle::wired(flow));
    const std::vector<oracle::Task> tasks = oracle::all_tasks(flow);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const RowLayout layout(shape, capacity, uneven_counts(shape, seed));
      std::vector<std::vector<std::set<std::pair<std::uint32_t, std::uint32_t>>>> writes(tasks.size());
      for (std::size_t p = 0; p < tasks.size(); ++p) {
        const TaskDescriptor& td = oracle::td(flow, tasks[p]);
        for (const Region& out : flow.ranks[tasks[p].rank].outputs(td)) {
          writes[p].push_back(real_elements(flow, tasks[p], out, layout));
        }
      }
      for (std::size_t c = 0; c < tasks.size(); ++c) {
        for (const Region& in : flow.ranks[tasks[c].rank].inputs(oracle::td(flow, tasks[c]))) {
          if (in.flags & kMetadata) continue;
          const auto read = real_elements(flow, tasks[c], in, layout);
          for (std::size_t p = 0; p < tasks.size(); ++p) {
            const auto outputs = flow.ranks[tasks[p].rank].outputs(oracle::td(flow, tasks[p]));
            for (std::size_t o = 0; o < outputs.size(); ++o) {
              if (outputs[o].tensor != in.tensor || outputs[o].rank != in.rank || reach[c][p]) continue;
              for (const auto& element : read) REQUIRE_FALSE(writes[p][o].contains(element));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("an expert's matrix tasks wait for their own rows only") {
  const MoeShape shape = small_shape(2);
  const CompileOptions options = small_options(2, route({}, shape));
  const Compilation compiled = compile(small_graph(false, shape), "g", options);
  const Ssc& ssc = compiled.schedule[0];
  std::set<std::pair<std::uint32_t, std::uint32_t>> events;  // expert, event
  for (const TaskDescriptor& td : ssc.tasks()) {
    if (ssc.operators()[td.op].name == "GMM1") events.emplace(td.expert, td.dependent_event);
  }
  CHECK(events.size() == shape.experts_per_rank);
  // 6 tokens x 2 experts over 4 experts: 3 rows from each source, in chunks of 2.
  constexpr std::uint32_t kPutsPerSource = 2;
  for (const auto& [expert, event] : events)
    CHECK(ssc.events()[event].threshold == kPutsPerSource * shape.ep);
}

TEST_CASE("splits are inherited from the partition that an operator needs") {
  const MoeShape shape = small_shape(2);
  constexpr std::uint32_t kPartitions = 3;
  const Graph graph = forward_graph(shape, Window::kTransport);
  const Splits splits = propagate_splits(graph, shape, {.partitions = kPartitions});
  for (const std::uint32_t tiles : splits.tiles) CHECK(tiles == kPartitions * shape.experts_per_rank);
  for (std::uint32_t t = 0; t < graph.tensors().size(); ++t) {
    const Partition& partition = splits.tensors[t];
    const auto writer = graph.writer(TensorId{t});
    if (!writer) {
      CHECK(partition == Partition{-1, 1});
    } else if (graph.op(*writer).name == "Combine") {
      CHECK(partition == Partition{-1, kPartitions * shape.experts_per_rank});
    } else {
      CHECK(partition == Partition{0, kPartitions * shape.experts_per_rank});
    }
  }
}

TEST_CASE("an operator whose inputs are not partitioned as it needs is one tile, and all behind it too") {
  const MoeShape shape = small_shape(2);
  const Graph forward = small_graph(false, shape);
  Graph graph;
  for (const TensorNode& tensor : forward.tensors()) graph.add_tensor(tensor);
  for (OperatorNode node : forward.operators()) {
    if (node.name == "GMM2") node.split.inherits = {{0, 1}};
    graph.add_operator(std::move(node));
  }
  const CompileOptions options = small_options(2, uneven_counts(shape, 5), 2);
  const Splits splits = propagate_splits(graph, shape, options.cut);
  for (std::uint32_t op = 0; op < graph.operators().size(); ++op) {
    const std::string& name = graph.operators()[op].name;
    const bool alone = name == "GMM2" || name == "Combine";
    CHECK(splits.tiles[op] == (alone ? 1 : 2 * shape.experts_per_rank));
  }
  const Compilation compiled = compile(graph, "g", options);
  const TaskflowView flow(compiled.schedule);
  CHECK(oracle::wired(flow) == oracle::shared(oracle::reduction(oracle::dependencies(flow))));
  CHECK(verify(compiled.schedule).errors == std::vector<std::string>{});
}

TEST_CASE("inputs that are partitioned into different numbers are not inherited") {
  const MoeShape shape{
      .tokens = 8, .hidden = 4, .intermediate = 4, .top_k = 1, .experts_per_rank = 1, .ep = 1};
  Graph graph;
  const TensorId in = graph.add_tensor({"in", Layout::kPlain, 8, 8, DataType::kBf16, true});
  const TensorId a = graph.add_tensor({"a", Layout::kPlain, 8, 4, DataType::kBf16, false});
  const TensorId b = graph.add_tensor({"b", Layout::kPlain, 8, 4, DataType::kBf16, false});
  const TensorId sum = graph.add_tensor({"sum", Layout::kPlain, 8, 4, DataType::kBf16, false});
  OperatorNode first = make_node("First", "SwiGLU", {in}, {a}),
               second = make_node("Second", "SwiGLU", {in}, {b});
  first.split = second.split = {{}, {0}};
  first.cut = CutOptions{.task_rows = 2};
  second.cut = CutOptions{.task_rows = 4};
  OperatorNode add = make_node("Sum", "Add", {a, b}, {sum});
  add.split = {{{0, 0}, {1, 0}}, {0}};
  graph.add_operator(first);
  graph.add_operator(second);
  graph.add_operator(add);
  const Splits splits = propagate_splits(graph, shape, {});
  CHECK(splits.tiles == std::vector<std::uint32_t>{4, 2, 1});
  CHECK(splits.tensors[index(sum)] == Partition{-1, 1});
}

TEST_CASE("a graph without a worker for its tasks is refused") {
  const MoeShape shape = small_shape(1);
  CompileOptions options = small_options(1, route({}, shape));
  options.workers[kAicQueue].count = 0;
  CHECK_THROWS_WITH(compile(small_graph(false, shape), "g", options),
                    Catch::Contains("a worker that runs matrix tasks"));
}

TEST_CASE("ranks stand for others only under orders that can be followed from rank to rank") {
  const MoeShape shape = small_shape(2);
  CompileOptions options = small_options(2, route({}, shape));
  options.kept = 1;
  options.order.list_file[0] = "mine.csv";
  CHECK_THROWS_WITH(compile(forward_graph(shape, Window::kTransport), "forward", options),
                    Catch::Matchers::Contains("mine.csv: a list names the tasks of every rank"));
}

TEST_CASE("compiling twice gives the same bytes") {
  const MoeShape shape = small_shape(4);
  const CompileOptions options = small_options(4, uneven_counts(shape, 11), 2);
  const Schedule a = compile(small_graph(true, shape), "g", options).schedule;
  const Schedule b = compile(small_graph(true, shape), "g", options).schedule;
  for (std::size_t r = 0; r < a.size(); ++r) CHECK(std::ranges::equal(a[r].bytes(), b[r].bytes()));
}

}  // namespace a3sim
