#include <catch2/catch.hpp>

#include "models/taskflow/block_grid.h"
#include "sim/core/error.h"
#include "tests/models/small_run.h"

using namespace a3sim;
using namespace a3sim::test;

namespace {

constexpr MoeShape kFilledShape{
    .tokens = 12, .hidden = 6, .intermediate = 5, .top_k = 2, .experts_per_rank = 3, .ep = 2};
constexpr CutOptions kFilledCut{.shares = 3, .partitions = 2, .chunk = 3, .task_rows = 2};

// Expanded for balanced routing: 4 rows from each source to each expert, so 8 rows per expert.
struct Expanded {
  explicit Expanded(const Graph& ops, const CutOptions& cut = kFilledCut)
      : graph(ops), layout(kFilledShape, route({}, kFilledShape)), run(graph, layout, cut, {}) {}
  Graph graph;
  RowLayout layout;
  SmallRun run;
};

constexpr std::uint32_t kSlotRows = 12 * 2 / 6, kExpertRows = 2 * kSlotRows;

bool same_pieces(const TaskView& a, const Region& of_a, const TaskView& b, const Region& of_b) {
  return of_a.rows() == of_b.rows() && a.td.chunk == b.td.chunk && a.td.tile == b.td.tile &&
         a.td.gexpert == b.td.gexpert;
}

}  // namespace

TEST_CASE("A put says where its rows come from and go to, and names its expert on the destination") {
  const Expanded forward(forward_graph(kFilledShape, Window::kTransport));
  for (std::uint32_t rank = 0; rank < kFilledShape.ep; ++rank) {
    // Chunks of 3 in slots of 4 rows; the partition boundary at 4 of 8 rows falls between the slots.
    const auto dispatch = forward.run.tasks_of(rank, "Dispatch");
    REQUIRE(dispatch.size() == kFilledShape.experts() * 2);
    for (const TaskView& task : dispatch) {
      CHECK(task.td.src == rank);
      CHECK(task.outputs[0].rank == task.td.dst);
      CHECK(task.td.gexpert == task.td.dst * kFilledShape.experts_per_rank + task.td.expert);
      CHECK(task.td.row == task.outputs[0].row_begin);
      CHECK(task.inputs[0].rank == rank);
      CHECK(task.inputs[0].rows().size() == (task.td.chunk == 0 ? 3 : 1));
      CHECK(task.inputs[1].flags == kMetadata);
      CHECK(task.td.task_split_value == kFilledCut.chunk);
    }
    for (const TaskView& task : forward.run.tasks_of(rank, "Combine")) {
      CHECK(task.td.src == rank);
      CHECK(task.outputs[0].rank == task.td.dst);
      CHECK(task.td.gexpert == rank * kFilledShape.experts_per_rank + task.td.expert);
    }
  }
}

TEST_CASE("Permute's tasks are Dispatch's puts, and Combine's puts are the way back of the same pieces") {
  const Expanded forward(forward_graph(kFilledShape, Window::kFull));
  for (std::uint32_t rank = 0; rank < kFilledShape.ep; ++rank) {
    const auto permute = forward.run.tasks_of(rank, "Permute"),
               dispatch = forward.run.tasks_of(rank, "Dispatch");
    REQUIRE(permute.size() == dispatch.size());
    for (std::size_t i = 0; i < permute.size(); ++i) {
      CHECK(same_pieces(permute[i], permute[i].outputs[0], dispatch[i], dispatch[i].inputs[0]));
    }
    for (const TaskView& put : dispatch) {
      const auto back = forward.run.tasks_of(put.td.dst, "Combine");
      CHECK(std::count_if(back.begin(), back.end(), [&](const TaskView& task) {
              return task.td.dst == rank && same_pieces(put, put.inputs[0], task, task.outputs[0]) &&
                     task.inputs[0].rows() == put.outputs[0].rows();
            }) == 1);
    }
  }
}

TEST_CASE(
    "A GMM tile is a partition's rows, run as shares of all its blocks, with the weights of its expert") {
  const Expanded forward(forward_graph(kFilledShape, Window::kTransport));
  const auto tasks = forward.run.tasks_of(1, "GMM1");
  REQUIRE(tasks.size() == kFilledShape.experts_per_rank * kFilledCut.partitions * kFilledCut.shares);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const TaskView& task = tasks[i];
    const std::uint32_t tile = static_cast<std::uint32_t>(i) / kFilledCut.shares,
                        expert = tile / kFilledCut.partitions;
    CHECK(task.td.expert == expert);
    CHECK(task.td.gexpert == kFilledShape.experts_per_rank + expert);
    CHECK(task.td.tile == i % kFilledCut.shares);
    CHECK(task.outputs[0].share == i % kFilledCut.shares);
    CHECK(task.outputs[0].shares == kFilledCut.shares);
    CHECK(task.inputs[0].rows() ==
          forward.layout.partition(1, expert, tile % kFilledCut.partitions, kFilledCut.partitions));
    CHECK(task.inputs[1].rows() == Rows{expert * kFilledShape.hidden, (expert + 1) * kFilledShape.hidden});
    CHECK(task.td.task_split_value == kExpertRows / kFilledCut.partitions);
    CHECK(task.td.tiling_data_position != kNone);
  }
}

TEST_CASE("A tile with fewer blocks than shares has as many tasks as blocks") {
  CutOptions cut = kFilledCut;
  cut.shares = 100;
  const Expanded forward(forward_graph(kFilledShape, Window::kTransport), cut);
  // Blocks of 4 x 3 over 4 rows a partition: N = 2 * 5 and N = 6.
  const std::uint32_t tiles = kFilledShape.experts_per_rank * kFilledCut.partitions;
  CHECK(forward.run.tasks_of(0, "GMM1").size() == tiles * ((2 * 5 + 2) / 3));
  CHECK(forward.run.tasks_of(0, "GMM2").size() == tiles * (6 / 3));
}

TEST_CASE("Vector tasks are cut to task_rows inside a partition, the last one takes what is left") {
  CutOptions cut = kFilledCut;
  cut.task_rows = 3;
  const Expanded forward(forward_graph(kFilledShape, Window::kTransport), cut);
  const auto tasks = forward.run.tasks_of(0, "SwiGLU");
  REQUIRE(tasks.size() == kFilledShape.experts_per_rank * kFilledCut.partitions * 2);
  CHECK(tasks[0].outputs[0].rows() == Rows{0, 3});
  CHECK(tasks[1].outputs[0].rows() == Rows{3, 4});
  CHECK(tasks[1].td.tile == 1);
  CHECK(tasks[2].outputs[0].rows() == Rows{4, 7});
  CHECK(tasks[2].td.tile == 0);
}

TEST_CASE("A weight gradient waits for all rows of its expert whatever the partitions") {
  const Expanded backward(backward_graph(kFilledShape, Window::kTransport));
  const auto tasks = backward.run.tasks_of(1, "GMM_w1_grad");
  REQUIRE(tasks.size() == kFilledShape.experts_per_rank * kFilledCut.shares);
  for (const TaskView& task : tasks) {
    const Rows rows = backward.layout.received_expert(1, task.td.expert);
    CHECK(task.inputs[0].rows() == rows);
    CHECK(task.inputs[1].rows() == rows);
    CHECK(task.outputs[0].rows() ==
          Rows{task.td.expert * kFilledShape.hidden, (task.td.expert + 1U) * kFilledShape.hidden});
  }
}

TEST_CASE(
    "Slots without capacity make no puts, experts without capacity no tiles, but weight gradients all the "
    "same") {
  RoutingCounts counts(kFilledShape.ep, kFilledShape.experts());
  counts.at(0, 4) = 5;
  const RowLayout layout(kFilledShape, counts);
  const Graph graph = backward_graph(kFilledShape, Window::kTransport);
  const SmallRun run(graph, layout, kFilledCut, {});
  CHECK(run.tasks_of(0, "Dispatch_bwd").size() == 2);
  CHECK(run.tasks_of(1, "Dispatch_bwd").empty());
  CHECK(run.tasks_of(0, "GMM_act_grad").empty());
  CHECK(run.tasks_of(1, "SwiGLU_grad").size() == 2 + 1);
  CHECK(run.tasks_of(0, "GMM_w2_grad").size() == kFilledShape.experts_per_rank * kFilledCut.shares);
}

TEST_CASE("Splits that mean nothing are refused") {
  CutOptions none = kFilledCut;
  none.chunk = 0;
  CHECK_THROWS_WITH(Expanded(forward_graph(kFilledShape, Window::kTransport), none),
                    Catch::Contains("chunk 0"));
  Graph graph;
  const Graph backward = backward_graph(kFilledShape, Window::kTransport);
  for (const TensorNode& tensor : backward.tensors()) graph.add_tensor(tensor);
  for (OperatorNode node : backward.operators()) {
    if (node.name == "GMM_w1_grad") node.split.inherits = {{1, 0}};
    graph.add_operator(node);
  }
  CHECK_THROWS_WITH(Expanded(graph), Catch::Contains("'GMM_w1_grad'") && Catch::Contains("over rows"));
}

TEST_CASE("The blocks of a grid tile its output, smaller at the edges") {
  const Tiling tiling{.base_m = 4, .base_n = 3, .order = BlockOrder::kRowMajor};
  const BlockGrid grid(10, 7, tiling);
  std::uint32_t area = 0;
  for (std::uint32_t b = 0; b < grid.count(); ++b) area += grid.block(b).rows * grid.block(b).cols;
  CHECK(grid.count() == 3 * 3);
  CHECK(area == 10 * 7);
  CHECK(grid.block(8).rows == 10 - 2 * 4);
  CHECK(grid.block(8).cols == 7 - 2 * 3);
  CHECK(BlockGrid(0, 7, tiling).count() == 0);
}
