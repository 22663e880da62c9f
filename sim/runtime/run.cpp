#include "sim/runtime/run.h"

#include <fmt/format.h>

#include <stdexcept>

#include "sim/runtime/device.h"
#include "sim/runtime/device_l2.h"

namespace a3sim {
namespace {

void check_fits(const Schedule& schedule, const RoutingCounts& counts, const Hardware& hardware,
                const RunOptions& options) {
  if (schedule.empty()) throw InputError("a schedule without ranks cannot run");
  const MoeShape& shape = schedule.front().shape();
  if (schedule.size() != shape.ep) {
    throw InputError(
        fmt::format("the schedule is one of {} ranks, but {} are given", shape.ep, schedule.size()));
  }
  if (counts.ranks() != shape.ep || counts.experts() != shape.experts()) {
    throw InputError(fmt::format("the schedule is for {} ranks and {} experts, the routing has {} and {}",
                                 shape.ep, shape.experts(), counts.ranks(), counts.experts()));
  }
  if (!options.ranks.empty() && options.ranks.size() != schedule.size())
    throw std::logic_error("a run's options are those of all its ranks");
  for (const Ssc& ssc : schedule) {
    const std::uint32_t cubes = ssc.workers(QueueType::kCtq), vectors = ssc.workers(QueueType::kVtq);
    if (cubes > hardware.workers.cube || vectors > hardware.workers.vector) {
      throw InputError(fmt::format(
          "the schedule of rank {} is for {} AIC and {} AIV; hardware '{}' has {} and {}", index(ssc.rank()),
          cubes, vectors, hardware.name, hardware.workers.cube, hardware.workers.vector));
    }
  }
}

std::uint32_t most_workers(const Schedule& schedule) {
  std::uint32_t most = 0;
  for (const Ssc& ssc : schedule) {
    most = std::max(most, ssc.workers(QueueType::kCtq) + ssc.workers(QueueType::kVtq));
  }
  return most;
}

// A rank's hardware, at its own clock.
struct Machine {
  explicit Machine(const Hardware& of) : hardware(of), cost(hardware) {}
  Hardware hardware;
  CostModel cost;
};

std::vector<std::unique_ptr<Machine>> machines_of(const Schedule& schedule, const Hardware& hardware,
                                                  const RunOptions& options) {
  std::vector<std::unique_ptr<Machine>> machines;
  for (const Ssc& ssc : schedule) {
    machines.push_back(std::make_unique<Machine>(at_clock(hardware, options.rank(ssc.rank()).clock)));
  }
  return machines;
}

RunResult run_once(const Schedule& schedule, const RowLayout& layout, const Hardware& hardware,
                   const NetworkBackend& backend, const RunOptions& options,
                   const std::vector<std::unique_ptr<L2>>& l2s, std::uint32_t copy) {
  const std::vector<std::unique_ptr<Machine>> machines = machines_of(schedule, hardware, options);
  Fabric fabric(hardware, dies_of(schedule, options), most_workers(schedule), backend, options.transport);
  Group group;
  std::vector<std::unique_ptr<Device>> devices;
  for (const Ssc& ssc : schedule) {
    const std::uint32_t rank = index(ssc.rank());
    devices.push_back(std::make_unique<Device>(ssc, layout, machines[rank]->cost, fabric, group, *l2s[rank],
                                               options, copy));
  }
  fabric.connect(devices);
  Engine engine;
  for (const auto& device : devices) {
    device->connect(devices);
    group.join(*device);
  }
  for (const auto& device : devices) device->launch(engine);
  engine.run();

  std::string blocked;
  bool finished = true;
  for (const auto& device : devices) {
    blocked += device->blocked();
    finished = finished && device->finished();
  }
  if (!finished) throw RunError("deadlock: no event is due, and these workers wait:" + blocked);
  RunResult result;
  for (const auto& device : devices) {
    result.ranks.push_back(device->take_result());
    result.makespan = std::max(result.makespan, result.ranks.back().end);
  }
  result.events = engine.events();
  result.network = fabric.backend();
  return result;
}

}  // namespace

std::vector<std::uint32_t> dies_of(const Schedule& schedule, const RunOptions& options) {
  std::vector<std::uint32_t> dies;
  for (const Ssc& ssc : schedule) dies.push_back(options.rank(ssc.rank()).die);
  return dies;
}

RoutingCounts capacity_of(const Schedule& schedule) {
  if (schedule.empty()) return {};
  const MoeShape& shape = schedule.front().shape();
  RoutingCounts capacity(shape.ep, shape.experts());
  for (const Ssc& ssc : schedule) {
    const std::span<const std::uint32_t> rows = ssc.sent_capacity();
    for (std::uint32_t e = 0; e < rows.size(); ++e) capacity.at(index(ssc.rank()), e) = rows[e];
  }
  return capacity;
}

RunResult run_schedule(const Schedule& schedule, const RoutingCounts& counts, const Hardware& hardware,
                       const NetworkBackend& backend, const RunOptions& options) {
  check_fits(schedule, counts, hardware, options);
  const RowLayout layout(schedule.front().shape(), capacity_of(schedule), counts);
  const std::uint32_t copies = copies_before(schedule, layout, hardware, options.l2);
  std::vector<std::unique_ptr<L2>> l2s;
  for (const Ssc& ssc : schedule) l2s.push_back(make_l2(ssc, layout, hardware, options.l2, copies));
  if (options.l2.start != L2Start::kCold) {
    RunOptions before = options;
    before.record = false;
    before.hooks = nullptr;
    for (std::uint32_t copy = std::min(1U, copies); copy <= copies; ++copy) {
      run_once(schedule, layout, hardware, backend, before, l2s, copy);
    }
    for (const auto& l2 : l2s) l2->forget_counts();
  }
  return run_once(schedule, layout, hardware, backend, options, l2s, 0);
}

}  // namespace a3sim
