#pragma once

#include <array>
#include <cstdint>

#include "sim/device/hardware.h"
#include "sim/device/program.h"
#include "traces/observation.h"

namespace a3sim {

// Returns the limits of the machine, from its data sheets, for so many workers that run tasks of each unit.
// If `collectives`, the host sends rows between ranks, at the program's rate unless `program` is null;
// otherwise workers put them.
ObservedMachine observed_machine(const Hardware& hardware, const Program* program,
                                 std::array<std::uint32_t, kCoreUnits> workers, bool collectives);

}  // namespace a3sim
