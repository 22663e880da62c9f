#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <functional>

#include "scheduler/ssc/parts_of.h"
#include "scheduler/verify/verify.h"
#include "tests/scheduler/small_compile.h"

namespace a3sim {
namespace {

using Catch::Matchers::Contains;

constexpr std::uint32_t kRanks = 2;

Schedule good_memory(bool backward = false) {
  const MoeShape shape = small_shape(kRanks);
  return compile(small_graph(backward, shape), "g", small_options(kRanks, route({}, shape))).schedule;
}

void change_one(Ssc& ssc, const std::function<void(SscParts&)>& change) {
  SscParts parts = parts_of(ssc);
  change(parts);
  ssc = Ssc::build(parts);
}

std::string errors_in(const Schedule& schedule) {
  std::string all;
  for (const std::string& error : verify(schedule).errors) all += error + '\n';
  return all;
}

// Returns all errors that the check finds in the schedule with rank 0 changed, one per line.
std::string errors_with(const std::function<void(SscParts&)>& change, bool backward = false) {
  Schedule schedule = good_memory(backward);
  change_one(schedule[0], change);
  return errors_in(schedule);
}

// Returns the same with every rank changed alike: ranks with different tables are refused before their tasks are looked
// at.
std::string errors_with_all_ranks(const std::function<void(SscParts&)>& change) {
  Schedule schedule = good_memory();
  for (Ssc& ssc : schedule) change_one(ssc, change);
  return errors_in(schedule);
}

TaskDescriptor& first_task_of(SscParts& parts, const std::string& op) {
  return *std::ranges::find_if(parts.tasks,
                               [&](const TaskDescriptor& td) { return parts.operators[td.op].name == op; });
}

Region& output_of(SscParts& parts, const TaskDescriptor& td) {
  return parts.regions[td.first_region + td.num_inputs];
}

}  // namespace

TEST_CASE("a share that no task writes, and one that two tasks write, are found") {
  const std::string errors = errors_with([](SscParts& parts) {
    TaskDescriptor& task = first_task_of(parts, "GMM1");
    CHECK(output_of(parts, task).share == 0);
    output_of(parts, task).share = 1;
  });
  CHECK_THAT(errors, Contains("no task writes share 0 of 3 of rows ["));
  CHECK_THAT(errors, Contains("GMM1[0] on rank 0 and GMM1[1] on rank 0 both write rows ["));
}

TEST_CASE("rows that no task writes, and rows that two tasks write, are found") {
  const std::string errors = errors_with([](SscParts& parts) {
    Region& region = output_of(parts, first_task_of(parts, "SwiGLU"));
    ++region.row_begin;
    ++region.row_end;
  });
  CHECK_THAT(errors, Contains("no task writes rows [0, 1) of"));
  CHECK_THAT(errors, Contains("SwiGLU[0] on rank 0 and SwiGLU[1] on rank 0 both write rows [2, 3)"));
}

TEST_CASE("products cut to one row of each expert are found") {
  const std::string errors = errors_with([](SscParts& parts) {
    for (const TaskDescriptor& td : parts.tasks) {
      if (parts.operators[td.op].name != "GMM1") continue;
      for (Region* region : {&parts.regions[td.first_region], &output_of(parts, td)})
        region->row_end = region->row_begin + 1;
    }
  });
  CHECK_THAT(errors, Contains("no task writes rows [1, "));
}

TEST_CASE("a task of whatever kind that writes a row less, or a row of another's, is found") {
  for (const bool backward : {false, true}) {
    const Graph graph = small_graph(backward, small_shape(kRanks));
    for (const OperatorNode& op : graph.operators()) {
      INFO(op.name);
      CHECK_THAT(
          errors_with([&](SscParts& parts) { --output_of(parts, first_task_of(parts, op.name)).row_end; },
                      backward),
          Contains("no task writes"));
      // The last one begins a row earlier.
      const std::string errors = errors_with(
          [&](SscParts& parts) {
            TaskDescriptor* last = nullptr;
            for (TaskDescriptor& td : parts.tasks) {
              if (parts.operators[td.op].name == op.name && output_of(parts, td).row_begin > 0) last = &td;
            }
            REQUIRE(last != nullptr);
            --output_of(parts, *last).row_begin;
          },
          backward);
      CHECK_THAT(errors, Contains("both write"));
    }
  }
}

TEST_CASE("a task that writes what is given from outside is found") {
  const std::string errors = errors_with_all_ranks([](SscParts& parts) {
    parts.tensors[output_of(parts, first_task_of(parts, "SwiGLU")).tensor].external = true;
  });
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    CHECK_THAT(errors,
               Contains(fmt::format("SwiGLU[0] on rank {} writes activation on rank {}, which is given "
                                    "from outside",
                                    rank, rank)));
  }
}

TEST_CASE("memory of another rank is for puts, which write and count at their destination") {
  CHECK_THAT(errors_with([](SscParts& parts) { output_of(parts, first_task_of(parts, "SwiGLU")).rank = 1; }),
             Contains("SwiGLU[0] on rank 0 writes the memory of rank 1 and is no put"));
  CHECK_THAT(errors_with([](SscParts& parts) {
               parts.regions[first_task_of(parts, "SwiGLU").first_region].rank = 1;
             }),
             Contains("SwiGLU[0] on rank 0 reads the memory of rank 1"));
  CHECK_THAT(errors_with([](SscParts& parts) { first_task_of(parts, "Dispatch").dst ^= 1; }),
             Contains("and its destination is rank"));
}

TEST_CASE("a task that reads other rows than its operator needs is found, though it waits for all") {
  for (const char* op : {"GMM_w2_grad", "GMM_act_grad", "SwiGLU_grad"}) {
    const std::string errors = errors_with(
        [&](SscParts& parts) { --parts.regions[first_task_of(parts, op).first_region].row_end; }, true);
    CHECK_THAT(errors, Contains(std::string(op) + "[0] on rank 0 reads rows [0, "));
    CHECK_THAT(errors, Contains("do not follow from these"));
  }
}

TEST_CASE("a wait that only the place in a queue makes up for is refused, and the message says so") {
  Graph graph;
  const auto plain = [&](const char* name, std::uint32_t cols, bool external) {
    return graph.add_tensor({name, Layout::kPlain, 6, cols, DataType::kBf16, external});
  };
  const TensorId x = plain("x", 8, true), y = plain("y", 4, false), z = plain("z", 4, true),
                 sum = plain("sum", 4, false);
  graph.add_operator(make_node("First", "SwiGLU", {x}, {y}));
  graph.add_operator(make_node("Second", "Add", {y, z}, {sum}));
  for (const std::uint32_t workers : {1, 2}) {
    CompileOptions options = small_options(1, RoutingCounts(1, 2));
    options.order.keys[1] = {"tile", "stage"};
    options.workers[kAivQueue].count = workers;
    SscParts parts = parts_of(compile(graph, "g", options).schedule[0]);
    TaskDescriptor& reader = first_task_of(parts, "Second");
    REQUIRE(reader.dependent_event != kNone);
    reader.dependent_event = kNone;
    const std::vector<std::string> errors = verify({Ssc::build(parts)}).errors;
    REQUIRE(errors.size() == 1);
    CHECK_THAT(errors[0], Contains("Second[0] on rank 0 reads what First[0] on rank 0 writes"));
    // With two workers the second one has the reader.
    const auto by_queue = Contains("(workers' queues put it later, which holds for static execution alone)");
    if (workers == 1) CHECK_THAT(errors[0], by_queue);
    if (workers == 2) CHECK_THAT(errors[0], !by_queue);
  }
}

TEST_CASE("a reader that comes before its writer kernel by kernel is found") {
  Schedule schedule = good_memory();
  for (Ssc& ssc : schedule) {
    SscParts parts = parts_of(ssc);
    for (OperatorInfo& op : parts.operators) op.stage = op.name == "Combine" ? 0 : op.stage + 1;
    ssc = Ssc::build(parts);
  }
  const Findings findings = verify(schedule);
  REQUIRE(!findings.errors.empty());
  CHECK_THAT(findings.errors.front(), Contains("Combine["));
  CHECK_THAT(findings.errors.front(), Contains("comes before it kernel by kernel"));
}

TEST_CASE("puts that nobody waits for count into the done event of their own destinations") {
  const MoeShape shape = small_shape(3);
  Graph graph;
  const TensorId counts = graph.add_tensor({"counts", Layout::kPlain, 3, 6, DataType::kInt32, true});
  const TensorId sent = graph.add_tensor({"sent", Layout::kSent, 0, 8, DataType::kBf16, true});
  const TensorId received = graph.add_tensor({"received", Layout::kReceived, 0, 8, DataType::kBf16, false});
  graph.add_operator(make_node("Dispatch", "Dispatch", {sent, counts}, {received}));
  CompileOptions options = small_options(3, route({}, shape));
  options.shape.ep = 3;
  const Schedule schedule = compile(graph, "g", options).schedule;
  for (const Ssc& ssc : schedule) {
    for (const TaskDescriptor& td : ssc.tasks()) CHECK(td.trigger_rank == td.dst);
  }
  CHECK(verify(schedule).errors.empty());
}

}  // namespace a3sim
