#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <optional>

#include "tests/models/shipped_graph.h"
#include "tests/models/small_run.h"

using namespace a3sim;
using namespace a3sim::test;

namespace {

constexpr MoeShape kShape{
    .tokens = 12, .hidden = 6, .intermediate = 5, .top_k = 2, .experts_per_rank = 3, .ep = 2};
constexpr CutOptions kCut{.shares = 3, .partitions = 2, .chunk = 3, .task_rows = 2};
constexpr std::uint64_t kRow = 6 * 2;  // bytes of a hidden row in bf16

// A bucket twice as large as the balanced routing; expert 1 of rank 0 has no rows at all.
struct Bucket {
  explicit Bucket(const Graph& ops) : graph(ops), counts(route({}, kShape)), capacity(counts) {
    for (std::uint32_t src = 0; src < kShape.ep; ++src) {
      counts.at(src, 1) = 0;
      for (std::uint32_t e = 0; e < kShape.experts(); ++e) capacity.at(src, e) *= 2;
    }
    layout.emplace(kShape, capacity, counts);
    run.emplace(graph, *layout, kCut, Routed{});
  }
  Work work(std::uint32_t rank, const TaskView& task) const {
    Work work;
    const WorkContext context = run->context(rank);
    Operators::get(context.operators[task.td.op].type).work(context, task, work);
    return work;
  }
  std::vector<Work> works(std::uint32_t rank, const char* op) const {
    std::vector<Work> all;
    for (const TaskView& task : run->tasks_of(rank, op)) all.push_back(work(rank, task));
    return all;
  }
  std::uint64_t sum(std::uint32_t rank, const char* op, std::uint64_t (*of)(const Work&)) const {
    std::uint64_t total = 0;
    for (const Work& work : works(rank, op)) total += of(work);
    return total;
  }
  Graph graph;
  RoutingCounts counts, capacity;
  std::optional<RowLayout> layout;
  std::optional<SmallRun> run;
};

std::uint64_t macs(const Work& work) { return work.kind == WorkKind::kCube ? work.macs() : 0; }
std::uint64_t reads(const Work& work) { return work.stream_bytes(false); }
std::uint64_t writes(const Work& work) { return work.stream_bytes(true); }

// 4 rows a source and expert from 2 sources; rank 0 has two experts with rows, rank 1 three.
constexpr std::uint64_t kReceived0 = 2 * 2 * 4, kReceived1 = 3 * 2 * 4, kSent = 5 * 4;

}  // namespace

TEST_CASE("Matrix tasks multiply the real rows and nothing else") {
  const Bucket forward(forward_graph(kShape, Window::kTransport));
  CHECK(forward.sum(0, "GMM1", macs) == kReceived0 * 6 * (2 * 5));
  CHECK(forward.sum(1, "GMM1", macs) == kReceived1 * 6 * (2 * 5));
  CHECK(forward.sum(1, "GMM2", macs) == kReceived1 * 5 * 6);
  const Bucket backward(backward_graph(kShape, Window::kTransport));
  CHECK(backward.sum(1, "GMM_act_grad", macs) == kReceived1 * 6 * 5);
  CHECK(backward.sum(1, "GMM_gate_grad", macs) == kReceived1 * (2 * 5) * 6);
  CHECK(backward.sum(0, "GMM_w2_grad", macs) == kReceived0 * 5 * 6);
  CHECK(backward.sum(0, "GMM_w1_grad", macs) == kReceived0 * 6 * (2 * 5));
}

TEST_CASE(
    "A matrix task without rows or blocks does nothing, but weight gradients of an expert without rows write "
    "zeros") {
  const Bucket backward(backward_graph(kShape, Window::kTransport));
  for (const TaskView& task : backward.run->tasks_of(0, "GMM_act_grad")) {
    const Work work = backward.work(0, task);
    // 4 real rows a partition are 2 blocks of 4 x 3 of the 5 columns: nothing is left for the third share.
    CHECK((work.kind == WorkKind::kNothing) == (task.td.expert == 1 || task.outputs[0].share == 2));
    CHECK(work.b_transposed);
  }
  for (const TaskView& task : backward.run->tasks_of(0, "GMM_w1_grad")) {
    const Work work = backward.work(0, task);
    CHECK(work.kind == WorkKind::kCube);
    CHECK(work.zero_fill == (task.td.expert == 1));
    CHECK(work.a_transposed);
    CHECK(work.gemms.at(0).c_row == task.td.expert * kShape.hidden);
  }
}

TEST_CASE("Puts carry each real row once, and one without rows is still a put") {
  const Bucket forward(forward_graph(kShape, Window::kTransport));
  const auto bytes = [](const Work& work) { return work.put_bytes; };
  for (std::uint32_t rank = 0; rank < kShape.ep; ++rank) {
    CHECK(forward.sum(rank, "Dispatch", bytes) == kSent * kRow);
    CHECK(forward.sum(rank, "Dispatch", reads) == kSent * kRow);
    CHECK(forward.sum(rank, "Dispatch", writes) == kSent * kRow);
    CHECK(forward.sum(rank, "Combine", bytes) == (rank == 0 ? kReceived0 : kReceived1) * kRow);
    std::size_t empty = 0;
    for (const TaskView& task : forward.run->tasks_of(rank, "Dispatch")) {
      const Work work = forward.work(rank, task);
      CHECK(work.kind == WorkKind::kPut);
      CHECK(work.dst == RankId{task.td.dst});
      CHECK(work.streams.size() == (work.put_bytes == 0 ? 0 : 2));
      if (work.put_bytes > 0) CHECK(work.streams[1].rank == work.dst);
      empty += work.put_bytes == 0;
    }
    CHECK(empty > 0);
  }
}

TEST_CASE("Vector tasks move their operands' bytes and count their instructions") {
  const Bucket forward(forward_graph(kShape, Window::kFull)), backward(backward_graph(kShape, Window::kFull));
  CHECK(forward.sum(1, "SwiGLU", reads) == kReceived1 * (2 * 5) * 2);
  CHECK(forward.sum(1, "SwiGLU", writes) == kReceived1 * 5 * 2);
  const auto exponentials = [](const Work& work) { return work.ops.transcendental; };
  CHECK(forward.sum(1, "SwiGLU", exponentials) == kReceived1 * 5 * 2);
  CHECK(backward.sum(1, "SwiGLU_grad", reads) == kReceived1 * (5 + 2 * 5) * 2);
  CHECK(backward.sum(1, "SwiGLU_grad", writes) == kReceived1 * (2 * 5) * 2);

  CHECK(forward.sum(0, "Permute", reads) == kSent * kRow);
  CHECK(forward.sum(0, "Accumulate", reads) == kSent * kRow);
  CHECK(forward.sum(0, "Accumulate", writes) == kShape.tokens * kRow);
  const auto simple = [](const Work& work) { return work.ops.simple_fp32; };
  CHECK(forward.sum(0, "Permute", simple) == 0);
  CHECK(backward.sum(0, "Permute_bwd", simple) == kSent * kShape.hidden);
  CHECK(forward.sum(0, "Accumulate", simple) == 2 * kSent * kShape.hidden);
  CHECK(backward.sum(0, "Accumulate_bwd", simple) == kSent * kShape.hidden);
}

TEST_CASE("only bf16 operands are converted: fp32 and fp16 have arithmetic of their own") {
  const RowLayout layout(kShape, RoutingCounts(kShape.ep, kShape.experts()));
  for (const DataType dtype : {DataType::kFp32, DataType::kBf16, DataType::kFp16}) {
    const Graph graph = shipped_graph("swiglu_add.yaml", "sizes: {rows: 8, cols: 4, tiles: 1}, dtype: " +
                                                             std::string(name_of(dtype)))
                            .graph;
    const SmallRun run(graph, layout, kCut, {});
    Work work;
    Operators::get("Add").work(run.context(0), run.tasks_of(0, "Add")[0], work);
    CHECK(work.ops.convert == (dtype == DataType::kBf16 ? 3 * 8 * 4 : 0));
    CHECK(work.ops.simple_fp32 == 8 * 4);
    CHECK(work.stream_bytes(false) == 2 * 8 * 4 * element_bytes(dtype));
  }
}

TEST_CASE("Work that is used again keeps its memory and nothing else") {
  const Bucket backward(backward_graph(kShape, Window::kFull));
  Work work;
  for (std::uint32_t rank = 0; rank < kShape.ep; ++rank) {
    const WorkContext context = backward.run->context(rank);
    for (std::size_t i = 0; i < backward.run->tasks(rank).tasks.size(); ++i) {
      const TaskView task = backward.run->view(rank, i);
      work.clear();
      Operators::get(context.operators[task.td.op].type).work(context, task, work);
      const Work fresh = backward.work(rank, task);
      CHECK(work.kind == fresh.kind);
      CHECK(work.macs() == fresh.macs());
      CHECK(work.stream_bytes(false) == fresh.stream_bytes(false));
      CHECK(work.ops.simple_fp32 == fresh.ops.simple_fp32);
      CHECK(work.put_bytes == fresh.put_bytes);
      CHECK(work.zero_fill == fresh.zero_fill);
      CHECK(work.a_transposed == fresh.a_transposed);
      CHECK(work.b_transposed == fresh.b_transposed);
    }
  }
}

TEST_CASE("16-bit values are rounded to the nearest, ties to even") {
  CHECK(round_to(DataType::kBf16, 1.0F + 0x1p-8F) == 1.0F);            // a tie; 1 is even
  CHECK(round_to(DataType::kBf16, 1.0F + 0x3p-8F) == 1.0F + 0x1p-6F);  // a tie; the upper one is even
  CHECK(round_to(DataType::kBf16, 1.0F + 0x1.1p-8F) == 1.0F + 0x1p-7F);
  CHECK(round_to(DataType::kBf16, -1.0F - 0x1.1p-8F) == -1.0F - 0x1p-7F);
  CHECK(std::isinf(round_to(DataType::kBf16, std::numeric_limits<float>::max())));
  CHECK(std::isnan(round_to(DataType::kBf16, std::numeric_limits<float>::quiet_NaN())));
  CHECK(round_to(DataType::kFp16, 1.0F + 0x1p-11F) == 1.0F);
  CHECK(round_to(DataType::kFp16, 1.0F + 0x1.1p-11F) == 1.0F + 0x1p-10F);
  CHECK(round_to(DataType::kFp16, 65519.0F) == 65504.0F);
  CHECK(std::isinf(round_to(DataType::kFp16, 65520.0F)));
  CHECK(round_to(DataType::kFp16, 0x1.8p-24F) == 0x1p-23F);  // between two subnormals; the upper one is even
  CHECK(round_to(DataType::kFp16, -0x1p-25F) == 0.0F);
  CHECK(round_to(DataType::kInt8, 300.0F) == 127.0F);
  CHECK(round_to(DataType::kInt8, 2.5F) == 2.0F);
  CHECK(round_to(DataType::kInt32, -3.5F) == -4.0F);
  CHECK(round_to(DataType::kFp32, 0.1F) == 0.1F);
}
