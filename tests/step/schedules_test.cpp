#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/experiment/step/schedule.h"

namespace a3sim {
namespace {

constexpr Duration kF{7}, kI{9}, kW{5}, kB = kI + kW;
constexpr ScheduleTimes kTimes{kF, kI, kW, kF + kI + kW};

ScheduleWalk walk(const char* name, const ScheduleShape& shape, const ScheduleTimes& times = kTimes) {
  const PipelineSchedule& schedule = PipelineSchedules::get(name);
  REQUIRE(schedule.why_not(shape).empty());
  return walk_schedule(schedule, shape, schedule.orders(shape), times);
}

TEST_CASE("1f1b takes micro-batches and stages less one times forward and backward") {
  for (std::uint32_t p : {1U, 2U, 4U, 7U}) {
    for (std::uint32_t m : {1U, 3U, 8U, 17U}) {
      const ScheduleWalk result = walk("1f1b", {p, 1, m, false, false});
      CHECK(result.wrong.empty());
      CHECK(result.makespan == (m + p - 1) * (kF + kB));
      for (std::uint32_t s = 0; s < p; ++s) CHECK(result.live[s] == std::min(m, p - s));
    }
  }
}

TEST_CASE("interleaving divides the bubble by the chunks of a stage") {
  for (std::uint32_t p : {2U, 4U, 8U}) {
    for (std::uint32_t v : {2U, 4U}) {
      for (std::uint32_t groups : {1U, 2U, 5U}) {
        const std::uint32_t m = groups * p;
        const ScheduleWalk result = walk("interleaved", {p, v, m, false, false});
        CHECK(result.wrong.empty());
        CHECK(result.makespan == m * v * (kF + kB) + (p - 1) * (kF + kB));
      }
    }
  }
}

TEST_CASE("interleaving one chunk of a stage is refused as what it is, 1f1b") {
  const PipelineSchedule& interleaved = PipelineSchedules::get("interleaved");
  CHECK_THAT(interleaved.why_not({4, 1, 8, false, false}), Catch::Contains("is 1f1b"));
  CHECK(interleaved.why_not({4, 2, 8, false, false}).empty());
}

TEST_CASE("zb_h1 waits for stages less one times forward and activation gradient less weight gradient") {
  for (std::uint32_t p : {1U, 2U, 4U, 8U}) {
    for (std::uint32_t m : {p, 2 * p, 3 * p + 1}) {
      const ScheduleTimes even{kF, kF, kF, 3 * kF};
      const ScheduleWalk result = walk("zb_h1", {p, 1, m, false, false}, even);
      CHECK(result.wrong.empty());
      CHECK(result.makespan == m * 3 * kF + (p - 1) * kF);
      CHECK(*std::ranges::max_element(result.live) <= p);
    }
  }
}

TEST_CASE("zb_v waits for its first micro-batch alone, and holds as many chunks as 1f1b in layers") {
  for (std::uint32_t p : {1U, 2U, 4U, 8U}) {
    for (std::uint32_t m : {2 * p - 1, 2 * p, 3 * p + 1}) {
      const ScheduleTimes even{kF, kF, kF, 3 * kF};
      const ScheduleWalk result = walk("zb_v", {p, 2, m, false, false}, even);
      CHECK(result.wrong.empty());
      CHECK(result.makespan == 2 * m * 3 * kF + (p - 1) * kF);
      CHECK(*std::ranges::max_element(result.live) <= 2 * p);
    }
  }
}

// The published order: deepseek-ai/DualPipe. Its times hold where a pair takes as long as what is in it, and forward,
// activation gradient and weight gradient are alike.
TEST_CASE("dualpipev takes as long as published") {
  constexpr Duration kEven{10};
  for (const Duration pair : {3 * kEven, 2 * kEven + kEven / 2}) {
    for (std::uint32_t p : {2U, 3U, 4U, 8U}) {
      for (std::uint32_t m : {2 * p, 2 * p + 1, 5 * p}) {
        const ScheduleTimes times{kEven, kEven, kEven, pair};
        const Duration published = (2 * m - p - 2) * pair + 3 * p * kEven + (2 * p + 1) * kEven + 3 * kEven;
        CAPTURE(p, m, pair.count());
        const ScheduleWalk split = walk("dualpipev", {p, 2, m, true, true}, times);
        CHECK(split.wrong.empty());
        CHECK(split.makespan == published);
        const ScheduleWalk whole = walk("dualpipev", {p, 2, m, false, true}, times);
        CHECK(whole.wrong.empty());
        CHECK(whole.makespan == published + 2 * (p - 1) * kEven);
      }
    }
  }
}

// Each half of DualPipe's stages is a DualPipeV: what goes down in one comes back up in the other.
TEST_CASE("dualpipe takes as long as dualpipev of half the stages with half the micro-batches") {
  constexpr Duration kEven{10};
  for (std::uint32_t p : {2U, 4U, 8U}) {
    for (std::uint32_t m : {2 * p, 2 * p + 2, 6 * p}) {
      for (const bool split : {false, true}) {
        const ScheduleTimes times{kEven, kEven, kEven, 2 * kEven + kEven / 2};
        const ScheduleWalk both = walk("dualpipe", {p, 1, m, split, true, 2}, times),
                           half = walk("dualpipev", {p / 2, 2, m / 2, split, true}, times);
        CAPTURE(p, m, split);
        CHECK(both.wrong.empty());
        CHECK(both.makespan == half.makespan);
        for (std::uint32_t s = 0; s < p / 2; ++s) {
          CHECK(both.live[s] == half.live[s]);
          CHECK(both.live[p - 1 - s] == half.live[s]);
        }
        if (!split) continue;
        // As published: half of the stages less one wait for a pair, a backward pass, less three weight gradients.
        const ScheduleTimes whole{kEven, kEven, kEven, 3 * kEven};
        CHECK(walk("dualpipe", {p, 1, m, true, true, 2}, whole).makespan ==
              m * 3 * kEven + (p / 2 - 1) * (3 * kEven + 2 * kEven - 3 * kEven));
      }
    }
  }
  const PipelineSchedule& dualpipe = PipelineSchedules::get("dualpipe");
  CHECK_THAT(dualpipe.why_not({3, 1, 8, false, false, 2}), Catch::Contains("even parallel.pp"));
  CHECK_THAT(dualpipe.why_not({4, 1, 9, false, false, 2}), Catch::Contains("even number from 8"));
  CHECK_THAT(dualpipe.why_not({4, 2, 8, false, false, 2}), Catch::Contains("parallel.vpp=1"));
}

TEST_CASE(
    "every schedule does each work once, and beats neither its busiest stage nor a micro-batch's chain") {
  for (const auto& [name, item] : PipelineSchedules::all()) {
    std::uint32_t made = 0;
    for (std::uint32_t p : {1U, 2U, 3U, 4U, 8U}) {
      for (std::uint32_t v : {1U, 2U, 3U}) {
        for (std::uint32_t m : {1U, 2U, 6U, 8U, 16U, 24U}) {
          for (const bool split : {false, true}) {
            for (const bool overlap : {false, true}) {
              const ScheduleShape shape{p, v, m, split, overlap, item.object->copies};
              if (!item.object->why_not(shape).empty()) continue;
              ++made;
              CAPTURE(name, p, v, m, split, overlap);
              const ScheduleWalk result =
                  walk_schedule(*item.object, shape, item.object->orders(shape), kTimes);
              CHECK(result.wrong.empty());
              CHECK(result.makespan >= *std::ranges::max_element(result.busy));
              CHECK(result.makespan >= p * v * (kF + kI));
              for (const Duration busy : result.busy) CHECK(busy == v * m * (kF + kB));
            }
          }
        }
      }
    }
    CHECK(made > 10);
  }
}

TEST_CASE("a walk names what is wrong with an order") {
  using Kind = StageWork::Kind;
  const PipelineSchedule& schedule = PipelineSchedules::get("1f1b");
  const ScheduleShape shape{1, 1, 1, false, false};
  const StageWork forward{Kind::kForward, 0, 0}, backward{Kind::kBackward, 0, 0};
  const auto wrong = [&](const StageOrders& orders) {
    return walk_schedule(schedule, shape, orders, kTimes).wrong;
  };
  CHECK(wrong({{forward, backward}}).empty());
  CHECK(wrong({{backward, forward}}) ==
        "stage 0 waits for ever before its backward of micro-batch 0 in chunk 0");
  CHECK(wrong({{forward, forward, backward}}) == "the forward of micro-batch 0 in chunk 0 runs twice");
  CHECK(wrong({{forward}}) == "micro-batch 0 has no weight gradients in chunk 0");
  CHECK(wrong({{{Kind::kForward, 0, 0, true}}}) ==
        "the forward of micro-batch 0 in chunk 0 has nothing to run beside");
}

}  // namespace
}  // namespace a3sim
