#include "models/graph/mega_moe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>
#include <set>

#include "scheduler/ssc/parts_of.h"
#include "scheduler/verify/verify.h"
#include "sim/core/error.h"
#include "tests/scheduler/small_compile.h"

namespace a3sim {
namespace {

MegaMoeOptions small_mega_moe() {
  MegaMoeOptions options;
  options.vector_cores = 3;
  options.sorters = 2;
  options.index = true;
  options.dispatch_segments = options.combine_segments = {1, 1};
  options.activation_segments = {2};
  options.combine_meets = true;
  options.pull_rows = options.put_rows = 2;
  options.gmm1 = options.gmm2 = kSmallBlocks;
  return options;
}

CompileOptions mega_moe_options(std::uint32_t ep, const RoutingCounts& capacity) {
  CompileOptions options = small_options(ep, capacity);
  options.shape.top_k = 2;
  options.order.keys[0] = {"op", "expert", "tile"};
  options.order.keys[1] = {
      "op == Dispatched ? Dispatch : op == Multiplied || op == Activated ? SwiGLU : op == Arrived || op == "
      "Finished ? Combine : op",
      "op == Multiplied || op == SwiGLU || op == Activated ? chunk : expert", "op", "index"};
  options.order.workers = {{"Dispatch", "src"}, {"GMM1", "block"}, {"Arrived", "tile"}, {"Barrier", "0"}};
  return options;
}

Schedule mega_moe_schedule(std::uint32_t ep, std::uint64_t seed) {
  const CompileOptions options = mega_moe_options(ep, uneven_counts(small_shape(ep), seed));
  return compile(mega_moe_graph(options.shape, small_mega_moe()), "mega_moe", options).schedule;
}

const OperatorInfo& op_of(const Ssc& ssc, const TaskDescriptor& td) { return ssc.operators()[td.op]; }

}  // namespace

TEST_CASE("MegaMoE is sound: pulls, held starts and barriers are ordered by events") {
  for (const std::uint32_t ep : {1U, 2U, 3U}) {
    for (const std::uint64_t seed : {1U, 2U}) CHECK(verify(mega_moe_schedule(ep, seed)).errors.empty());
  }
}

TEST_CASE("Pulls wait for the segment before their own, whatever the segments") {
  const std::vector<std::vector<std::uint32_t>> cuts{{1, 1, 1, 1}, {2, 2}, {1, 3}, {3, 1}, {4}, {}};
  for (const std::vector<std::uint32_t>& segments : cuts) {
    MoeShape shape = small_shape(2);
    shape.experts_per_rank = 4;
    CompileOptions options = mega_moe_options(2, uneven_counts(shape, 1));
    options.order.elsewhere = {"Dispatched"};  // without segments this operator does not exist
    options.shape.experts_per_rank = 4;
    MegaMoeOptions cut = small_mega_moe();
    cut.dispatch_segments = segments;
    cut.combine_segments = {1, 1, 1, 1};
    cut.activation_segments = {2, 2};
    const Schedule schedule = compile(mega_moe_graph(options.shape, cut), "g", options).schedule;
    INFO(fmt::format("{}", fmt::join(segments, ", ")));
    CHECK(verify(schedule).errors.empty());
    for (const TaskDescriptor& td : schedule[0].tasks()) {
      if (segments.size() != 2 || op_of(schedule[0], td).name != "Dispatch") continue;
      std::set<std::string> behind;
      for (const TaskDescriptor& other : schedule[0].tasks())
        if (other.trigger_rank == 0 && other.trigger_event == td.dependent_event)
          behind.insert(op_of(schedule[0], other).name);
      CHECK(behind.contains("Dispatched") == (td.expert >= segments[0]));
    }
  }
}

TEST_CASE("In its second version, tokens of the first experts wait for these experts alone") {
  MoeShape shape = small_shape(2);
  shape.experts_per_rank = 4;
  RoutingCounts counts(shape.ep, shape.experts());
  for (std::uint32_t src = 0; src < shape.ep; ++src)
    for (std::uint32_t e = 0; e < shape.experts(); ++e) counts.at(src, e) = 2;
  CompileOptions options = mega_moe_options(2, counts);
  options.shape = shape;
  options.order.workers = {{"Dispatch", "src"}, {"GMM1", "block"}, {"Barrier", "0"}};
  options.order.elsewhere = {"Dispatched", "Arrived"};
  MegaMoeOptions second = small_mega_moe();
  second.dispatch_segments = {};
  second.activation_segments = {1, 1, 1, 1};
  second.combine_segments = {2, 1, 1};
  second.combine_meets = false;
  second.doorbells = true;
  second.early_experts = 2;
  const Schedule schedule = compile(mega_moe_graph(options.shape, second), "g", options).schedule;
  CHECK(verify(schedule).errors == std::vector<std::string>{});
  const Ssc& ssc = schedule[0];
  std::set<std::string> behind[2];  // of both phases: what triggers the events that they wait for
  std::set<std::uint32_t> combined[2];
  for (const TaskDescriptor& td : ssc.tasks()) {
    if (op_of(ssc, td).name != "Unpermute") continue;
    for (const TaskDescriptor& other : ssc.tasks())
      if (other.trigger_rank == 0 && other.trigger_event == td.dependent_event)
        behind[td.chunk].insert(op_of(ssc, other).name);
  }
  CHECK(behind[0] == std::set<std::string>{"Complete"});
  CHECK(behind[1] == std::set<std::string>{"Back"});
  for (const TaskDescriptor& td : ssc.tasks()) {
    const std::string& name = op_of(ssc, td).name;
    if (name != "Complete" && name != "Back") continue;
    for (std::uint32_t r = 0; r < 2; ++r)
      for (const TaskDescriptor& other : schedule[r].tasks())
        if (op_of(schedule[r], other).name == "Combine" && other.trigger_rank == 0 &&
            other.trigger_event == td.dependent_event)
          combined[name == "Back"].insert(other.expert);
  }
  CHECK(combined[0] == std::set<std::uint32_t>{0, 1});
  CHECK(combined[1] == std::set<std::uint32_t>{2, 3});
}

TEST_CASE("A hold on rows that are written behind the task is refused") {
  const CompileOptions options = mega_moe_options(2, uneven_counts(small_shape(2), 1));
  Graph graph = mega_moe_graph(options.shape, small_mega_moe());
  Graph held;
  for (const TensorNode& tensor : graph.tensors()) held.add_tensor(tensor);
  for (OperatorNode node : graph.operators()) {
    if (node.name == "Dispatch")
      for (Hold& hold : node.holds) hold.shift = 0;  // its own barrier, which waits for it
    held.add_operator(std::move(node));
  }
  REQUIRE_THROWS_WITH(compile(held, "g", options),
                      Catch::Matchers::Contains("tasks of operator 'Dispatch' wait in a circle"));
}

TEST_CASE("An operator's own entry says its workers, whatever its type's entry says") {
  CompileOptions options = mega_moe_options(2, uneven_counts(small_shape(2), 1));
  for (const char* name : {"Activated", "Packed"}) {  // before and behind 'Barrier' in the alphabet
    options.order.workers[name] = "2";
    const Schedule schedule = compile(mega_moe_graph(options.shape, small_mega_moe()), "g", options).schedule;
    for (const TaskDescriptor& td : schedule[0].tasks()) {
      if (op_of(schedule[0], td).type != "Barrier") continue;
      const bool own = options.order.workers.contains(op_of(schedule[0], td).name);
      CHECK(schedule[0].worker_sets()[td.worker_set].first == (own ? 2 : 0));
    }
  }
}

TEST_CASE("Whichever wait of MegaMoE is taken away, the verifier misses it") {
  const Schedule good = mega_moe_schedule(2, 1);
  std::uint32_t taken = 0;
  for (std::uint32_t t = 0; t < good[0].tasks().size(); ++t) {
    const TaskDescriptor& td = good[0].tasks()[t];
    if (td.dependent_event == kNone || td.task_type == static_cast<std::uint16_t>(TaskType::kJoin)) continue;
    Schedule planted = good;
    SscParts parts = parts_of(good[0]);
    parts.tasks[t].dependent_event = kNone;
    planted[0] = Ssc::build(parts);
    INFO(op_of(good[0], td).name << "[" << td.task_index << "]");
    CHECK_FALSE(verify(planted).errors.empty());
    ++taken;
  }
  CHECK(taken > 20);
}

TEST_CASE(
    "Rows are pulled by the worker of their source, once the barrier behind the expert before is over") {
  const Schedule schedule = mega_moe_schedule(3, 1);
  const Ssc& ssc = schedule[1];
  for (const TaskDescriptor& td : ssc.tasks()) {
    if (op_of(ssc, td).name != "Dispatch") continue;
    const WorkerSet& set = ssc.worker_sets()[td.worker_set];
    CHECK(set.count == 1);
    CHECK(set.first == td.src % 3);
    CHECK(ssc.inputs(td)[0].rank == td.src);
    std::set<std::string> behind;  // what triggers the event that it waits for
    for (const TaskDescriptor& other : ssc.tasks()) {
      if (other.trigger_rank == 1 && other.trigger_event == td.dependent_event)
        behind.insert(fmt::format("{} {}", op_of(ssc, other).name, other.expert));
    }
    if (td.expert == 1) CHECK(behind == std::set<std::string>{"Dispatched 0"});
    if (td.expert == 0) CHECK(behind.contains(fmt::format("Known {}", kNoExpert)));
  }
}

TEST_CASE("Tiles are dealt to workers on from where the expert before ended") {
  const MoeShape shape = small_shape(1);
  RoutingCounts counts(shape.ep, shape.experts());
  counts.at(0, 0) = 4;  // four base blocks, which three workers do not share evenly
  counts.at(0, 1) = 6;
  CompileOptions options = mega_moe_options(1, counts);
  options.workers = aic_and_aiv(3, 3);
  const Schedule schedule = compile(mega_moe_graph(options.shape, small_mega_moe()), "g", options).schedule;
  const Ssc& ssc = schedule[0];
  std::uint32_t before = 0, next = 0, goes_on = 0;  // base blocks of the experts before
  for (const TaskDescriptor& td : ssc.tasks()) {
    if (op_of(ssc, td).name != "GMM1") continue;
    const Region& out = ssc.outputs(td)[0];
    if (out.share == 0) {
      before = next;
      const std::uint32_t rows = out.rows().size(), cols = ssc.tensors()[out.tensor].cols;
      next += (rows + kSmallBlocks.base_m - 1) / kSmallBlocks.base_m *
              ((cols + kSmallBlocks.base_n - 1) / kSmallBlocks.base_n);
    }
    CHECK(ssc.worker_sets()[td.worker_set].first == (before + out.share) % 3);
    if (before % 3 != 0) ++goes_on;
  }
  CHECK(next == 4 + 6);
  CHECK(goes_on > 0);
}

TEST_CASE("A worker's expression that has no operator, or is negative, is refused with the order's place") {
  CompileOptions options = mega_moe_options(2, uneven_counts(small_shape(2), 1));
  const Graph graph = mega_moe_graph(options.shape, small_mega_moe());
  options.order.workers = {{"Dispatsh", "src"}};
  CHECK_THROWS_WITH(compile(graph, "g", options), Catch::Matchers::Contains("did you mean 'Dispatch'?"));
  options.order.workers = {{"Dispatch", "src - 9"}};
  CHECK_THROWS_WITH(compile(graph, "g", options), Catch::Matchers::Contains("expected 0 or more"));
}

}  // namespace a3sim
