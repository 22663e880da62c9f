#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <typeinfo>

#include "models/operators/elementwise.h"
#include "tests/models/small_run.h"

using namespace a3sim;
using namespace a3sim::test;

// What every registered operator keeps to: a new one is tested without a line here.
namespace {

constexpr std::uint32_t kOperatorRows = 11, kOperatorCols = 6;

Graph alone(std::string_view type, std::uint32_t task_rows) {
  return elementwise_graph(
      {.type = std::string(type), .rows = kOperatorRows, .cols = kOperatorCols, .task_rows = task_rows});
}

// The results of an operator on drawn rows, in tasks of `task_rows`.
Matrix results(std::string_view type, std::uint32_t task_rows) {
  const Graph graph = alone(type, task_rows);
  const RowLayout layout({.experts_per_rank = 1, .ep = 1}, RoutingCounts(1, 1));
  SmallRun run(graph, layout, {}, {});
  for (std::uint32_t i = 0; i < graph.operators()[0].inputs.size(); ++i) {
    const TensorNode& tensor = graph.tensors()[index(graph.operators()[0].inputs[i])];
    run.set(0, tensor.name, random_matrix(i, tensor.rows, tensor.cols));
  }
  run.run(1);
  return run.get(0, "out");
}

}  // namespace

TEST_CASE("Operators of one task type are of one kernel: puts, or variants of one class") {
  std::map<TaskType, std::string> first;
  for (const auto& [name, item] : Operators::all()) {
    const TaskType type = item.object->task_type();
    if (type == TaskType::kPutMemSignal) continue;
    const std::string& other = first.emplace(type, name).first->second;
    INFO(name << " and " << other << " have task type " << static_cast<std::uint16_t>(type));
    const Operator &a = *item.object, &b = Operators::get(other);
    CHECK(typeid(a) == typeid(b));
  }
}

TEST_CASE("Every operator's split is of operands that it has") {
  for (const auto& [name, item] : Operators::all()) {
    INFO(name);
    const SplitSpec split = item.object->split_spec();
    CHECK(split.output_dims.size() == item.object->num_outputs());
    for (const SplitSpec::Inherit& inherit : split.inherits) CHECK(inherit.input < item.object->num_inputs());
  }
}

TEST_CASE("Every elementwise operator writes all of its output, the same in tasks of any size") {
  for (const std::string_view name : elementwise_operators()) {
    INFO(name);
    const Matrix whole = results(name, kOperatorRows);
    for (const std::vector<float>& row : whole) {
      for (const float value : row) CHECK(std::isfinite(value));
    }
    for (const std::uint32_t task_rows : {1U, 4U}) CHECK(results(name, task_rows) == whole);
  }
}

TEST_CASE("Every elementwise operator's work is to read its inputs and to write its output") {
  for (const std::string_view name : elementwise_operators()) {
    INFO(name);
    const Graph graph = alone(name, 4);
    const RowLayout layout({.experts_per_rank = 1, .ep = 1}, RoutingCounts(1, 1));
    const SmallRun run(graph, layout, {}, {});
    std::uint64_t read = 0, written = 0;
    for (const TaskView& task : run.tasks_of(0, std::string(name))) {
      Work work;
      Operators::get(name).work(run.context(0), task, work);
      CHECK(work.kind == WorkKind::kVector);
      read += work.stream_bytes(false);
      written += work.stream_bytes(true);
    }
    std::uint64_t expected = 0;
    for (const TensorId input : graph.operators()[0].inputs) expected += run.tensors(0)[index(input)].bytes();
    CHECK(read == expected);
    CHECK(written == run.tensors(0)[index(graph.operators()[0].outputs[0])].bytes());
  }
}

TEST_CASE("Every elementwise operator refuses an output of other columns") {
  for (const std::string_view name : elementwise_operators()) {
    INFO(name);
    const Graph graph = alone(name, 4);
    std::vector<TensorInfo> tensors = tensor_infos(graph, MoeShape{.experts_per_rank = 1, .ep = 1});
    TensorInfo output = tensors.back();
    tensors.pop_back();
    CHECK(Operators::get(name).mismatch(tensors, {&output, 1}, false).empty());
    ++output.cols;
    CHECK_FALSE(Operators::get(name).mismatch(tensors, {&output, 1}, false).empty());
  }
}
