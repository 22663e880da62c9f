#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/units.h"

namespace a3sim {

// The costs of code on a machine (launches, tasks, barriers, collectives), without those of the silicon.
// Values and sources are in configs/programs/. A value that was fitted to one program is in that program's
// file and applies to no other.
struct Program {
  std::string name;
  std::string stack;  // software of the machines for which it is written; empty: any

  // The time from the host's call until a kernel's tasks run.
  struct Launch {
    Duration alone{};   // if the device is idle
    Duration queued{};  // if the kernel is queued behind another one: from that one's end
  } launch;

  // Tasks of a taskflow, inside one kernel.
  struct Tasks {
    Duration static_task{};  // fetch, first check and trigger of a task
    // The device-side scheduler's work per task; nullopt: there is no scheduler.
    std::optional<Duration> dynamic_task{};
    Duration dynamic_start{};  // time before the scheduler hands out its first task, in addition to a launch
    Duration cube_task_start{};  // time of a matrix task before it loads anything
    Duration scalar_store{};     // a store of the scalar unit to global memory, with the flush of its line
    Duration sorted_element{};   // time per element and pass of a sort or a merge
    Duration scalar_row{};       // time of the scalar unit per quantised row: for its place and its scale
    // Returns the scheduler's work per task; 0 without a scheduler (read_experiment() refuses dynamic
    // execution then).
    Duration scheduled() const { return dynamic_task.value_or(Duration::zero()); }
  } tasks;

  // Between cores of one device.
  struct Signals {
    Duration local_visibility{};  // from a trigger until a waiting worker sees it
    Duration sync_all{};          // a barrier of the AIVs: from the last arrival until they continue
  } signals;

  // Movers send rows to another device piece by piece through their buffers.
  struct Puts {
    Bytes row{};          // bytes of a piece from one row: pieces are cut across rows
    bool overlap = true;  // a piece is loaded while the previous one is sent
  };
  std::optional<Puts> puts{};  // nullopt: a put is a single copy

  Bytes vector_tile{};  // bytes loaded and stored per tile of a vector pipeline
  // The latency of a row, without its bytes, in kernels that process rows one by one. nullopt: many rows are
  // in flight.
  std::optional<Duration> vector_row_wait{};

  // Flash attention: a core takes `rows` queries of a head at a time and processes their keys tile by tile.
  struct Attention {
    Duration start{};          // time before the first tile, in addition to a launch
    std::uint32_t rows = 128;  // queries
    std::uint32_t keys = 128;  // keys per tile; the output is corrected between tiles
  } attention;

  // The host's all-to-all.
  struct Collective {
    Duration fixed{};       // from the arrival of all ranks until the first byte leaves
    Duration per_peer{};    // addition for each other rank
    BytesPerSecond rate{};  // of a die's port, in each direction
    Duration read_back{};   // time for reading back counts before the host can continue
  } collective;

  // The host's steps of a program on streams.
  struct Host {
    Duration balance{};      // makes the plan for a layer
    Duration read_counts{};  // reads back the numbers of rows, once the device knows them
    Duration product{};      // prepares and launches one expert's product
    Duration submit{};       // hands one copy to a copy engine
  };
  std::optional<Host> host{};

  // Dispatch and combine by kernels that all ranks launch together.
  struct Bulk {
    std::uint32_t workers = 0;             // number held by such a kernel
    BytesPerSecond dispatch{}, combine{};  // rate of one rank's kernel, including rows that stay on the rank
    Duration fixed{};                      // time of each before its bytes move
    bool once_a_rank = true;  // a token is sent to a rank once, however many of its experts are there
  };
  std::optional<Bulk> bulk{};
};

// Reads the `program` mapping. Notes errors in its Diagnostics.
Program read_program(const Config& config);

// Notes an error in the `program` mapping if the program is written for another stack than the machine's.
void check_stack(const Config& config, const Program& program, const std::string& machine,
                 const std::string& stack);

// Returns all values with a source below `hardware` and below `program`.
std::vector<SourcedValue> sourced_values(const Config& root);

}  // namespace a3sim
