#include <algorithm>

#include "scheduler/ssc/parts_of.h"
#include "scheduler/verify/verify.h"
#include "sim/core/rng.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/runtime/run.h"
#include "sim/runtime/topology.h"
#include "tests/invariants/for_all.h"
#include "tests/invariants/run_check.h"

using namespace a3sim;

namespace {

// Ends of flows that lie within the noise of doubles are one.
constexpr Duration kNoise = 1_ps;

// By rank and event: how often it was triggered, when its last producer ended, and when a worker that waits
// can see that.
struct Trigger {
  std::uint32_t count = 0;
  Time end{}, visible{};
};
using Triggers = std::vector<std::vector<Trigger>>;

Triggers triggers_of(const PassResult& pass) {
  Triggers triggers;
  for (const Ssc& ssc : pass.schedule) triggers.emplace_back(ssc.events().size());
  for (std::size_t r = 0; r < pass.schedule.size(); ++r) {
    for (std::size_t t = 0; t < pass.schedule[r].tasks().size(); ++t) {
      const TaskDescriptor& td = pass.schedule[r].tasks()[t];
      const TaskRecord& record = pass.run.ranks[r].records[t];
      Trigger& trigger = triggers[td.trigger_rank][td.trigger_event];
      ++trigger.count;
      trigger.end = std::max(trigger.end, record.end);
      trigger.visible = std::max(trigger.visible, record.visible);
    }
  }
  return triggers;
}

// A worker of the static schedule has fetched its task and looked; then it looks again and again.
Time first_look_after(Time taken, Time visible, Duration task, Duration poll) {
  const Time looked = taken + task;
  if (visible <= looked) return looked;
  if (poll == Duration::zero()) return visible;
  return looked + (visible - looked + poll - 1_ps) / poll * poll;
}

// A few tasks of each queue trade places.
Schedule shuffled(const Schedule& schedule, std::uint64_t seed) {
  constexpr std::uint32_t kTrades = 3;
  Rng rng(seed);
  Schedule result;
  for (const Ssc& ssc : schedule) {
    SscParts parts = parts_of(ssc);
    for (std::vector<std::uint32_t>& queue : parts.queues) {
      for (std::uint32_t i = rng.below(kTrades); i > 0 && !queue.empty(); --i) {
        const auto size = static_cast<std::uint32_t>(queue.size());
        const std::uint32_t first = rng.below(size), second = rng.below(size);
        std::swap(queue[first], queue[second]);
      }
    }
    result.push_back(Ssc::build(parts));
  }
  return result;
}

void check_start(const Experiment& experiment, const Triggers& triggers, std::size_t rank,
                 const TaskDescriptor& td, const TaskRecord& record) {
  const Duration fetch = experiment.program.tasks.static_task;
  const Trigger event = td.dependent_event == kNone ? Trigger{} : triggers[rank][td.dependent_event];
  RC_ASSERT(record.taken.time_since_epoch() >=
            experiment.run.ranks[rank].start + experiment.program.launch.alone);
  RC_ASSERT(record.start >= record.taken);
  if (experiment.run.execution == "static" && experiment.run.transport == Transport::kPuts) {
    RC_ASSERT(record.start ==
              first_look_after(record.taken, event.visible, fetch, experiment.run.poll_of(td.queue_type)));
  } else if (experiment.run.execution == "dynamic") {
    RC_ASSERT(record.start >= event.visible);
  } else {
    RC_ASSERT(record.start >= event.end);  // of kernels: they end when what they wrote is there
  }
}

// A task's time is its ideal and what it lost; the run lasts until the last task has ended and the last row
// arrived.
void check_sums(const PassResult& pass) {
  Time last{};
  for (std::uint32_t r = 0; r < pass.schedule.size(); ++r) {
    const Ssc& ssc = pass.schedule[r];
    for (std::size_t t = 0; t < ssc.tasks().size(); ++t) {
      const TaskRecord& record = pass.run.ranks[r].records[t];
      Duration sum = record.ideal;
      for (const Duration lost : record.lost) {
        RC_ASSERT(lost >= Duration::zero());
        sum += lost;
      }
      RC_ASSERT(record.end - record.start == sum);
      RC_ASSERT(record.arithmetic <= record.ideal);
      last = std::max(last, record.end);
      if (written_rank(ssc, ssc.tasks()[t]) != r) last = std::max(last, record.visible);
    }
  }
  RC_ASSERT(pass.run.makespan == last.time_since_epoch());
}

// No faster than what drives it and its ports; its signal follows a hop later.
void check_put(const Experiment& experiment, const Topology::Route& route, const TaskRecord& record) {
  const Hardware& hardware = experiment.hardware;
  const bool puts = experiment.run.transport == Transport::kPuts;
  const BytesPerSecond driver = puts ? hardware.fabric.put_per_worker : experiment.program.collective.rate;
  const Duration startup = puts ? hardware.fabric.put_startup : Duration{};
  const Duration fence = puts ? hardware.fabric.put_fence : Duration{};
  const Bytes bytes{static_cast<std::int64_t>(record.put_bytes)};
  const Duration flowed = record.end - record.start - startup - fence;
  RC_ASSERT(flowed >= transfer_time(bytes, driver) - kNoise);
  RC_ASSERT(flowed >= transfer_time(bytes, route.port) - kNoise);
  RC_ASSERT(record.visible == record.end - fence + route.latency);
}

void check_puts(const Experiment& experiment, const PassResult& pass) {
  const RunOptions options = options_of(experiment, false);
  const Topology topology(experiment.hardware, experiment.program, dies_of(pass.schedule, options),
                          options.transport);
  for (std::uint32_t r = 0; r < pass.schedule.size(); ++r) {
    const Ssc& ssc = pass.schedule[r];
    for (std::size_t t = 0; t < ssc.tasks().size(); ++t) {
      const TaskRecord& record = pass.run.ranks[r].records[t];
      if (record.put_bytes == 0) continue;
      check_put(experiment, topology.route(RankId{r}, RankId{written_rank(ssc, ssc.tasks()[t])}), record);
    }
  }
}

void takes_no_less_than_bounds(const CountedRun& run) {
  for (const CountedPass& pass : run.passes) {
    for (const Duration bound : pass.result.bounds.time) RC_ASSERT(pass.result.run.makespan >= bound);
    check_sums(pass.result);
    check_puts(run.experiment, pass.result);
  }
}
const RunCheck kTimes(
    "no run takes less than any bound, no put less than its bytes, and a task its ideal and its losses",
    takes_no_less_than_bounds);

void starts_when_events_fire(const CountedRun& run) {
  for (const CountedPass& pass : run.passes) {
    const Triggers triggers = triggers_of(pass.result);
    for (std::size_t r = 0; r < pass.result.schedule.size(); ++r) {
      const Ssc& ssc = pass.result.schedule[r];
      RC_ASSERT(pass.result.run.ranks[r].tasks == ssc.tasks().size());
      for (std::size_t e = 0; e < ssc.events().size(); ++e)
        RC_ASSERT(triggers[r][e].count == ssc.events()[e].threshold);
      for (std::size_t t = 0; t < ssc.tasks().size(); ++t) {
        RC_ASSERT(pass.started[r][t] == 1U);
        RC_ASSERT(pass.ended[r][t] == 1U);
        check_start(run.experiment, triggers, r, ssc.tasks()[t], pass.result.run.ranks[r].records[t]);
      }
    }
  }
}
const RunCheck kStarts(
    "every task runs once, and starts when its event has reached its threshold and not before",
    starts_when_events_fire);

}  // namespace

TEST_CASE("verified schedules never deadlock, and those with shuffled queues do where verification says so") {
  std::uint32_t deadlocks = 0, sound = 0;
  for_all(Backends::kNative, [&](const RandomConfig& config) {
    Experiment experiment = experiment_of(config);
    experiment.run.execution = "static";
    experiment.run.transport = Transport::kPuts;
    const RoutingCounts counts = routing_of(experiment);
    const Pass& pass = experiment.passes.back();
    const Schedule schedule = compile_pass(experiment, pass, capacity_of(experiment, counts)).schedule;
    RC_ASSERT(verify(schedule).errors == std::vector<std::string>{});
    const Schedule shuffled_schedule = shuffled(schedule, config.draws[0]);
    const auto run = [&] {
      observe(experiment, pass.name, shuffled_schedule, counts, backend_of(experiment));
    };
    const bool deadlock = !find_deadlock(shuffled_schedule).empty();
    ++(deadlock ? deadlocks : sound);
    if (!deadlock) return run();
    RC_ASSERT_THROWS_AS(run(), RunError);
  });
  CHECK(deadlocks > 0);
  CHECK(sound > 0);
}
