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
constexpr double kMostRate = 1e18;      // the highest that a configuration may state
constexpr double kMostWorkers = 16384;  // the most that a configuration may state

std::int64_t scaled(std::int64_t amount, double factor) {
  return static_cast<std::int64_t>(
      std::clamp(std::round(static_cast<double>(amount) * factor), 1.0, kMostRate));
}

// Improves a value according to its kind: rate, clock, duration, number of workers.
void improve(const Improvement& by, BytesPerSecond& rate) { rate.count = scaled(rate.count, by.factor); }
void improve(const Improvement& by, Hertz& clock) { clock.count = scaled(clock.count, by.factor); }
void improve(const Improvement& by, double& per_cycle) { per_cycle *= by.factor; }
void improve(const Improvement& by, Duration& time) {
  const bool none = by.free || time == Duration::zero();
  time = none ? Duration::zero() : Duration(scaled(time.count(), 1 / by.factor));
}
void improve(const Improvement& by, std::uint32_t& workers) {
  constexpr double kRounding = 1e-9;  // so that 50 times 1.1 is 55
  if (by.free) return;
  workers =
      static_cast<std::uint32_t>(std::clamp(std::ceil(workers * by.factor - kRounding), 1.0, kMostWorkers));
}
// Improves several values.
template <class... Values>
  requires(sizeof...(Values) > 1)
void improve(const Improvement& by, Values&... values) {
  (improve(by, values), ...);
}
void improve_cycles(const Improvement& by, double& cycles) { cycles = by.free ? 0 : cycles / by.factor; }
void improve_part(const Improvement& by, double& part) {
  part = by.free ? 1 : std::min(1.0, part * by.factor);
}

// Improves the size of the L2. Keeps whole lines in all ways of every set.
void improve_l2(const Improvement& by, Hardware::MemorySystem& memory) {
  const std::int64_t wanted = by.everything > 0 ? std::max(by.everything, memory.l2_size.count)
                                                : scaled(memory.l2_size.count, by.factor);
  const std::int64_t stride = std::int64_t{memory.l2_ways} * kL2Line;
  memory.l2_size.count = (wanted + stride - 1) / stride * stride;
}

using Kind = MachinePart::Kind;

bool hands_out(const RunOptions& run) { return charges(run, "program.tasks.dynamic_task"); }
bool fetches(const RunOptions& run) { return charges(run, "program.tasks.static_task"); }
bool meets_aivs(const RunOptions& run) { return charges(run, "program.signals.sync_all"); }
bool has_puts(const RunOptions& run) { return run.transport == Transport::kPuts; }
bool has_streams(const Experiment& experiment) {
  return experiment.hardware.copy_engine && experiment.program.host && experiment.program.bulk;
}
bool stores_or_sorts(const Experiment& experiment) {
  const Program::Tasks& tasks = experiment.program.tasks;
  return tasks.scalar_store > Duration::zero() || tasks.sorted_element > Duration::zero() ||
         tasks.scalar_row > Duration::zero();
}
bool waits_for_rows(const Experiment& experiment) {
  const Program& program = experiment.program;
  return program.attention.start > Duration::zero() || program.vector_row_wait;
}
bool has_collectives(const RunOptions& run) { return run.transport == Transport::kCollective; }

// Improves the cables that do not end at a host.
void improve_cables(Experiment& experiment, const Improvement& by) {
  for (CablePlane& plane : experiment.run.cables) {
    CableDamage faster;
    faster.factor = by.factor;
    for (std::uint32_t c = 0; c < plane.layout->cables().size(); ++c) {
      const Cable& cable = plane.layout->cables()[c];
      if (!cable.from.starts_with("host") && !cable.to.starts_with("host")) faster.cables.push_back(c);
    }
    plane.damages.push_back(std::move(faster));
  }
}

const std::vector<MachinePart> kParts{
    {"clock of the cores",
     {"hardware.clock"},
     [](Experiment& e, const Improvement& by) { improve(by, e.hardware.clock); },
     Kind::kWhole},
    {"AIC",
     {"hardware.workers.cube.count"},
     [](Experiment& e, const Improvement& by) {
       improve(by, e.hardware.workers.kind(CoreUnit::kMatrix).count);
     },
     Kind::kCount},
    {"AIV",
     {"hardware.workers.vector.count"},
     [](Experiment& e, const Improvement& by) {
       improve(by, e.hardware.workers.kind(CoreUnit::kVector).count);
     },
     Kind::kCount},
    {"cube arithmetic",
     {"hardware.workers.cube.macs_16", "hardware.workers.cube.macs_32", "hardware.workers.cube.macs_8",
      "hardware.workers.cube.mad_head_cycles"},
     [](Experiment& e, const Improvement& by) { improve(by, e.hardware.cube.speed); }},
    {"loads to L0",
     {"hardware.workers.cube.l1_to_l0a", "hardware.workers.cube.l1_to_l0b"},
     [](Experiment& e, const Improvement& by) {
       improve(by, e.hardware.cube.l1_to_l0a, e.hardware.cube.l1_to_l0b);
     }},
    {"loads to L1, hits",
     {"hardware.workers.cube.gm_to_l1", "hardware.workers.cube.load_issue_cycles"},
     [](Experiment& e, const Improvement& by) {
       improve(by, e.hardware.cube.gm_to_l1);
       improve_cycles(by, e.hardware.cube.load_issue_cycles);
     }},
    {"loads to L1, misses",
     {"hardware.workers.cube.gm_to_l1_miss", "hardware.workers.cube.hbm_part"},
     [](Experiment& e, const Improvement& by) {
       improve(by, e.hardware.cube.gm_to_l1_miss);
       improve_part(by, e.hardware.cube.hbm_part);
     }},
    {"stores from L0C",
     {"hardware.workers.cube.l0c_to_gm"},
     [](Experiment& e, const Improvement& by) { improve(by, e.hardware.cube.l0c_to_gm); }},
    {"vector arithmetic",
     {"hardware.workers.vector.simple_fp32", "hardware.workers.vector.convert",
      "hardware.workers.vector.transcendental", "hardware.workers.vector.startup_cycles"},
     [](Experiment& e, const Improvement& by) {
       improve(by, e.hardware.vector.simple_fp32, e.hardware.vector.convert,
               e.hardware.vector.transcendental);
       improve_cycles(by, e.hardware.vector.startup_cycles);
     }},
    {"vector loads, hits",
     {"hardware.workers.vector.gm_to_ub", "hardware.workers.vector.load_startup_cycles"},
     [](Experiment& e, const Improvement& by) {
       improve(by, e.hardware.vector.gm_to_ub);
       improve_cycles(by, e.hardware.vector.load_startup);
     }},
    {"vector loads, misses",
     {"hardware.workers.vector.gm_to_ub_miss"},
     [](Experiment& e, const Improvement& by) { improve(by, e.hardware.vector.gm_to_ub_miss); }},
    {"vector stores",
     {"hardware.workers.vector.ub_to_gm"},
     [](Experiment& e, const Improvement& by) { improve(by, e.hardware.vector.ub_to_gm); }},
    {"rows that begin at no line",
     {"hardware.workers.cube.unaligned", "hardware.workers.vector.unaligned", "hardware.fabric.unaligned"},
     [](Experiment& e, const Improvement& by) {
       improve_part(by, e.hardware.cube.unaligned);
       improve_part(by, e.hardware.vector.unaligned);
       improve_part(by, e.hardware.fabric.unaligned);
     }},
    {"short rows of loads to L1",
     {"hardware.workers.cube.rows_128", "hardware.workers.cube.rows_256"},
     [](Experiment& e, const Improvement& by) {
       improve_part(by, e.hardware.cube.rows_128);
       improve_part(by, e.hardware.cube.rows_256);
     }},
    {"L2 size",
     {"hardware.memory.l2_size"},
     [](Experiment& e, const Improvement& by) { improve_l2(by, e.hardware.memory); }},
    {"L2 reads",
     {"hardware.memory.l2_read", "hardware.memory.l2_line_read", "hardware.memory.in_flight"},
     [](Experiment& e, const Improvement& by) {
       Hardware::MemorySystem& memory = e.hardware.memory;
       improve(by, memory.l2_read, memory.l2_line_read);
       memory.in_flight = by.free ? Bytes{} : Bytes{scaled(memory.in_flight.count, by.factor)};
     }},
    {"L2 writes",
     {"hardware.memory.l2_write"},
     [](Experiment& e, const Improvement& by) { improve(by, e.hardware.memory.l2_write); }},
    {"HBM",
     {"hardware.memory.hbm_read", "hardware.memory.hbm_write"},
     [](Experiment& e, const Improvement& by) {
       improve(by, e.hardware.memory.hbm_read, e.hardware.memory.hbm_write);
     }},
    {"link ports",
     {"hardware.fabric.planes.*.egress", "hardware.fabric.planes.*.ingress", "hardware.fabric.planes.*.read"},
     [](Experiment& e, const Improvement& by) {
       for (auto& plane : e.hardware.fabric.planes) {
         improve(by, plane.egress, plane.ingress, plane.read);
       }
     }},
    {"payload of the links",
     {"hardware.fabric.levels.*.payload"},
     [](Experiment& e, const Improvement& by) {
       for (auto& level : e.hardware.fabric.levels) improve_part(by, level.payload);
     }},
    {"put rate of a worker",
     {"hardware.fabric.put_per_worker", "hardware.fabric.put_stream", "hardware.fabric.pull_per_worker",
      "hardware.fabric.put_row", "hardware.fabric.put_piece"},
     [](Experiment& e, const Improvement& by) {
       improve(by, e.hardware.fabric.put_per_worker, e.hardware.fabric.put_stream,
               e.hardware.fabric.pull_per_worker);
       improve(by, e.hardware.fabric.put_row, e.hardware.fabric.put_piece);
     },
     Kind::kSingle,
     has_puts},
    {"link latency, start and fence of a put",
     {"hardware.fabric.levels.*.latency", "hardware.fabric.put_startup", "hardware.fabric.put_fence"},
     [](Experiment& e, const Improvement& by) {
       for (auto& level : e.hardware.fabric.levels) improve(by, level.latency);
       improve(by, e.hardware.fabric.put_startup, e.hardware.fabric.put_fence);
     }},
    {"cables between switches",
     {"network.topology"},
     improve_cables,
     Kind::kSingle,
     nullptr,
     [](const Experiment& e) { return !e.run.cables.empty(); }},
    {"task overhead, static",
     {"program.tasks.static_task"},
     [](Experiment& e, const Improvement& by) { improve(by, e.program.tasks.static_task); },
     Kind::kSingle,
     fetches},
    {"dynamic scheduler",
     {"program.tasks.dynamic_task", "program.tasks.dynamic_start"},
     [](Experiment& e, const Improvement& by) {
       if (e.program.tasks.dynamic_task) improve(by, *e.program.tasks.dynamic_task);
       improve(by, e.program.tasks.dynamic_start);
     },
     Kind::kSingle,
     hands_out},
    {"scalar stores and sorts",
     {"program.tasks.scalar_store", "program.tasks.sorted_element", "program.tasks.scalar_row"},
     [](Experiment& e, const Improvement& by) {
       improve(by, e.program.tasks.scalar_store, e.program.tasks.sorted_element, e.program.tasks.scalar_row);
     },
     Kind::kSingle,
     nullptr,
     stores_or_sorts},
    {"start of attention, waits for rows",
     {"program.attention.start", "program.vector.row_wait"},
     [](Experiment& e, const Improvement& by) {
       improve(by, e.program.attention.start);
       if (e.program.vector_row_wait) improve(by, *e.program.vector_row_wait);
     },
     Kind::kSingle,
     nullptr,
     waits_for_rows},
    {"visibility of counters",
     {"program.signals.local_visibility"},
     [](Experiment& e, const Improvement& by) { improve(by, e.program.signals.local_visibility); }},
    {"kernel launch",
     {"program.launch.alone", "program.launch.queued"},
     [](Experiment& e, const Improvement& by) {
       improve(by, e.program.launch.alone, e.program.launch.queued);
     }},
    {"synchronisation of the AIVs",
     {"program.signals.sync_all"},
     [](Experiment& e, const Improvement& by) { improve(by, e.program.signals.sync_all); },
     Kind::kSingle,
     meets_aivs},
    {"start of matrix tasks",
     {"program.tasks.cube_task_start"},
     [](Experiment& e, const Improvement& by) { improve(by, e.program.tasks.cube_task_start); },
     Kind::kSingle,
     fetches},
    {"host collective, fixed",
     {"program.collective.fixed", "program.collective.read_back"},
     [](Experiment& e, const Improvement& by) {
       improve(by, e.program.collective.fixed, e.program.collective.read_back);
     },
     Kind::kSingle,
     has_collectives},
    {"host collective, per peer",
     {"program.collective.per_peer"},
     [](Experiment& e, const Improvement& by) { improve(by, e.program.collective.per_peer); },
     Kind::kSingle,
     has_collectives},
    {"copy engines",
     {"hardware.copy_engine.rate", "hardware.copy_engine.startup", "program.host.submit"},
     [](Experiment& e, const Improvement& by) {
       if (!has_streams(e)) return;
       improve(by, e.hardware.copy_engine->rate);
       improve(by, e.hardware.copy_engine->startup, e.program.host->submit);
     },
     Kind::kSingle,
     nullptr,
     has_streams},
    {"work of the host",
     {"program.host.balance", "program.host.read_counts", "program.host.product"},
     [](Experiment& e, const Improvement& by) {
       if (!has_streams(e)) return;
       Program::Host& host = *e.program.host;
       improve(by, host.balance, host.read_counts, host.product);
     },
     Kind::kSingle,
     nullptr,
     has_streams},
    {"kernels of dispatch and combine",
     {"program.bulk.dispatch", "program.bulk.combine", "program.bulk.fixed"},
     [](Experiment& e, const Improvement& by) {
       if (!has_streams(e)) return;
       Program::Bulk& bulk = *e.program.bulk;
       improve(by, bulk.dispatch, bulk.combine, bulk.fixed);
     },
     Kind::kSingle,
     nullptr,
     has_streams},
    {"host collective, rate",
     {"program.collective.rate"},
     [](Experiment& e, const Improvement& by) { improve(by, e.program.collective.rate); },
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
  for (std::uint32_t q = 0; q < hardware.workers.size(); ++q) {  // copy engines stay as many
    const std::int64_t before = experiment.hardware.workers[q].count, now = hardware.workers[q].count;
    const std::int64_t scaled = (experiment.workers[q].count * now + before / 2) / before;
    changed.workers[q].count = static_cast<std::uint32_t>(std::max(std::int64_t{1}, scaled));
  }
  if (experiment.cut.shares == experiment.workers.count(CoreUnit::kMatrix))
    changed.cut.shares = changed.workers.count(CoreUnit::kMatrix);
  return changed;
}

}  // namespace a3sim
