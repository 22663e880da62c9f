#include "scheduler/compile/wiring.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/core/error.h"
#include "tests/scheduler/abstract_flow.h"
#include "tests/scheduler/wiring_oracle.h"

namespace a3sim {
namespace {

// X -> Y -> W, and W reads X too, elsewhere. W2 ties X1 and X3 into one event with Y's.
struct Diamond {
  AbstractFlow f;
  std::uint32_t x1, x3, y1, y2, w;

  Diamond() {
    const auto tx = f.tensor(2), ty = f.tensor(2), tw = f.tensor(1);
    const auto x = f.op("X", 0, {}, {tx}), y = f.op("Y", 1, {tx}, {ty}), w_op = f.op("W", 2, {tx, ty}, {tw});
    x1 = f.task(0, x, {}, {rows(tx, 0, 1)});
    x3 = f.task(0, x, {}, {rows(tx, 1, 2)});
    y1 = f.task(0, y, {rows(tx, 0, 1)}, {rows(ty, 0, 1)});
    y2 = f.task(0, y, {rows(tx, 0, 2)}, {rows(ty, 1, 2)});
    w = f.task(0, w_op, {rows(tx, 1, 2), rows(ty, 0, 1)}, {rows(tw, 0, 1)});
  }
};

// Operators in a chain with shortcuts, tasks with rows at random; rank r reads its own memory and writes its
// own or, where an operator puts, others', in most flows whole rows.
AbstractFlow random_flow(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
  constexpr std::uint32_t kRows = 6;
  const std::uint32_t ranks = 1 + below(3), operators = 3 + below(3);
  const bool whole_puts = below(3) > 0;
  AbstractFlow f(ranks);
  f.flow.tilings.push_back({2, 2, 1, 1});
  for (std::uint32_t op = 0; op < operators; ++op) {
    f.tensor(kRows, 4, below(2) ? Layout::kPlain : Layout::kReceived);
    std::vector<std::uint32_t> inputs;
    for (std::uint32_t p = 0; p < op; ++p) {
      if (p + 1 == op || below(2)) inputs.push_back(p);
    }
    f.op(fmt::format("Op{}", op), op, inputs, {op});
    const bool puts = below(3) == 0;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      for (std::uint32_t begin = 0; begin < kRows;) {
        const std::uint32_t end = begin + 1 + below(std::min(3U, kRows - begin));
        const std::uint32_t to = puts ? (rank + begin) % ranks : rank;
        const auto shares = static_cast<std::uint16_t>(puts && whole_puts ? 1 : 1 + below(4));
        for (std::uint16_t share = 0; share < shares; ++share) {
          std::vector<Region> reads;
          for (const std::uint32_t t : inputs) {
            const std::uint32_t first = below(kRows), last = first + below(kRows - first + 1);
            reads.push_back({t, rank, first, last, 0, 1, below(8) == 0 ? kMetadata : 0});
          }
          f.task(rank, op, reads, {{op, to, begin, end, share, shares, 0}}, 0);
        }
        begin = end;
      }
    }
  }
  return f;
}

// Operators with as many results as they like, none among them, some of which nobody reads; rows that are empty; ranks
// without tasks; puts of one result in whole rows, alike ones among them; sources of one stage.
AbstractFlow odd_flow(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
  constexpr std::uint32_t kRows = 4;
  const std::uint32_t ranks = 1 + below(4), operators = 2 + below(5);
  AbstractFlow f(ranks);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> written;  // tensors, and the stages of who writes them
  const std::uint32_t external = f.tensor(kRows);
  for (std::uint32_t number = 0; number < operators; ++number) {
    std::vector<std::uint32_t> inputs, outputs;
    std::uint32_t stage = 0;
    if (below(3) == 0) inputs.push_back(external);
    for (const auto& [tensor, of] : written) {
      if (below(2) == 0) continue;
      inputs.push_back(tensor);
      stage = std::max(stage, of + 1);
    }
    const bool puts = below(2) == 0;
    for (std::uint32_t o = puts ? 1 : below(3); o > 0; --o) outputs.push_back(f.tensor(kRows));
    const std::uint32_t op = f.op(fmt::format("Op{}", number), stage, inputs, outputs);
    for (const std::uint32_t tensor : outputs) written.emplace_back(tensor, stage);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      for (std::uint32_t task = below(4); task > 0; --task) {
        const auto range = [&](std::uint32_t tensor, std::uint32_t memory) {
          const std::uint32_t first = below(kRows);
          return rows(tensor, first, first + below(kRows - first + 1), memory);
        };
        std::vector<Region> reads, writes;
        for (const std::uint32_t tensor : inputs) reads.push_back(range(tensor, rank));
        for (const std::uint32_t tensor : outputs)
          writes.push_back(range(tensor, puts ? below(ranks) : rank));
        for (std::uint32_t alike = 1 + below(2); alike > 0; --alike) f.task(rank, op, reads, writes);
      }
    }
  }
  return f;
}

bool same_wiring(const Taskflow& a, const Taskflow& b) {
  return std::ranges::equal(a.ranks, b.ranks, [](const Taskflow::Rank& x, const Taskflow::Rank& y) {
    const auto same_event = [](const EventDescriptor& e, const EventDescriptor& f) {
      return e.threshold == f.threshold && e.done == f.done;
    };
    const auto same_task = [](const TaskDescriptor& s, const TaskDescriptor& t) {
      return std::tie(s.dependent_event, s.trigger_event, s.trigger_rank) ==
             std::tie(t.dependent_event, t.trigger_event, t.trigger_rank);
    };
    return std::ranges::equal(x.events, y.events, same_event) &&
           std::ranges::equal(x.table.tasks, y.table.tasks, same_task);
  });
}

bool has_puts(const Taskflow& flow) {
  for (std::uint32_t r = 0; r < flow.ranks.size(); ++r) {
    if (std::ranges::any_of(flow.ranks[r].table.tasks,
                            [&](const TaskDescriptor& td) { return td.trigger_rank != r; }))
      return true;
  }
  return false;
}

}  // namespace

TEST_CASE("one tile's shares and the vector tasks behind it meet in one event") {
  constexpr std::uint16_t kShares = 3;
  constexpr std::uint32_t kReaders = 4;
  AbstractFlow f;
  const auto a = f.tensor(8, 8, Layout::kReceived), b = f.tensor(8, 8, Layout::kReceived);
  f.flow.tilings.push_back({2, 2, 1, 1});
  const auto gmm = f.op("GMM", 0, {}, {a}), add = f.op("Add", 1, {a}, {b});
  for (std::uint16_t s = 0; s < kShares; ++s) f.task(0, gmm, {}, {{a, 0, 0, 8, s, kShares, 0}}, 0);
  for (std::uint32_t r = 0; r < kReaders; ++r)
    f.task(0, add, {rows(a, 2 * r, 2 * r + 2)}, {rows(b, 2 * r, 2 * r + 2)});

  const WiringCounts counts = wire(f.flow);
  const auto& events = f.flow.ranks[0].events;
  REQUIRE(events.size() == 2);
  CHECK(events[0].threshold == kShares);
  CHECK(events[0].done == 0);
  CHECK(events[1].threshold == kReaders);
  CHECK(events[1].done == 1);
  CHECK(counts.exact_pairs == kShares * kReaders);
  CHECK(counts.shared_pairs == kShares * kReaders);
  CHECK(counts.joins == 0);
}

TEST_CASE("tasks that share no data share no event") {
  AbstractFlow f;
  const auto a = f.tensor(4), b = f.tensor(4);
  const auto first = f.op("First", 0, {}, {a}), second = f.op("Second", 1, {a}, {b});
  for (std::uint32_t r = 0; r < 4; ++r) f.task(0, first, {}, {rows(a, r, r + 1)});
  for (std::uint32_t r = 0; r < 4; ++r) f.task(0, second, {rows(a, r, r + 1)}, {rows(b, r, r + 1)});
  wire(f.flow);
  CHECK(f.flow.ranks[0].events.size() == 4 + 1);
  for (std::uint32_t r = 0; r < 4; ++r) {
    CHECK(f.flow.ranks[0].table.tasks[r].trigger_event == f.flow.ranks[0].table.tasks[4 + r].dependent_event);
  }
}

TEST_CASE("an event lives on the rank that waits for it, a put's done event where it writes") {
  AbstractFlow f(2);
  const auto a = f.tensor(1), b = f.tensor(1);
  const auto send = f.op("Send", 0, {}, {a}), back = f.op("Back", 1, {a}, {b});
  f.task(0, send, {}, {rows(a, 0, 1, 1)});
  f.task(1, back, {rows(a, 0, 1, 1)}, {rows(b, 0, 1, 0)});
  wire(f.flow);
  const TaskDescriptor &put = f.flow.ranks[0].table.tasks[0], &reply = f.flow.ranks[1].table.tasks[0];
  CHECK(put.trigger_rank == 1);
  CHECK(reply.dependent_event == put.trigger_event);
  CHECK(reply.trigger_rank == 0);
  REQUIRE(f.flow.ranks[0].events.size() == 1);
  CHECK(f.flow.ranks[0].events[0].done == 1);
}

TEST_CASE("what one task writes must not be read on two ranks") {
  AbstractFlow f(2);
  const auto a = f.tensor(1);
  const auto make = f.op("Make", 0, {}, {a}), use = f.op("Use", 1, {a}, {});
  f.task(0, make, {}, {rows(a, 0, 1, 0)});
  f.task(0, use, {rows(a, 0, 1, 0)}, {});
  f.task(1, use, {rows(a, 0, 1, 0)}, {});
  CHECK_THROWS_AS(wire(f.flow), InputError);
}

TEST_CASE("nobody waits for metadata, external tensors and empty rows") {
  AbstractFlow f;
  const auto a = f.tensor(2), b = f.tensor(2);
  const auto make = f.op("Make", 0, {}, {a}), use = f.op("Use", 1, {a, b}, {});
  f.task(0, make, {}, {rows(a, 0, 2)});
  f.task(0, use, {{a, 0, 0, 2, 0, 1, kMetadata}, rows(b, 0, 2)}, {});
  f.task(0, use, {rows(a, 1, 1)}, {});
  wire(f.flow);
  CHECK(f.flow.ranks[0].table.tasks[1].dependent_event == kNone);
  CHECK(f.flow.ranks[0].table.tasks[2].dependent_event == kNone);
}

TEST_CASE("a dependency that another one implies is left out") {
  AbstractFlow f;
  const auto a = f.tensor(1), b = f.tensor(1);
  const auto x = f.op("X", 0, {}, {a}), y = f.op("Y", 1, {a}, {b}), z = f.op("Z", 2, {a, b}, {});
  f.task(0, x, {}, {rows(a, 0, 1)});
  f.task(0, y, {rows(a, 0, 1)}, {rows(b, 0, 1)});
  f.task(0, z, {rows(a, 0, 1), rows(b, 0, 1)}, {});
  const WiringCounts counts = wire(f.flow);
  CHECK(counts.exact_pairs == 2);
  CHECK(counts.joins == 0);
}

TEST_CASE("in a diamond a Join keeps an event from waiting for itself") {
  Diamond d;
  {
    const oracle::Matrix exact = oracle::dependencies(TaskflowView(d.f.flow));
    REQUIRE(oracle::has_circle(oracle::shared(oracle::reduction(exact))));
  }
  const WiringCounts counts = wire(d.f.flow);
  CHECK(counts.joins == 1);
  const auto& tasks = d.f.flow.ranks[0].table.tasks;
  const TaskDescriptor& join = tasks.back();
  CHECK(d.f.flow.operators[join.op].type == "Join");
  CHECK(join.task_type == static_cast<std::uint16_t>(TaskType::kJoin));
  CHECK(join.task_split_num == 1);
  CHECK(join.dependent_event == tasks[d.x3].trigger_event);
  CHECK(join.trigger_event == tasks[d.w].dependent_event);
  CHECK(tasks[d.y1].trigger_event == tasks[d.w].dependent_event);
  CHECK_FALSE(oracle::has_circle(oracle::wired(TaskflowView(d.f.flow))));
  CHECK(oracle::thresholds_hold(TaskflowView(d.f.flow)));
}

TEST_CASE("rank by rank, wiring is what it is by the graph of the group") {
  constexpr int kSeeds = 2000;
  int by_rank = 0, with_puts = 0, reduced = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const auto flow = seed % 2 == 0 ? random_flow : odd_flow;
    AbstractFlow ranks = flow(static_cast<std::uint64_t>(seed)), group = ranks;
    const std::optional<WiringCounts> counts = wire_by_rank(ranks.flow);
    const WiringCounts expected = wire_group(group.flow);
    if (!counts) continue;
    INFO("seed " << seed);
    CHECK(expected.joins == 0);
    CHECK(counts->exact_pairs == expected.exact_pairs);
    CHECK(counts->shared_pairs == expected.shared_pairs);
    REQUIRE(same_wiring(ranks.flow, group.flow));
    ++by_rank;
    with_puts += has_puts(group.flow);
    reduced += Dependencies::find(TaskflowView(group.flow)).pairs() > expected.exact_pairs;
  }
  CHECK(by_rank > 100);
  CHECK(with_puts > 50);
  CHECK(reduced > 10);
}

TEST_CASE("what one rank cannot say of its events is left to the graph of the group") {
  AbstractFlow circle = Diamond().f;
  CHECK_FALSE(wire_by_rank(circle.flow));

  // W waits for X, and through Y and Z, which put to the other rank and back, for X again.
  AbstractFlow f(2);
  const auto tx = f.tensor(1), ty = f.tensor(1), tz = f.tensor(1), tw = f.tensor(1);
  const auto x = f.op("X", 0, {}, {tx}), y = f.op("Y", 1, {tx}, {ty}), z = f.op("Z", 2, {ty}, {tz}),
             w = f.op("W", 3, {tx, tz}, {tw});
  f.task(0, x, {}, {rows(tx, 0, 1)});
  f.task(0, y, {rows(tx, 0, 1)}, {rows(ty, 0, 1, 1)});
  f.task(1, z, {rows(ty, 0, 1, 1)}, {rows(tz, 0, 1)});
  f.task(0, w, {rows(tx, 0, 1), rows(tz, 0, 1)}, {rows(tw, 0, 1)});
  CHECK_FALSE(wire_by_rank(f.flow));
  CHECK(wire(f.flow).exact_pairs == 3);

  // A put of a share; a task with results on both ranks; one that reads the other's memory; a put of two results.
  for (const int flaw : {0, 1, 2, 3}) {
    AbstractFlow odd(2);
    odd.flow.tilings.push_back({2, 2, 1, 1});
    const auto a = odd.tensor(2, 4), b = odd.tensor(2, 4);
    const auto put = odd.op("Put", 0, {}, {a}), read = odd.op("Read", 1, {a}, {b});
    if (flaw == 0) odd.task(0, put, {}, {{a, 1, 0, 2, 0, 2, 0}}, 0);
    if (flaw == 1) odd.task(0, put, {}, {rows(a, 0, 1), rows(a, 0, 2, 1)});
    if (flaw == 2) odd.task(0, put, {}, {rows(a, 0, 2)});
    if (flaw == 3) odd.task(0, put, {}, {rows(a, 0, 1, 1), rows(a, 1, 2, 1)});
    odd.task(1, read, {rows(a, 0, 2, flaw == 2 ? 0 : 1)}, {rows(b, 0, 2, 1)});
    CHECK_FALSE(wire_by_rank(odd.flow));
  }
}

TEST_CASE("wiring random taskflows equals brute force, and never waits in a circle") {
  constexpr int kSeeds = 400;
  int joined = 0, reduced = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    AbstractFlow f = random_flow(static_cast<std::uint64_t>(seed));
    const std::vector<oracle::Task> before = oracle::all_tasks(TaskflowView(f.flow));
    const oracle::Matrix all = oracle::dependencies(TaskflowView(f.flow));
    const oracle::Matrix exact = oracle::reduction(all), expected = oracle::shared(exact);
    const WiringCounts counts = wire(f.flow);
    INFO("seed " << seed);
    CHECK(counts.exact_pairs == oracle::ones(exact));
    CHECK(oracle::thresholds_hold(TaskflowView(f.flow)));
    const oracle::Matrix wired = oracle::wired(TaskflowView(f.flow));
    reduced += oracle::ones(exact) < oracle::ones(all);
    CHECK((counts.joins > 0) == oracle::has_circle(expected));
    CHECK_FALSE(oracle::has_circle(wired));
    if (counts.joins == 0) {
      CHECK(wired == expected);
      CHECK(counts.shared_pairs == oracle::ones(expected));
      continue;
    }
    ++joined;
    // Joins stand behind the tasks of their rank, so a task is found again by its rank and place.
    const oracle::Matrix reach = oracle::closure(wired);
    const std::vector<oracle::Task> after = oracle::all_tasks(TaskflowView(f.flow));
    const auto place = [&](std::size_t i) {
      return static_cast<std::size_t>(std::lower_bound(after.begin(), after.end(), before[i]) -
                                      after.begin());
    };
    for (std::size_t c = 0; c < exact.size(); ++c) {
      for (std::size_t p = 0; p < exact.size(); ++p) {
        if (exact[c][p]) REQUIRE(reach[place(c)][place(p)]);
      }
    }
  }
  CHECK(joined > 20);
  CHECK(reduced > 20);
}

}  // namespace a3sim
