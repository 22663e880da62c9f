#include <catch2/catch.hpp>

#include "scheduler/compile/compile.h"
#include "scheduler/ssc/worker_queues.h"

using namespace a3sim;

namespace {

constexpr MoeShape kListed{
    .tokens = 176, .hidden = 64, .intermediate = 32, .top_k = 1, .experts_per_rank = 4, .ep = 1};

// One expert of many rows, three of few: a put each.
CompileOptions options_of(bool listed) {
  CompileOptions options;
  options.shape = kListed;
  options.capacity = RoutingCounts(1, 4);
  for (std::uint32_t expert = 0; expert < 4; ++expert)
    options.capacity.at(0, expert) = expert == 0 ? 128 : 16;
  options.order.name = "by expert";
  for (auto& keys : options.order.keys) keys = {"stage", "expert", "op", "tile"};
  if (listed) options.order.workers["*"] = "listed";
  options.workers = aic_and_aiv(2, 2);
  options.path_rates = {1e12, 1e12};
  return options;
}

// Experts of Dispatch's tasks by AIV, as they are taken.
std::vector<std::vector<std::uint16_t>> dispatched(const CompileOptions& options) {
  const Schedule schedule = compile(forward_graph(kListed, Window::kTransport), "forward", options).schedule;
  const Ssc& ssc = schedule.front();
  WorkerQueues queues(ssc);
  std::vector<std::vector<std::uint16_t>> experts;
  for (std::uint32_t w = 0; w < queues.workers(); ++w) {
    if (ssc.kinds()[queues.queue_of(w)].name != "AIV") continue;
    std::vector<std::uint16_t>& of_worker = experts.emplace_back();
    for (std::uint32_t t = queues.take(w); t != kNone; t = queues.take(w))
      if (ssc.operators()[ssc.tasks()[t].op].name == "Dispatch") of_worker.push_back(ssc.tasks()[t].expert);
  }
  return experts;
}

}  // namespace

TEST_CASE("a listed task goes to the worker that is free first by what tasks before it take") {
  using Experts = std::vector<std::vector<std::uint16_t>>;
  CHECK(dispatched(options_of(false)) == Experts{{0, 2}, {1, 3}});
  CHECK(dispatched(options_of(true)) == Experts{{0}, {1, 2, 3}});
}

TEST_CASE("lists are a worker each, whatever the order's pools leave to an operator") {
  CompileOptions options = options_of(true);
  options.order.pools = {{"exchange", {"Dispatch"}, 1}};
  const Schedule schedule = compile(forward_graph(kListed, Window::kTransport), "forward", options).schedule;
  const Ssc& ssc = schedule.front();
  for (const TaskDescriptor& td : ssc.tasks()) {
    const WorkerSet& set = ssc.worker_sets()[td.worker_set];
    CHECK(set.count == 1);
    if (ssc.operators()[td.op].name == "Dispatch") CHECK(set.first == 0);
    if (ssc.operators()[td.op].name == "Combine") CHECK(set.first == 1);
  }
}
