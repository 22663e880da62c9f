#include "scheduler/compile/task_weights.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/scheduler/small_compile.h"
#include "tests/scheduler/wiring_oracle.h"

namespace a3sim {

TEST_CASE("depth and path are the longest chains of waits") {
  const MoeShape shape = small_shape(2);
  CompileOptions options = small_options(2, uneven_counts(shape, 4), 2);
  const Schedule schedule = compile(small_graph(true, shape), "g", options).schedule;
  const TaskflowView flow(schedule);
  const RowLayout layout(shape, options.capacity);
  options.path_rates = {1e9, 1e9};
  options.order.keys[0] = {"depth + path"};
  options.order.keys[1] = {"bytes + flops"};
  const TaskWeights weights(flow, layout, options);

  const oracle::Matrix waits = oracle::wired(flow);
  const std::vector<oracle::Task> tasks = oracle::all_tasks(flow);
  const std::size_t n = tasks.size();
  std::vector<double> own(n), depth(n), path(n);
  for (std::size_t i = 0; i < n; ++i) {
    const TaskWeights::Values v = weights.values(tasks[i].rank, tasks[i].index);
    const bool cube = oracle::td(flow, tasks[i]).queue_type == kAicQueue;
    own[i] = std::ceil((cube ? v.flops : v.bytes) * 1e12 / 1e9);
  }
  path = own;
  for (std::size_t round = 0; round < n; ++round) {  // Bellman-Ford
    for (std::size_t c = 0; c < n; ++c) {
      for (std::size_t p = 0; p < n; ++p) {
        if (!waits[c][p]) continue;
        depth[c] = std::max(depth[c], depth[p] + 1);
        path[p] = std::max(path[p], own[p] + path[c]);
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const TaskWeights::Values v = weights.values(tasks[i].rank, tasks[i].index);
    CHECK(v.depth == depth[i]);
    CHECK(v.path == Approx(path[i]).epsilon(1e-12));
  }
}

TEST_CASE("bytes and flops are those of the operator's work") {
  const MoeShape shape{
      .tokens = 4, .hidden = 8, .intermediate = 4, .top_k = 1, .experts_per_rank = 1, .ep = 1};
  CompileOptions options = small_options(1, route({}, shape));
  options.shape = shape;
  options.cut = {.shares = 1, .partitions = 1, .chunk = 4, .task_rows = 4};
  const Schedule schedule = compile(small_graph(false, shape), "g", options).schedule;
  const TaskflowView flow(schedule);
  options.order.keys[0] = {"bytes"};
  const TaskWeights weights(flow, RowLayout(shape, options.capacity), options);
  constexpr double kRows = 4, kHidden = 8, kWidth = 4, kElement = 2;
  for (std::uint32_t t = 0; t < flow.ranks[0].tasks.size(); ++t) {
    const std::string& name = flow.operators[flow.ranks[0].tasks[t].op].name;
    const TaskWeights::Values v = weights.values(0, t);
    if (name == "Dispatch") CHECK(v.bytes == kRows * kHidden * kElement);
    if (name == "SwiGLU") CHECK(v.bytes == (kRows * 2 * kWidth + kRows * kWidth) * kElement);
    if (name != "GMM1") continue;
    CHECK(v.flops == 2 * kRows * kHidden * 2 * kWidth);
    CHECK(v.bytes == (kRows * kHidden + kHidden * 2 * kWidth + kRows * 2 * kWidth) * kElement);
  }
}

TEST_CASE("rows are those of the task, distance and node follow from where its ranks' dies lie") {
  // Two nodes of 4 dies, packages of 2: ranks 0 and 1 share a package, 2 their node, 3 is elsewhere.
  const MoeShape shape = small_shape(4);
  CompileOptions options = small_options(4, uneven_counts(shape, 4));
  options.placement = {{0, 1, 2, 4}, {2, 4, kNone}, 4};
  options.order.keys[1] = {"rows", "distance", "node"};
  for (const bool backward : {false, true}) {
    const Schedule schedule = compile(small_graph(backward, shape), "g", options).schedule;
    const TaskflowView flow(schedule);
    const TaskWeights weights(flow, RowLayout(shape, options.capacity), options);
    constexpr double kDistance[4][4] = {{0, 1, 2, 3}, {1, 0, 2, 3}, {2, 2, 0, 3}, {3, 3, 3, 0}};
    double sent = 0, summed = 0;
    for (std::uint32_t r = 0; r < 4; ++r) {
      for (std::uint32_t t = 0; t < flow.ranks[r].tasks.size(); ++t) {
        const TaskDescriptor& td = flow.ranks[r].tasks[t];
        const std::string& type = flow.operators[td.op].type;
        const TaskWeights::Values v = weights.values(r, t);
        CHECK(v.distance == kDistance[td.src][td.dst]);
        CHECK(v.node == (td.dst == 3 ? 1 : 0));
        if (type == "Dispatch") sent += v.rows;
        if (type == "GroupedMatmulWeightGrad" && td.tile == 0) summed += v.rows;
      }
    }
    double all = 0;
    for (std::uint32_t src = 0; src < 4; ++src) {
      for (const std::uint32_t rows : options.capacity.source(src)) all += rows;
    }
    CHECK(sent == all);
    CHECK(summed == (backward ? 2 * all : 0));  // of w1 and of w2, over all rows of each expert
  }
}

TEST_CASE("largest experts first: matrix tasks stand by the rows of their expert") {
  const MoeShape shape = small_shape(2);
  CompileOptions options = small_options(2, uneven_counts(shape, 4));
  options.order.keys[0] = {"stage", "-rows"};
  const Schedule schedule = compile(small_graph(false, shape), "g", options).schedule;
  for (const Ssc& ssc : schedule) {
    std::uint32_t before = kNone, stage = kNone;
    for (const std::uint32_t task : ssc.queue(kAicQueue)) {
      const TaskDescriptor& td = ssc.tasks()[task];
      std::uint32_t rows = 0;
      for (std::uint32_t src = 0; src < shape.ep; ++src) rows += options.capacity.at(src, td.gexpert);
      if (td.stage != stage) before = kNone;
      CHECK(rows <= before);
      before = rows;
      stage = td.stage;
    }
  }
}

TEST_CASE("an order by path without rates is refused") {
  const MoeShape shape = small_shape(1);
  CompileOptions options = small_options(1, route({}, shape));
  options.order.keys[0] = {"-path"};
  CHECK_THROWS_WITH(compile(small_graph(false, shape), "g", options), Catch::Contains("path"));
}

}  // namespace a3sim
