#include "sim/runtime/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/operators/engine_put.h"
#include "sim/core/machine_memory.h"
#include "sim/memory/l2/piece_l2.h"
#include "sim/runtime/device.h"
#include "sim/runtime/device_l2.h"
#include "sim/runtime/fabric.h"
#include "sim/runtime/l2_held.h"

namespace a3sim {
namespace {

// True if a device has these kinds of worker, and at least as many of each.
bool fits(const WorkerKinds& needed, const WorkerKinds& device) {
  return std::ranges::all_of(needed, [&](const WorkerKind& kind) {
    return std::ranges::any_of(device, [&](const WorkerKind& worker_kind) {
      return worker_kind.name == kind.name && worker_kind.units == kind.units &&
             worker_kind.count >= kind.count;
    });
  });
}

// Returns the kinds of a device, its copy engines among them.
WorkerKinds device_kinds(const Hardware& hardware) {
  WorkerKinds kinds = hardware.workers;
  if (hardware.copy_engine) kinds.add({std::string(kCopyEngineKind), hardware.copy_engine->count, {}});
  return kinds;
}

void check_fits(const Schedule& schedule, const RoutingCounts& counts, const Hardware& hardware,
                const RunOptions& options) {
  if (schedule.empty()) throw InputError("a schedule without ranks cannot run");
  const MoeShape& shape = schedule.front().shape();
  if (shape.ep % schedule.size() != 0) {
    throw InputError(
        fmt::format("the schedule is one of {} ranks, but {} are given", shape.ep, schedule.size()));
  }
  if (counts.ranks() != shape.ep || counts.experts() != shape.experts()) {
    throw InputError(fmt::format("the schedule is for {} ranks and {} experts, the routing has {} and {}",
                                 shape.ep, shape.experts(), counts.ranks(), counts.experts()));
  }
  if (!options.ranks.empty() && options.ranks.size() != shape.ep)
    throw std::logic_error("a run's options are those of all its ranks");
  for (const Ssc& ssc : schedule) {
    const WorkerKinds device = device_kinds(hardware);
    if (!fits(ssc.kinds(), device)) {
      throw InputError(fmt::format("the schedule of rank {} is for {}; hardware '{}' has {}",
                                   index(ssc.rank()), ssc.kinds().text(), hardware.name, device.text()));
    }
  }
}

// Refuses to swap, which would stall the machine for all its users.
void check_l2_memory(double bytes) {
  const auto most = static_cast<double>(memory_of_machine().count);
  if (bytes <= most) return;
  throw RunError(
      fmt::format("the schedule's tensors are so large that a model of their L2s takes {:.1f} GB, and this "
                  "machine has {:.1f}",
                  bytes / 1e9, most / 1e9));
}

std::uint32_t most_workers(const Schedule& schedule) {
  std::uint32_t most = 0;
  for (const Ssc& ssc : schedule) {
    most = std::max(most, ssc.kinds().workers());
  }
  return most;
}

// A rank's hardware at its own clock, and the costs on it. The program must outlive it.
struct Machine {
  Machine(const Hardware& own, const Program& program) : hardware(own), cost(hardware, program) {}
  Hardware hardware;
  CostModel cost;
};

std::vector<std::unique_ptr<Machine>> machines_of(const Schedule& schedule, const Hardware& hardware,
                                                  const Program& program, const RunOptions& options) {
  std::vector<std::unique_ptr<Machine>> machines;
  for (const Ssc& ssc : schedule) {
    machines.push_back(std::make_unique<Machine>(hardware_of(hardware, options, ssc.rank()), program));
  }
  return machines;
}

// Looks at what an L2 holds, at equal distances.
class L2Watch final : public EventHandler {
 public:
  L2Watch(const PieceL2& l2, Duration until, std::uint32_t samples)
      : l2_(l2), until_(until), samples_(samples) {}

  // The engine knows it last, so that all others keep their order.
  void launch(Engine& engine) {
    engine.know(*this);
    for (std::uint32_t i = 1; i <= samples_; ++i) engine.schedule(Time(until_ * i / samples_), *this, i);
  }
  void on_event(Engine& /*engine*/, std::uint32_t /*arg*/) override { bytes_.push_back(l2_.held()); }
  std::vector<std::vector<std::uint64_t>> take() { return std::move(bytes_); }

 private:
  const PieceL2& l2_;
  Duration until_;
  std::uint32_t samples_;
  std::vector<std::vector<std::uint64_t>> bytes_;
};

// The devices of all ranks and the fabric between them, for one run.
class Ranks {
 public:
  Ranks(const Schedule& schedule, const RowLayout& layout, const Hardware& hardware, const Program& program,
        const NetworkBackend& backend, const RunOptions& options, const std::vector<std::unique_ptr<L2>>& l2s,
        std::uint32_t copy)
      : program_(program_of(program, options)),
        machines_(machines_of(schedule, hardware, program_, options)),
        fabric_(hardware, program_, dies_of(schedule, options), most_workers(schedule), backend,
                options.transport, options.disturbances, static_cast<std::uint32_t>(schedule.size()),
                options.cables),
        group_(fabric_.topology().farthest(), fabric_.topology().ranks()) {
    for (const Ssc& ssc : schedule) {
      const std::uint32_t rank = index(ssc.rank());
      devices_.push_back(std::make_unique<Device>(ssc, layout, machines_[rank]->cost, fabric_, group_,
                                                  *l2s[rank], options, copy));
      events_.push_back(&devices_.back()->events());
      puts_.push_back(&devices_.back()->puts());
    }
    fabric_.connect({puts_.begin(), puts_.end()});
    if (options.record) fabric_.record_cables();
    for (const auto& device : devices_) device->connect(events_, puts_);
  }

  // Call this once. `watch`, if not null, looks at the ranks meanwhile.
  RunResult run(L2Watch* watch = nullptr) {
    Engine engine;
    for (EventCounters* counters : events_) engine.know(*counters);
    for (const auto& device : devices_) device->know_execution(engine);
    engine.know(fabric_);
    for (PutUnit* unit : puts_) engine.know(*unit);
    for (const auto& device : devices_) engine.know(*device);
    for (const auto& device : devices_) device->launch(engine);
    if (watch != nullptr) watch->launch(engine);
    engine.run();
    RunResult result;
    if (engine.stopped()) {
      result.stopped = true;
      result.makespan = engine.now().time_since_epoch();
      return result;
    }
    check_finished();
    for (const auto& device : devices_) {
      result.ranks.push_back(device->take_result());
      result.makespan = std::max(result.makespan, result.ranks.back().end);
    }
    result.events = engine.events();
    result.network = fabric_.backend();
    result.cables = fabric_.cable_uses(Time(result.makespan));
    return result;
  }

 private:
  void check_finished() const {
    if (std::ranges::all_of(devices_, [](const auto& device) { return device->finished(); })) return;
    std::string blocked;
    for (const auto& device : devices_) blocked += device->blocked();
    throw RunError("deadlock: no event is due, and these workers wait:" + blocked);
  }

  Program program_;
  std::vector<std::unique_ptr<Machine>> machines_;
  Fabric fabric_;
  Group group_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<EventCounters*> events_;
  std::vector<PutUnit*> puts_;
};

RowLayout checked_layout(const Schedule& schedule, const RoutingCounts& counts, const Hardware& hardware,
                         const RunOptions& options) {
  check_fits(schedule, counts, hardware, options);
  return {schedule.front().shape(), capacity_of(schedule), counts};
}

// A run whose L2s hold what earlier runs have left.
class Prepared {
 public:
  Prepared(const Schedule& schedule, const RoutingCounts& counts, const Hardware& hardware,
           const Program& program, const NetworkBackend& backend, const RunOptions& options)
      : schedule_(schedule),
        hardware_(hardware),
        program_(program),
        backend_(backend),
        options_(options),
        layout_(checked_layout(schedule, counts, hardware, options)) {
    const std::uint32_t copies = copies_before(schedule, layout_, hardware, options.l2);
    check_l2_memory(l2_memory(schedule, layout_, options.l2, copies));
    for (const Ssc& ssc : schedule) l2s_.push_back(make_l2(ssc, layout_, hardware, options.l2, copies));
    if (options.l2.start == L2Start::kCold) return;
    RunOptions before = options;
    before.record = false;
    before.hooks = options.hooks != nullptr ? options.hooks->before() : nullptr;
    before.launches = nullptr;
    before.disturbances = nullptr;
    for (std::uint32_t copy = std::min(1U, copies); copy <= copies; ++copy) run(before, copy, nullptr);
    for (const auto& l2 : l2s_) l2->forget_counts();
  }

  const L2& l2(std::uint32_t rank) const { return *l2s_[rank]; }
  RunResult run(L2Watch* watch = nullptr) { return run(options_, 0, watch); }

 private:
  RunResult run(const RunOptions& options, std::uint32_t copy, L2Watch* watch) {
    return Ranks(schedule_, layout_, hardware_, program_, backend_, options, l2s_, copy).run(watch);
  }

  const Schedule& schedule_;
  const Hardware& hardware_;
  const Program& program_;
  const NetworkBackend& backend_;
  const RunOptions& options_;
  RowLayout layout_;
  std::vector<std::unique_ptr<L2>> l2s_;
};

}  // namespace

std::vector<std::uint32_t> dies_of(const Schedule& schedule, const RunOptions& options) {
  std::vector<std::uint32_t> dies;
  for (std::uint32_t rank = 0; rank < schedule.front().shape().ep; ++rank)
    dies.push_back(options.rank(RankId{rank}).die);
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
  return schedule.size() == shape.ep ? capacity
                                     : turned(capacity, shape, static_cast<std::uint32_t>(schedule.size()));
}

RunResult run_schedule(const Schedule& schedule, const RoutingCounts& counts, const Hardware& hardware,
                       const Program& program, const NetworkBackend& backend, const RunOptions& options) {
  return Prepared(schedule, counts, hardware, program, backend, options).run();
}

L2Held run_for_l2(const Schedule& schedule, const RoutingCounts& counts, const Hardware& hardware,
                  const Program& program, const NetworkBackend& backend, const RunOptions& options,
                  std::uint32_t rank, Duration until, std::uint32_t samples) {
  Prepared prepared(schedule, counts, hardware, program, backend, options);
  const auto* const l2 = dynamic_cast<const PieceL2*>(&prepared.l2(rank));
  if (l2 == nullptr) return {};
  L2Watch watch(*l2, until, samples);
  const Duration makespan = prepared.run(&watch).makespan;
  return {makespan, watch.take()};
}

}  // namespace a3sim
