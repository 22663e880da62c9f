#include <algorithm>

#include "sim/experiment/run/compiled.h"
#include "tests/invariants/for_all.h"
#include "tests/invariants/observed_run.h"

using namespace a3sim;

// Everything takes twice as long: every task's times, and the run, are twice what they were.
//
// Exactly so where every time that follows from the configuration is a whole number of picoseconds: a cycle
// is 2^11 ps and rates are powers of two a cycle, a byte of a put takes 2^7 ps, and neither memory nor ports
// are contended for, whose shares divide by any number of users. Elsewhere the time of every step and flow is
// rounded up to a picosecond.
namespace {

BytesPerSecond halved(BytesPerSecond rate) { return {rate.count / 2}; }

Hardware doubled(Hardware hardware) {
  hardware.clock.count /= 2;
  Hardware::MemorySystem& memory = hardware.memory;
  for (BytesPerSecond* rate :
       {&memory.l2_read, &memory.l2_write, &memory.l2_line_read, &memory.hbm_read, &memory.hbm_write,
        &hardware.fabric.put_per_worker, &hardware.fabric.put_stream})
    *rate = halved(*rate);
  for (Hardware::Fabric::Plane& plane : hardware.fabric.planes) {
    plane.egress = halved(plane.egress);
    plane.ingress = halved(plane.ingress);
  }
  for (Hardware::Fabric::Level& level : hardware.fabric.levels) level.latency *= 2;
  for (Duration* time :
       {&hardware.fabric.put_startup, &hardware.fabric.put_fence, &hardware.fabric.put_piece})
    *time *= 2;
  return hardware;
}

Program doubled(Program program) {
  program.collective.rate = halved(program.collective.rate);
  for (Duration* time : {&program.collective.fixed, &program.collective.per_peer, &program.tasks.static_task,
                         &program.signals.local_visibility, &program.launch.alone, &program.launch.queued,
                         &program.tasks.cube_task_start})
    *time *= 2;
  if (program.tasks.dynamic_task) *program.tasks.dynamic_task *= 2;
  program.tasks.dynamic_start *= 2;
  return program;
}

Experiment doubled(const Experiment& experiment) {
  Experiment twice = experiment;
  twice.hardware = doubled(experiment.hardware);
  twice.program = doubled(experiment.program);
  for (Duration& poll : twice.run.poll) poll *= 2;
  for (RankOptions& rank : twice.run.ranks) rank.start *= 2;
  return twice;
}

// What makes times whole, see above.
std::vector<std::string> whole(const RandomConfig& config) {
  std::vector<std::string> set;
  for (const char* value : {"hardware.clock=488281250 Hz",
                            "hardware.workers.cube.gm_to_l1=128 B/cycle",
                            "hardware.workers.cube.l0c_to_gm=32 B/cycle",
                            "hardware.workers.cube.unaligned=0.5",
                            "hardware.workers.cube.rows_128=0.25",
                            "hardware.workers.cube.rows_256=0.5",
                            "program.tasks.cube_task_start=4096 ns",
                            "hardware.workers.vector.gm_to_ub=64 B/cycle",
                            "hardware.workers.vector.gm_to_ub_miss=16 B/cycle",
                            "hardware.workers.vector.unaligned=0.5",
                            "program.vector.tile=192 KiB",
                            "hardware.memory.l2_read=4000 TB/s",
                            "hardware.memory.l2_write=4000 TB/s",
                            "hardware.memory.l2_line_read=4000 TB/s",
                            "hardware.memory.hbm_read=4000 TB/s",
                            "hardware.memory.hbm_write=4000 TB/s",
                            "hardware.fabric.put_per_worker=7812500000 B/s",
                            "hardware.fabric.unaligned=0.5",
                            "hardware.fabric.levels.supernode.payload=0.5",
                            "hardware.fabric.planes.sio.egress=4000 TB/s",
                            "hardware.fabric.planes.sio.ingress=4000 TB/s",
                            "hardware.fabric.planes.hccs.egress=4000 TB/s",
                            "hardware.fabric.planes.hccs.ingress=4000 TB/s",
                            "hardware.fabric.planes.rdma.egress=4000 TB/s",
                            "hardware.fabric.planes.rdma.ingress=4000 TB/s"})
    set.emplace_back(value);
  // Cores that read what another one is fetching wait for what part of it is left.
  const std::vector<std::string> drawn = overrides_of(config);
  const bool alone = std::ranges::find(drawn, "workers.aic=1") != drawn.end();
  set.emplace_back(alone ? "hardware.workers.cube.gm_to_l1_miss=32 B/cycle"
                         : "hardware.workers.cube.gm_to_l1_miss=128 B/cycle");
  set.insert(set.end(), {"tiling.base_k=64", "tiling.step_k=4", "model.dtype=bf16", "ranks.clock={}",
                         "experiment.communication=one_sided"});
  return set;
}

struct TwoRuns {
  CountedPass once, twice;
};

std::vector<TwoRuns> run_both(const Experiment& experiment) {
  const Experiment slow = doubled(experiment);
  const RoutingCounts counts = routing_of(experiment);
  std::vector<TwoRuns> runs;
  for (const Pass& pass : experiment.passes) {
    const Schedule schedule = compile_pass(experiment, pass, capacity_of(experiment, counts)).schedule;
    runs.push_back({observe(experiment, pass.name, schedule, counts, backend_of(experiment)),
                    observe(slow, pass.name, schedule, counts, backend_of(experiment))});
  }
  return runs;
}

Duration since_start(Time time) { return time.time_since_epoch(); }

}  // namespace

TEST_CASE("doubling every duration and halving every rate doubles every time, to the picosecond") {
  for_all(Backends::kNative, [](const RandomConfig& config) {
    for (const auto& [once, twice] : run_both(experiment_of(config, whole(config)))) {
      RC_ASSERT(twice.result.run.makespan == 2 * once.result.run.makespan);
      for (std::size_t r = 0; r < once.result.run.ranks.size(); ++r) {
        const std::vector<TaskRecord>&a = once.result.run.ranks[r].records,
              &b = twice.result.run.ranks[r].records;
        for (std::size_t t = 0; t < a.size(); ++t) {
          RC_ASSERT(a[t].worker == b[t].worker);
          RC_ASSERT(since_start(b[t].taken) == 2 * since_start(a[t].taken));
          RC_ASSERT(since_start(b[t].start) == 2 * since_start(a[t].start));
          RC_ASSERT(since_start(b[t].end) == 2 * since_start(a[t].end));
          RC_ASSERT(since_start(b[t].visible) == 2 * since_start(a[t].visible));
          RC_ASSERT(b[t].ideal == 2 * a[t].ideal);
          for (std::uint32_t l = 0; l < kLimits; ++l) RC_ASSERT(b[t].lost[l] == 2 * a[t].lost[l]);
        }
      }
    }
  });
}
