#pragma once

#include <cstdint>

#include "sim/core/config/config.h"
#include "sim/core/units.h"

namespace a3sim {

// What programs on streams use of a machine beside its workers, memory and links.
struct StreamHardware {
  // What moves bytes to another device without workers. Copies of one engine come one after the other.
  struct CopyEngine {
    std::uint32_t count = 1;  // of a device, for what leaves it
    BytesPerSecond rate;
    Duration startup;  // of a copy, on its engine
    Duration submit;   // of the host, a copy
  } copy_engine;

  struct Host {
    Duration balance;      // makes the plan for a layer
    Duration read_counts;  // reads back how many rows there are, from when the device knows
    Duration product;      // prepares and launches one expert's product
  } host;

  // Dispatch and combine by kernels that all ranks launch together.
  struct Bulk {
    std::uint32_t workers = 0;         // that such a kernel holds
    BytesPerSecond dispatch, combine;  // of one rank's kernel, what stays on the rank counted
    Duration fixed;                    // of each, before its bytes move
    bool once_a_rank = true;           // a token goes to a rank once, however many of its experts are there
  } bulk;
};

// Reads the blocks copy_engine, host and bulk of a machine.
StreamHardware read_stream_hardware(const Config& hardware);

}  // namespace a3sim
