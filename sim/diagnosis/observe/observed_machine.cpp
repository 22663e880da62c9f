#include "sim/diagnosis/observe/observed_machine.h"

#include <algorithm>

namespace a3sim {

ObservedMachine observed_machine(const Hardware& hardware, const Program* program,
                                 std::array<std::uint32_t, kCoreUnits> workers, bool collectives) {
  const auto rate = [](BytesPerSecond r) { return static_cast<double>(r.count); };
  const auto clock = static_cast<double>(hardware.clock.count);
  ObservedMachine machine;
  machine.aic = workers[0];
  machine.aiv = workers[1];
  machine.cube_rate = 2.0 * hardware.cube.macs_per_cycle_16 * clock * machine.aic;
  machine.vector_rate = hardware.vector.simple_fp32 * clock * machine.aiv;
  machine.hbm_read = rate(hardware.memory.hbm_read);
  machine.l2_read = rate(hardware.memory.l2_read);
  machine.clock = clock;
  for (std::size_t p = 0; p < hardware.fabric.planes.size(); ++p) {
    const Hardware::Fabric::Plane& described = hardware.fabric.planes[p];
    ObservedPlane plane;
    plane.name = described.name;
    plane.port = rate(std::min(described.egress, described.ingress));
    for (const Hardware::Fabric::Level& level : hardware.fabric.levels)
      if (level.plane == p)
        plane.port =
            std::min(plane.port, level.payload * rate(std::min(described.egress, described.ingress)));
    if (collectives && program != nullptr) plane.port = std::min(plane.port, rate(program->collective.rate));
    plane.worker = std::min(plane.port, collectives ? plane.port : rate(hardware.fabric.put_per_worker));
    plane.startup = collectives ? Duration::zero() : hardware.fabric.put_startup;
    plane.alignment = hardware.fabric.unaligned;
    machine.planes.push_back(plane);
  }
  return machine;
}

}  // namespace a3sim
