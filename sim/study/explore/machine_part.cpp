#include "sim/study/explore/machine_part.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "sim/core/ids.h"
#include "sim/memory/l2/l2.h"

namespace a3sim {
namespace {

constexpr double kFree = 1e5;
constexpr double kMostRate = 1e18;      // that a configuration may state
constexpr double kMostWorkers = 65536;  // likewise

std::int64_t scaled(std::int64_t amount, double factor) {
  return static_cast<std::int64_t>(
      std::clamp(std::round(static_cast<double>(amount) * factor), 1.0, kMostRate));
}

void improve(BytesPerSecond& rate, const Better& b) { rate.count = scaled(rate.count, b.factor); }
void improve(Hertz& clock, const Better& b) { clock.count = scaled(clock.count, b.factor); }
void improve(double& per_cycle, const Better& b) { per_cycle *= b.factor; }
void improve(Duration& time, const Better& b) {
  if (b.free || time == Duration::zero()) {
    time = Duration::zero();
  } else {
    time = Duration(scaled(time.count(), 1 / b.factor));
  }
}
void improve(std::uint32_t& workers, const Better& b) {
  constexpr double kRounding = 1e-9;  // 50 times 1.1 is 55
  if (b.free) return;
  workers =
      static_cast<std::uint32_t>(std::clamp(std::ceil(workers * b.factor - kRounding), 1.0, kMostWorkers));
}
void improve_cycles(double& cycles, const Better& b) { cycles = b.free ? 0 : cycles / b.factor; }
void improve_part(double& part, const Better& b) { part = b.free ? 1 : std::min(1.0, part * b.factor); }

// Whole lines in all ways of every set.
void improve_l2(Hardware::MemorySystem& memory, const Better& b) {
  const std::int64_t wanted = b.everything > 0 ? std::max(b.everything, memory.l2_size.count)
                                               : scaled(memory.l2_size.count, b.factor);
  const std::int64_t stride = std::int64_t{memory.l2_ways} * kL2Line;
  memory.l2_size.count = (wanted + stride - 1) / stride * stride;
}

using Kind = MachinePart::Kind;
using Use = MachinePart::Use;

const std::vector<MachinePart> kParts{
    {"clock of the cores",
     {"clock"},
     [](Hardware& h, const Better& b) { improve(h.clock, b); },
     Kind::kWhole},
    {"AIC",
     {"workers.cube.count"},
     [](Hardware& h, const Better& b) { improve(h.workers.cube, b); },
     Kind::kCount},
    {"AIV",
     {"workers.vector.count"},
     [](Hardware& h, const Better& b) { improve(h.workers.vector, b); },
     Kind::kCount},
    {"cube arithmetic",
     {"workers.cube.macs_16", "workers.cube.macs_32", "workers.cube.macs_8", "workers.cube.mad_head_cycles"},
     [](Hardware& h, const Better& b) { improve(h.cube.speed, b); }},
    {"loads to L0",
     {"workers.cube.l1_to_l0a", "workers.cube.l1_to_l0b"},
     [](Hardware& h, const Better& b) {
       improve(h.cube.l1_to_l0a, b);
       improve(h.cube.l1_to_l0b, b);
     }},
    {"loads to L1, hits",
     {"workers.cube.gm_to_l1", "workers.cube.load_issue_cycles"},
     [](Hardware& h, const Better& b) {
       improve(h.cube.gm_to_l1, b);
       improve_cycles(h.cube.load_issue_cycles, b);
     }},
    {"loads to L1, misses",
     {"workers.cube.gm_to_l1_miss"},
     [](Hardware& h, const Better& b) { improve(h.cube.gm_to_l1_miss, b); }},
    {"stores from L0C",
     {"workers.cube.l0c_to_gm"},
     [](Hardware& h, const Better& b) { improve(h.cube.l0c_to_gm, b); }},
    {"vector arithmetic",
     {"workers.vector.simple_fp32", "workers.vector.convert", "workers.vector.transcendental",
      "workers.vector.startup_cycles"},
     [](Hardware& h, const Better& b) {
       improve(h.vector.simple_fp32, b);
       improve(h.vector.convert, b);
       improve(h.vector.transcendental, b);
       improve_cycles(h.vector.startup_cycles, b);
     }},
    {"vector loads, hits",
     {"workers.vector.gm_to_ub"},
     [](Hardware& h, const Better& b) { improve(h.vector.gm_to_ub, b); }},
    {"vector loads, misses",
     {"workers.vector.gm_to_ub_miss"},
     [](Hardware& h, const Better& b) { improve(h.vector.gm_to_ub_miss, b); }},
    {"vector stores",
     {"workers.vector.ub_to_gm"},
     [](Hardware& h, const Better& b) { improve(h.vector.ub_to_gm, b); }},
    {"rows that begin at no line",
     {"workers.cube.unaligned", "workers.vector.unaligned", "fabric.unaligned"},
     [](Hardware& h, const Better& b) {
       improve_part(h.cube.unaligned, b);
       improve_part(h.vector.unaligned, b);
       improve_part(h.fabric.unaligned, b);
     }},
    {"L2 size", {"memory.l2_size"}, [](Hardware& h, const Better& b) { improve_l2(h.memory, b); }},
    {"L2 reads",
     {"memory.l2_read", "memory.l2_line_read"},
     [](Hardware& h, const Better& b) {
       improve(h.memory.l2_read, b);
       improve(h.memory.l2_line_read, b);
     }},
    {"L2 writes", {"memory.l2_write"}, [](Hardware& h, const Better& b) { improve(h.memory.l2_write, b); }},
    {"HBM",
     {"memory.hbm_read", "memory.hbm_write"},
     [](Hardware& h, const Better& b) {
       improve(h.memory.hbm_read, b);
       improve(h.memory.hbm_write, b);
     }},
    {"link ports",
     {"fabric.planes.*.egress", "fabric.planes.*.ingress"},
     [](Hardware& h, const Better& b) {
       for (Hardware::Fabric::Plane& plane : h.fabric.planes) {
         improve(plane.egress, b);
         improve(plane.ingress, b);
       }
     }},
    {"payload of the links",
     {"fabric.levels.*.payload"},
     [](Hardware& h, const Better& b) {
       for (Hardware::Fabric::Level& level : h.fabric.levels) improve_part(level.payload, b);
     }},
    {"put rate of a worker",
     {"fabric.put_per_worker"},
     [](Hardware& h, const Better& b) { improve(h.fabric.put_per_worker, b); },
     Kind::kSingle,
     Use::kPuts},
    {"link latency, start and fence of a put",
     {"fabric.levels.*.latency", "fabric.put_startup", "fabric.put_fence"},
     [](Hardware& h, const Better& b) {
       for (Hardware::Fabric::Level& level : h.fabric.levels) improve(level.latency, b);
       improve(h.fabric.put_startup, b);
       improve(h.fabric.put_fence, b);
     }},
    {"task overhead, static",
     {"runtime.static_task"},
     [](Hardware& h, const Better& b) { improve(h.runtime.static_task, b); },
     Kind::kSingle,
     Use::kStatic},
    {"dynamic scheduler",
     {"runtime.dynamic_task"},
     [](Hardware& h, const Better& b) { improve(h.runtime.dynamic_task, b); },
     Kind::kSingle,
     Use::kDynamic},
    {"visibility of counters",
     {"runtime.local_visibility"},
     [](Hardware& h, const Better& b) { improve(h.runtime.local_visibility, b); }},
    {"kernel launch",
     {"runtime.kernel_launch"},
     [](Hardware& h, const Better& b) { improve(h.runtime.kernel_launch, b); }},
    {"host collective, fixed",
     {"collective.fixed"},
     [](Hardware& h, const Better& b) { improve(h.collective.fixed, b); },
     Kind::kSingle,
     Use::kCollectives},
    {"host collective, per peer",
     {"collective.per_peer"},
     [](Hardware& h, const Better& b) { improve(h.collective.per_peer, b); },
     Kind::kSingle,
     Use::kCollectives},
    {"host collective, rate",
     {"collective.rate"},
     [](Hardware& h, const Better& b) { improve(h.collective.rate, b); },
     Kind::kSingle,
     Use::kCollectives},
};

constexpr std::string_view kTiling =
    "the tiling is made for it: more of it changes nothing without another one";
constexpr std::string_view kWhere = "where dies lie: neither more nor fewer are better";
constexpr LeftOut kLeftOut[] = {
    {"workers.cube.l1", kTiling},
    {"workers.cube.l0a", kTiling},
    {"workers.cube.l0b", kTiling},
    {"workers.cube.l0c", kTiling},
    {"workers.vector.ub", "only says in how many steps a task is simulated"},
    {"workers.vector.tile", "the software's choice, not the machine's"},
    {"fabric.levels.*.dies", kWhere},
    {"memory.l2_ways", "how the L2 is organised: neither more nor fewer are better"},
};

}  // namespace

bool MachinePart::matters_to(const RunOptions& options) const {
  switch (use) {
    case Use::kAlways:
      return true;
    case Use::kStatic:
      return options.execution == "static";
    case Use::kDynamic:
      return options.execution == "dynamic";
    case Use::kPuts:
      return options.transport == Transport::kPuts;
    case Use::kCollectives:
      break;
  }
  return options.transport == Transport::kCollective;
}

Better Better::to_free(std::int64_t everything) { return {kFree, true, everything}; }

std::span<const MachinePart> machine_parts() { return kParts; }

const MachinePart& machine_part(std::string_view name) {
  const auto found = std::ranges::find(kParts, name, &MachinePart::name);
  if (found == kParts.end()) throw std::logic_error("no part of the machine is called " + std::string(name));
  return *found;
}

std::span<const LeftOut> left_out_values() { return kLeftOut; }

}  // namespace a3sim
