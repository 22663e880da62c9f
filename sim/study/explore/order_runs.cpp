#include "sim/study/explore/order_runs.h"

#include <algorithm>
#include <cstring>
#include <ranges>

#include "sim/core/parallel.h"
#include "sim/experiment/run_experiment.h"

namespace a3sim {
namespace {

template <class T>
bool same_bytes(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

// Whether two schedules of one graph differ in nothing but their names.
bool same(const Ssc& a, const Ssc& b) {
  const auto same_queue = [&](std::uint32_t q) { return same_bytes(a.queue(q), b.queue(q)); };
  return a.assignment() == b.assignment() && a.kinds() == b.kinds() && same_bytes(a.tasks(), b.tasks()) &&
         same_bytes(a.events(), b.events()) && same_bytes(a.worker_sets(), b.worker_sets()) &&
         std::ranges::all_of(std::views::iota(0U, a.queues()), same_queue);
}

bool same(const Schedule& a, const Schedule& b) {
  return std::ranges::equal(a, b, [](const Ssc& x, const Ssc& y) { return same(x, y); });
}

Duration ends_apart(const RunResult& run) {
  const auto [first, last] = std::ranges::minmax(run.ranks, {}, &RankResult::end);
  return last.end - first.end;
}

}  // namespace

EqualSchedules::EqualSchedules(std::span<const UnderOrder> orders) : first_(orders.size()) {
  const auto schedule = [&](std::size_t o, std::size_t p) -> const Schedule& {
    return orders[o].compiled.passes[p].schedule;
  };
  for (std::size_t o = 0; o < orders.size(); ++o) {
    for (std::size_t p = 0; p < orders[o].compiled.passes.size(); ++p) {
      std::size_t first = 0;
      while (first < o && (first_[first].empty() || first_[first][p] != first ||
                           !same(schedule(first, p), schedule(o, p))))
        ++first;
      first_[o].push_back(first);
      if (first == o) to_run_.push_back({o, p});
    }
  }
  std::ranges::stable_sort(to_run_, std::ranges::greater(), &Pass::pass);
}

std::optional<std::size_t> EqualSchedules::same_as(std::size_t order) const {
  if (first_[order].empty()) return std::nullopt;
  const std::span before(first_.data(), order);
  const auto found = std::ranges::find(before, first_[order]);
  if (found == before.end()) return std::nullopt;
  return static_cast<std::size_t>(found - before.begin());
}

std::vector<std::vector<OrderRun>> run_orders(std::span<const UnderOrder> orders, const JitterOptions& jitter,
                                              unsigned threads) {
  const EqualSchedules equal(orders);
  const std::uint32_t runs = jitter.draws();
  std::vector<std::vector<std::vector<OrderRun>>> of_pass(orders.size());  // by order, pass, run
  for (std::size_t o = 0; o < orders.size(); ++o)
    of_pass[o].assign(orders[o].compiled.passes.size(), std::vector<OrderRun>(runs));
  in_parallel(equal.to_run().size() * runs, threads, [&](std::size_t i) {
    const auto& [o, p] = equal.to_run()[i / runs];
    const auto run = static_cast<std::uint32_t>(i % runs);
    const RunResult result = run_jittered(orders[o].experiment, orders[o].compiled, p, jitter, run, false);
    of_pass[o][p][run] = {result.makespan, ends_apart(result)};
  });
  std::vector<std::vector<OrderRun>> all(orders.size(), std::vector<OrderRun>(runs));
  for (std::size_t o = 0; o < orders.size(); ++o) {
    for (std::size_t p = 0; p < of_pass[o].size(); ++p) {
      for (std::uint32_t run = 0; run < runs; ++run) {
        const OrderRun& pass = of_pass[equal.first(o, p)][p][run];
        all[o][run].makespan += pass.makespan;
        all[o][run].ends_apart += pass.ends_apart;
      }
    }
  }
  return all;
}

Latencies latencies_of(std::span<const OrderRun> runs) {
  Latencies latencies;
  for (const OrderRun& run : runs) latencies.push_back(run.makespan);
  return latencies;
}

}  // namespace a3sim
