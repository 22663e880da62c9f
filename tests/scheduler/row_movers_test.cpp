#include <algorithm>
#include <catch2/catch.hpp>

#include "models/graph/row_form.h"
#include "models/operators/engine_put.h"
#include "scheduler/verify/verify.h"
#include "tests/scheduler/small_compile.h"

namespace a3sim {
namespace {

CompileOptions mover_options(std::uint32_t ep, std::uint64_t seed) {
  CompileOptions options = small_options(ep, uneven_counts(small_shape(ep), seed));
  options.workers.add({std::string(kCopyEngineKind), 2, {}});
  return options;
}

Schedule moved_schedule(std::uint32_t ep, std::uint64_t seed, Window window, const FfnForm& form,
                        const RowForm& rows) {
  const CompileOptions options = mover_options(ep, seed);
  const Graph graph = in_form(forward_graph(options.shape, window), options.shape, form, rows);
  return compile(with_small_blocks(graph), "forward", options).schedule;
}

}  // namespace

TEST_CASE("Rows move by copy engines and by products that send them, ordered by events") {
  const RowForm movers{RowCrossing::kByExpert,
                       {{"Dispatch*", RowMover::kCopyEngine}, {"Combine*", RowMover::kProduct}}};
  for (const Window window : {Window::kTransport, Window::kFull}) {
    for (const std::uint32_t ep : {1U, 2U, 3U}) {
      const Schedule schedule = moved_schedule(ep, 1, window, {}, movers);
      CHECK(verify(schedule).errors.empty());
      for (const Ssc& ssc : schedule)
        for (const TaskDescriptor& td : ssc.tasks())
          CHECK((td.queue_type == copy_queue(ssc.kinds())) == moved_by_engine(ssc.operators()[td.op].type));
    }
  }
}

TEST_CASE(
    "A copy engine's tasks in another queue are refused, and a graph that needs one where there is none") {
  const RowForm copies{RowCrossing::kByExpert, {{"Dispatch", RowMover::kCopyEngine}}};
  CompileOptions options = mover_options(2, 1);
  const Graph graph =
      with_small_blocks(in_form(forward_graph(options.shape, Window::kTransport), options.shape, {}, copies));
  options.workers = aic_and_aiv(2, 3);
  CHECK_THROWS_WITH(compile(graph, "forward", options), "Dispatch needs a copy engine; there is none");
}

TEST_CASE("Rows move once counts of all ranks are there, however many experts a rank has") {
  FfnForm pulled;
  pulled.dispatch = RowExchange::kPull;
  for (const std::uint32_t ep : {2U, 3U, 4U}) {  // of two experts per rank
    for (const Window window : {Window::kTransport, Window::kFull}) {
      const Schedule schedule = moved_schedule(ep, 2, window, pulled, {});
      CHECK(verify(schedule).errors.empty());
      for (const Ssc& ssc : schedule) {
        for (const TaskDescriptor& td : ssc.tasks()) {
          if (ssc.operators()[td.op].type != "Pull") continue;
          const auto inputs = ssc.inputs(td);
          const auto hold = std::ranges::find(inputs, std::uint32_t{kHold}, &Region::flags);
          REQUIRE(hold != inputs.end());
          CHECK(hold->rows() == Rows{0, ep});
        }
      }
    }
  }
}

TEST_CASE("Ranks that permute their rows before others pull them stand for a group that turns") {
  FfnForm pulled;
  pulled.dispatch = RowExchange::kPull;
  CompileOptions options = small_options(4, RoutingCounts(4, 8));
  for (std::uint32_t src = 0; src < 4; ++src)
    for (std::uint32_t e = 0; e < 8; ++e) options.capacity.at(src, e) = 3;
  options.placement = {{0, 1, 2, 3}, {2, 16}, 16};
  options.kept = 2;
  // Keys that can be kept: a task out of turn is left on one rank at a time, and then ranks are not alike.
  options.order.keys[0] = {"depth", "op", "expert", "row", "tile"};
  options.order.keys[1] = {"depth", "expert", "chunk", "(src - rank) % ep", "(dst - rank) % ep"};
  const Graph graph = in_form(forward_graph(options.shape, Window::kFull), options.shape, pulled);
  CHECK(compile(with_small_blocks(graph), "forward", options).schedule.size() == 2);
}

}  // namespace a3sim
