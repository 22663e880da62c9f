#pragma once

#include <array>
#include <cstdint>

namespace a3sim {

// Which stage of the data pipeline holds the others up, by which queues behind it are filled: the device's filled: none;
// else the host's: fetching; else that of data: processing; else reading.
enum class IoStage : std::uint8_t { kNone, kRead, kProcess, kFetch };
IoStage io_stage(const std::array<double, 3>& fill, double filled);

}  // namespace a3sim
