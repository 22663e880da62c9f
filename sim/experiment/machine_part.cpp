#include "sim/experiment/machine_part.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "sim/core/ids.h"
#include "sim/memory/l2/l2.h"
#include "sim/runtime/execution.h"

namespace a3sim {
namespace {

constexpr double kFree = 1e5;
constexpr double kMostRate = 1e18;      // that a configuration may state
constexpr double kMostWorkers = 65536;  // that a configuration may state

std::int64_t scaled(std::int64_t amount, double factor) {
  return static_cast<std::int64_t>(
      std::clamp(std::round(static_cast<double>(amount) * factor), 1.0, kMostRate));
}

// What values become, each by what it is: rates and clocks, durations, numbers of workers.
void improve(const Improvement& by, BytesPerSecond& rate) { rate.count = scaled(rate.count, by.factor); }
void improve(const Improvement& by, Hertz& clock) { clock.count = scaled(clock.count, by.factor); }
void improve(const Improvement& by, double& per_cycle) { per_cycle *= by.factor; }
void improve(const Improvement& by, Duration& time) {
  const bool none = by.free || time == Duration::zero();
  time = none ? Duration::zero() : Duration(scaled(time.count(), 1 / by.factor));
}
void improve(const Improvement& by, std::uint32_t& workers) {
  constexpr double kRounding = 1e-9;  // 50 times 1.1 is 55
  if (by.free) return;
  workers =
      static_cast<std::uint32_t>(std::clamp(std::ceil(workers * by.factor - kRounding), 1.0, kMostWorkers));
}
// Several at a time.
template <class... Values>
  requires(sizeof...(Values) > 1)
void improve(const Improvement& by, Values&... values) {
  (improve(by, values), ...);
}
void improve_cycles(const Improvement& by, double& cycles) { cycles = by.free ? 0 : cycles / by.factor; }
void improve_part(const Improvement& by, double& part) {
  part = by.free ? 1 : std::min(1.0, part * by.factor);
}

// Whole lines in all ways of every set.
void improve_l2(const Improvement& by, Hardware::MemorySystem& memory) {
  const std::int64_t wanted = by.everything > 0 ? std::max(by.everything, memory.l2_size.count)
                                                : scaled(memory.l2_size.count, by.factor);
  const std::int64_t stride = std::int64_t{memory.l2_ways} * kL2Line;
  memory.l2_size.count = (wanted + stride - 1) / stride * stride;
}

using Kind = MachinePart::Kind;

bool hands_out(const RunOptions& run) { return Executions::get(run.execution).hands_out(); }
bool fetches(const RunOptions& run) {
  return !hands_out(run) && !Executions::get(run.execution).by_kernels();
}
bool has_puts(const RunOptions& run) { return run.transport == Transport::kPuts; }
bool has_streams(const Hardware& hardware) { return hardware.streams.has_value(); }
bool has_collectives(const RunOptions& run) { return run.transport == Transport::kCollective; }

const std::vector<MachinePart> kParts{
    {"clock of the cores", {"clock"}, [](auto& h, auto& by) { improve(by, h.clock); }, Kind::kWhole},
    {"AIC",
     {"workers.cube.count"},
     [](auto& h, auto& by) { improve(by, h.workers.kind(CoreUnit::kMatrix).count); },
     Kind::kCount},
    {"AIV",
     {"workers.vector.count"},
     [](auto& h, auto& by) { improve(by, h.workers.kind(CoreUnit::kVector).count); },
     Kind::kCount},
    {"cube arithmetic",
     {"workers.cube.macs_16", "workers.cube.macs_32", "workers.cube.macs_8", "workers.cube.mad_head_cycles"},
     [](auto& h, auto& by) { improve(by, h.cube.speed); }},
    {"loads to L0",
     {"workers.cube.l1_to_l0a", "workers.cube.l1_to_l0b"},
     [](auto& h, auto& by) { improve(by, h.cube.l1_to_l0a, h.cube.l1_to_l0b); }},
    {"loads to L1, hits",
     {"workers.cube.gm_to_l1", "workers.cube.load_issue_cycles"},
     [](auto& h, auto& by) {
       improve(by, h.cube.gm_to_l1);
       improve_cycles(by, h.cube.load_issue_cycles);
     }},
    {"loads to L1, misses",
     {"workers.cube.gm_to_l1_miss"},
     [](auto& h, auto& by) { improve(by, h.cube.gm_to_l1_miss); }},
    {"stores from L0C", {"workers.cube.l0c_to_gm"}, [](auto& h, auto& by) { improve(by, h.cube.l0c_to_gm); }},
    {"vector arithmetic",
     {"workers.vector.simple_fp32", "workers.vector.convert", "workers.vector.transcendental",
      "workers.vector.startup_cycles"},
     [](auto& h, auto& by) {
       improve(by, h.vector.simple_fp32, h.vector.convert, h.vector.transcendental);
       improve_cycles(by, h.vector.startup_cycles);
     }},
    {"vector loads, hits",
     {"workers.vector.gm_to_ub"},
     [](auto& h, auto& by) { improve(by, h.vector.gm_to_ub); }},
    {"vector loads, misses",
     {"workers.vector.gm_to_ub_miss"},
     [](auto& h, auto& by) { improve(by, h.vector.gm_to_ub_miss); }},
    {"vector stores", {"workers.vector.ub_to_gm"}, [](auto& h, auto& by) { improve(by, h.vector.ub_to_gm); }},
    {"rows that begin at no line",
     {"workers.cube.unaligned", "workers.vector.unaligned", "fabric.unaligned"},
     [](auto& h, auto& by) {
       improve_part(by, h.cube.unaligned);
       improve_part(by, h.vector.unaligned);
       improve_part(by, h.fabric.unaligned);
     }},
    {"short rows of loads to L1",
     {"workers.cube.rows_128", "workers.cube.rows_256"},
     [](auto& h, auto& by) {
       improve_part(by, h.cube.rows_128);
       improve_part(by, h.cube.rows_256);
     }},
    {"L2 size", {"memory.l2_size"}, [](auto& h, auto& by) { improve_l2(by, h.memory); }},
    {"L2 reads",
     {"memory.l2_read", "memory.l2_line_read"},
     [](auto& h, auto& by) { improve(by, h.memory.l2_read, h.memory.l2_line_read); }},
    {"L2 writes", {"memory.l2_write"}, [](auto& h, auto& by) { improve(by, h.memory.l2_write); }},
    {"HBM",
     {"memory.hbm_read", "memory.hbm_write"},
     [](auto& h, auto& by) { improve(by, h.memory.hbm_read, h.memory.hbm_write); }},
    {"link ports",
     {"fabric.planes.*.egress", "fabric.planes.*.ingress"},
     [](auto& h, auto& by) {
       for (auto& plane : h.fabric.planes) {
         improve(by, plane.egress, plane.ingress);
       }
     }},
    {"payload of the links",
     {"fabric.levels.*.payload"},
     [](auto& h, auto& by) {
       for (auto& level : h.fabric.levels) improve_part(by, level.payload);
     }},
    {"put rate of a worker",
     {"fabric.put_per_worker"},
     [](auto& h, auto& by) { improve(by, h.fabric.put_per_worker); },
     Kind::kSingle,
     has_puts},
    {"link latency, start and fence of a put",
     {"fabric.levels.*.latency", "fabric.put_startup", "fabric.put_fence"},
     [](auto& h, auto& by) {
       for (auto& level : h.fabric.levels) improve(by, level.latency);
       improve(by, h.fabric.put_startup, h.fabric.put_fence);
     }},
    {"task overhead, static",
     {"runtime.static_task"},
     [](auto& h, auto& by) { improve(by, h.runtime.static_task); },
     Kind::kSingle,
     fetches},
    {"dynamic scheduler",
     {"runtime.dynamic_task"},
     [](auto& h, auto& by) { improve(by, h.runtime.dynamic_task); },
     Kind::kSingle,
     hands_out},
    {"visibility of counters",
     {"runtime.local_visibility"},
     [](auto& h, auto& by) { improve(by, h.runtime.local_visibility); }},
    {"kernel launch",
     {"runtime.kernel_launch", "runtime.queued_launch"},
     [](auto& h, auto& by) { improve(by, h.runtime.kernel_launch, h.runtime.queued_launch); }},
    {"synchronisation of the AIVs",
     {"runtime.sync_all"},
     [](auto& h, auto& by) { improve(by, h.runtime.sync_all); },
     Kind::kSingle,
     [](const RunOptions& run) { return Executions::get(run.execution).fuses(); }},
    {"start of matrix tasks",
     {"runtime.cube_task_start"},
     [](auto& h, auto& by) { improve(by, h.runtime.cube_task_start); },
     Kind::kSingle,
     fetches},
    {"host collective, fixed",
     {"collective.fixed", "collective.read_back"},
     [](auto& h, auto& by) { improve(by, h.collective.fixed, h.collective.read_back); },
     Kind::kSingle,
     has_collectives},
    {"host collective, per peer",
     {"collective.per_peer"},
     [](auto& h, auto& by) { improve(by, h.collective.per_peer); },
     Kind::kSingle,
     has_collectives},
    {"copy engines",
     {"copy_engine.rate", "copy_engine.startup", "copy_engine.submit"},
     [](auto& h, auto& by) {
       if (!h.streams) return;
       auto& engine = h.streams->copy_engine;
       improve(by, engine.rate);
       improve(by, engine.startup, engine.submit);
     },
     Kind::kSingle,
     nullptr,
     has_streams},
    {"work of the host",
     {"host.balance", "host.read_counts", "host.product"},
     [](auto& h, auto& by) {
       if (h.streams)
         improve(by, h.streams->host.balance, h.streams->host.read_counts, h.streams->host.product);
     },
     Kind::kSingle,
     nullptr,
     has_streams},
    {"kernels of dispatch and combine",
     {"bulk.dispatch", "bulk.combine", "bulk.fixed"},
     [](auto& h, auto& by) {
       if (h.streams) improve(by, h.streams->bulk.dispatch, h.streams->bulk.combine, h.streams->bulk.fixed);
     },
     Kind::kSingle,
     nullptr,
     has_streams},
    {"host collective, rate",
     {"collective.rate"},
     [](auto& h, auto& by) { improve(by, h.collective.rate); },
     Kind::kSingle,
     has_collectives},
};

}  // namespace

Improvement Improvement::to_free(std::int64_t everything) { return {kFree, true, everything}; }

std::span<const MachinePart> machine_parts() { return kParts; }

const MachinePart& machine_part(std::string_view name) {
  const auto found = std::ranges::find(kParts, name, &MachinePart::name);
  if (found == kParts.end()) throw std::logic_error("no part of the machine is called " + std::string(name));
  return *found;
}

Experiment with_hardware(const Experiment& experiment, const Hardware& hardware) {
  Experiment changed = experiment;
  changed.hardware = hardware;
  for (std::uint32_t q = 0; q < experiment.workers.size(); ++q) {
    const std::int64_t before = experiment.hardware.workers[q].count, now = hardware.workers[q].count;
    const std::int64_t scaled = (experiment.workers[q].count * now + before / 2) / before;
    changed.workers[q].count = static_cast<std::uint32_t>(std::max(std::int64_t{1}, scaled));
  }
  if (experiment.cut.shares == experiment.workers.count(CoreUnit::kMatrix))
    changed.cut.shares = changed.workers.count(CoreUnit::kMatrix);
  return changed;
}

}  // namespace a3sim
