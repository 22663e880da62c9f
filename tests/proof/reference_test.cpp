#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "sim/core/rng.h"
#include "sim/experiment/run/run_experiment.h"
#include "tests/invariants/random_config.h"
#include "tests/proof/reference_engine.h"

using namespace a3sim;

namespace {

// Under sanitizers, which look at the code, fewer will do.
#ifdef NDEBUG
constexpr std::uint64_t kWhole = 300;
constexpr std::uint64_t kOneKind = 100;
constexpr std::uint64_t kShared = 200;
#else
constexpr std::uint64_t kWhole = 15;
constexpr std::uint64_t kOneKind = 10;
constexpr std::uint64_t kShared = 10;
#endif
constexpr std::uint64_t kFirstShared = 10'000;  // seed
// Of the makespan: the engine's times and rates are whole numbers.
constexpr double kBound = 1e-6;
constexpr int kMostSensitive = 2;  // passes of kShared configurations

// What the reference leaves out: products that share lines of the L2, which then come slower; another
// network than max-min; casts behind kernels' gradients.
std::vector<std::string> left_out() {
  return {"hardware.memory.l2_line_read=4000 TB/s", "network.backend=native",
          "experiment.weight_gradients=none", "l2.start=cold"};
}

// Times are whole picoseconds, and so exact in whatever number counts them: a cycle is 2^11 ps, rates are powers
// of two a cycle, and neither memory nor ports are ever full.
std::vector<std::string> whole_times() {
  std::vector<std::string> set = left_out();
  for (const char* value : {"hardware.clock=488281250 Hz",
                            "hardware.workers.cube.gm_to_l1=128 B/cycle",
                            "hardware.workers.cube.gm_to_l1_miss=128 B/cycle",
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
  set.insert(set.end(), {"tiling.base_k=64", "tiling.step_k=4", "model.dtype=bf16", "ranks.clock={}",
                         "experiment.communication=one_sided"});
  return set;
}

// Whatever rates were drawn; but no choice that a picosecond turns round: whose turn it is, whether a look came in time.
std::vector<std::string> shared_rates(const RandomConfig& config) {
  std::vector<std::string> set = left_out();
  set.insert(set.end(), {"order.assignment=cyclic", "experiment.poll={}"});
  const std::vector<std::string> drawn = overrides_of(config);
  if (std::ranges::find(drawn, "experiment.execution=dynamic") != drawn.end())
    set.push_back("experiment.execution=static");
  return set;
}

// Operators find part of what they read in the HBM, products all of it in the L2; what they make pushes lines out.
std::map<std::string, reference::L2Answer> answers(std::uint64_t seed, const Pass& pass) {
  constexpr double kParts[] = {0, 0.5, 1};  // so that bytes stay whole
  Rng rng(seed);
  std::map<std::string, reference::L2Answer> l2;
  for (const OperatorNode& node : pass.graph.operators()) {
    const double read = kParts[rng.below(3)], written = kParts[rng.below(3)];
    l2[node.name] = {node.type.starts_with("GroupedMatmul") ? 0 : read, written};
  }
  return l2;
}

struct Compared {
  std::int64_t engine = 0, reference = 0;
  std::string first_difference;  // a task's times
};

Compared compare(const Experiment& experiment, const Pass& pass, const RoutingCounts& counts,
                 const std::map<std::string, reference::L2Answer>& l2) {
  const RoutingCounts capacity = capacity_of(experiment, counts);
  const Schedule schedule = compile_pass(experiment, pass, capacity).schedule;
  RunOptions options = options_of(experiment, true);
  for (const OperatorInfo& op : schedule.front().operators()) {
    L2Rates& rates = options.l2.rates[op.name];
    if (const auto found = l2.find(op.name); found != l2.end())
      rates = {1 - found->second.hbm_read, found->second.hbm_read, found->second.hbm_written};
  }
  const RunResult run = run_schedule(schedule, counts, experiment.hardware, experiment.program,
                                     backend_of(experiment), options);
  const reference::Outcome other =
      reference::simulate({schedule, capacity, counts, experiment.hardware, experiment.program, options, l2});
  Compared compared{run.makespan.count(), other.makespan, ""};
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t r = 0; r < schedule.size(); ++r) {
    for (std::uint32_t t = 0; t < schedule[r].tasks().size(); ++t) {
      const TaskRecord& record = run.ranks[r].records[t];
      const std::int64_t start = record.start.time_since_epoch().count(),
                         end = record.end.time_since_epoch().count();
      if ((start == other.start[r][t] && end == other.end[r][t]) || end >= first) continue;
      first = end;
      const TaskDescriptor& td = schedule[r].tasks()[t];
      compared.first_difference = fmt::format("rank {} task {} ({} {}): {} to {} ps, reference {} to {} ps",
                                              r, t, schedule[r].operators()[td.op].name, td.task_index, start,
                                              end, other.start[r][t], other.end[r][t]);
    }
  }
  return compared;
}

std::string shown(std::uint64_t seed, const RandomConfig& config) {
  std::string text = fmt::format("seed {}:\n", seed);
  for (const std::string& set : overrides_of(config)) text += "  " + set + "\n";
  return text;
}

}  // namespace

TEST_CASE("the engine gives every task the times of a second simulator, to the picosecond") {
  for (std::uint64_t seed = 0; seed < kWhole; ++seed) {
    const RandomConfig config = config_of(seed);
    const Experiment experiment = experiment_of(config, whole_times());
    const RoutingCounts counts = routing_of(experiment);
    for (const Pass& pass : experiment.passes) {
      const Compared compared = compare(experiment, pass, counts, {});
      if (compared.engine == compared.reference && compared.first_difference.empty()) continue;
      INFO(shown(seed, config) << pass.name << '\n' << compared.first_difference);
      CHECK(compared.engine == compared.reference);
      CHECK(compared.first_difference == "");
    }
  }
}

TEST_CASE("workers that run matrix and vector tasks do so in both, to the picosecond") {
  for (std::uint64_t seed = 0; seed < kOneKind; ++seed) {
    const RandomConfig config = config_of(seed);
    Experiment experiment = experiment_of(config, whole_times());
    experiment.hardware.workers = WorkerKinds({{"SM", experiment.workers.workers(), {true, true}}});
    experiment.workers = experiment.hardware.workers;
    const RoutingCounts counts = routing_of(experiment);
    for (const Pass& pass : experiment.passes) {
      const Compared compared = compare(experiment, pass, counts, {});
      INFO(shown(seed, config) << pass.name << '\n' << compared.first_difference);
      CHECK(compared.engine == compared.reference);
      CHECK(compared.first_difference == "");
    }
  }
}

TEST_CASE("where memory and ports are shared, the makespan is the second simulator's within a millionth") {
  double worst = 0;
  int sensitive = 0;
  for (std::uint64_t seed = kFirstShared; seed < kFirstShared + kShared; ++seed) {
    const RandomConfig config = config_of(seed);
    const Experiment experiment = experiment_of(config, shared_rates(config));
    const RoutingCounts counts = routing_of(experiment);
    for (const Pass& pass : experiment.passes) {
      const auto l2 = answers(seed, pass);
      const Compared compared = compare(experiment, pass, counts, l2);
      const double off = std::abs(static_cast<double>(compared.engine - compared.reference)) /
                         static_cast<double>(compared.reference);
      if (off <= kBound) {
        worst = std::max(worst, off);
        continue;
      }
      INFO(shown(seed, config) << pass.name << '\n' << compared.first_difference);
      // Who is served first may hang by a thread: then a rate that is off by as much moves the engine itself that far.
      ++sensitive;
      std::int64_t least = compared.engine, most = compared.engine;
      for (const double part : {1 - kBound, 1 + kBound}) {
        Experiment nearby = experiment;
        BytesPerSecond& rate = nearby.hardware.memory.hbm_write;
        rate.count = std::llround(static_cast<double>(rate.count) * part);
        const std::int64_t makespan = compare(nearby, pass, counts, l2).engine;
        least = std::min(least, makespan);
        most = std::max(most, makespan);
      }
      CHECK(compared.reference >= least);
      CHECK(compared.reference <= most);
    }
  }
  INFO("the largest difference: " << worst);
  CHECK(worst <= kBound);
  CHECK(sensitive <= kMostSensitive);
}
