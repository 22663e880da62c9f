#include "scheduler/compile/show.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "tests/scheduler/small_compile.h"

namespace a3sim {
namespace {

struct Shown {
  MoeShape shape = small_shape(2);
  CompileOptions options = small_options(2, route({}, shape));
  Graph graph = small_graph(false, shape);
  Compilation compiled = compile(graph, "forward", options);
  const Schedule& schedule = compiled.schedule;

  // Task number of an operator's task on rank 0.
  TaskId task(const std::string& op, std::uint32_t task_index) const {
    const Ssc& ssc = schedule[0];
    for (std::uint32_t t = 0; t < ssc.tasks().size(); ++t) {
      if (ssc.operators()[ssc.tasks()[t].op].name == op && ssc.tasks()[t].task_index == task_index)
        return TaskId{t};
    }
    throw InputError("no such task");
  }
};

std::size_t lines_with(const std::string& text, const std::string& what) {
  std::size_t lines = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    lines += text.substr(begin, end - begin).find(what) != std::string::npos;
    begin = end + 1;
  }
  return lines;
}

}  // namespace

TEST_CASE("the graph's text names operators, tensors and partitions") {
  const Shown s;
  const Splits splits = propagate_splits(s.graph, s.shape, s.options.cut);
  const std::string text = show_graph(s.schedule[0], &splits);
  CHECK(text.find("GMM1 (GroupedMatmul), stage 1, 2 tiles\n") != std::string::npos);
  CHECK(text.find("  out  gate_up [12 x 8] bf16 received (0, 2)\n") != std::string::npos);
  CHECK(lines_with(show_graph(s.schedule[0]), "tiles") == 0);
}

TEST_CASE("the graph's DOT has a node an operator and an edge a tensor that an operator reads") {
  const Shown s;
  const std::string dot = show_dot(s.schedule[0]);
  CHECK(dot.starts_with("digraph \"forward\" {\n"));
  CHECK(dot.ends_with("}\n"));
  std::size_t edges = 0;
  for (const OperatorInfo& op : s.schedule[0].operators()) edges += op.inputs.size();
  constexpr std::size_t kUnread = 1;  // what Combine returns
  CHECK(lines_with(dot, " -> ") == edges + kUnread);
  CHECK(lines_with(dot, "[label=\"SwiGLU\"]") == 1);
}

TEST_CASE("a queue's text has its first tasks, and no more than there are") {
  const Shown s;
  CHECK(lines_with(show_queue(s.schedule, RankId{0}, "vtq", 3), "Dispatch[") == 3);
  const std::string all = show_queue(s.schedule, RankId{0}, "ctq", 1'000'000);
  CHECK(lines_with(all, "GMM") == s.schedule[0].queue(kAicQueue).size());
}

TEST_CASE("a task's text has its fields, the bytes of its regions, and whom it waits for") {
  const Shown s;
  const std::string text = show_task(s.schedule, RankId{0}, s.task("GMM1", 1));
  CHECK(text.find("GMM1[1]\n") != std::string::npos);
  // Expert 0 of rank 0: 3 rows of 8 bf16 columns from each of two sources.
  CHECK(text.find("  in   received of rank 0, rows [0, 6), bytes [0, 96)\n") != std::string::npos);
  CHECK(text.find(", blocks 1 mod 3\n") != std::string::npos);
  Shown two;
  two.options.cut.shares = 2;
  two.compiled = compile(two.graph, "forward", two.options);
  const std::string of_two = show_task(two.schedule, RankId{0}, two.task("GMM1", 1));
  CHECK(of_two.find(", blocks 1 mod 2\n") != std::string::npos);
  // A field a line, under the names that the public runtime and the orders have for them.
  for (const char* field : {"task_type", "queue_type", "worker_set", "op", "dependent_event", "trigger_event",
                            "task_index", "task_split_value", "tiling_data_position", "stage", "expert",
                            "gexpert", "src", "dst", "row", "tile", "chunk"}) {
    INFO(field);
    CHECK(lines_with(text, std::string("  ") + field + ' ') == 1);
  }
  CHECK(text.find("  waits for 4 triggers of\n") != std::string::npos);
  CHECK(lines_with(text, "of rank 0: Dispatch[") == 2);
  CHECK(lines_with(text, "of rank 1: Dispatch[") == 2);
  CHECK(show_task(s.schedule, RankId{0}, s.task("Dispatch", 0)).find("waits for nothing") !=
        std::string::npos);
}

TEST_CASE("an event's text has its producers and consumers on all ranks") {
  const Shown s;
  const TaskDescriptor& td = s.schedule[0].tasks()[index(s.task("GMM1", 0))];
  const std::string text = show_event(s.schedule, RankId{0}, EventId{td.dependent_event});
  CHECK(text.find("threshold 4\n") != std::string::npos);
  CHECK(lines_with(text, "Dispatch[") == 4);
  CHECK(lines_with(text, "GMM1[") == s.options.cut.shares);
}

TEST_CASE("totals count tasks by operator, and sharing as the compiler found it") {
  const Shown s;
  const std::string text = show_totals(s.schedule);
  CHECK(lines_with(text, "GMM1") == 1);
  const SharingReport report = sharing_report(s.schedule);
  CHECK(report.exact_pairs == s.compiled.sharing.exact_pairs);
  CHECK(report.shared_pairs == s.compiled.sharing.shared_pairs);
  CHECK(report.joins == s.compiled.sharing.joins);
}

TEST_CASE("what does not exist is not shown") {
  const Shown s;
  CHECK_THROWS_WITH(show_queue(s.schedule, RankId{2}, "ctq", 1), "there is no rank 2; there are 2");
  CHECK_THROWS_AS(show_task(s.schedule, RankId{0}, TaskId{1'000'000}), InputError);
  CHECK_THROWS_AS(show_event(s.schedule, RankId{0}, EventId{1'000'000}), InputError);
  CHECK_THROWS_AS(show_totals({}), InputError);
}

}  // namespace a3sim
