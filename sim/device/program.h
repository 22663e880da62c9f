#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/units.h"

namespace a3sim {

// How code that runs on a machine works: what a launch, a task, a barrier or a collective of it costs beside what the
// silicon does; values and sources: configs/programs/. A value that was fitted on one program is in that program's file,
// and no other is charged with it.
struct Program {
  std::string name;
  std::string stack;  // software of the machines that it is written for; empty: any

  // From the host's call until the tasks of a kernel run.
  struct Launch {
    Duration alone{};   // of a kernel that finds the device idle
    Duration queued{};  // of a kernel that was queued behind another, from that one's end
  } launch;

  // Tasks of a taskflow, inside one kernel.
  struct Tasks {
    Duration static_task{};  // fetch, first check and trigger of a task
    // The device-side scheduler's work for a task; none: there is no scheduler.
    std::optional<Duration> dynamic_task{};
    Duration dynamic_start{};    // before the scheduler hands out its first task, beside a launch
    Duration cube_task_start{};  // of a matrix task, before it loads anything
    Duration scalar_store{};     // of the scalar unit to global memory, with the flush of its line
    Duration sorted_element{};   // of an element in a pass of a sort or a merge
    Duration scalar_row{};       // of the scalar unit for a row that is quantised: where it goes, its scale
    // The scheduler's work; 0 where there is none, which read_experiment() refuses under dynamic execution.
    Duration scheduled() const { return dynamic_task.value_or(Duration::zero()); }
  } tasks;

  // Between cores of one device.
  struct Signals {
    Duration local_visibility{};  // from a trigger until a waiting worker sees it
    Duration sync_all{};          // a barrier of the AIVs, from the last one's arrival until they go on
  } signals;

  // How movers bring rows to another device: piece by piece through their buffers.
  struct Puts {
    Bytes row{};          // of a piece, from one row: pieces are cut across rows
    bool overlap = true;  // loads a piece while it sends the one before
  };
  std::optional<Puts> puts{};  // none: a put is one copy

  Bytes vector_tile{};  // bytes that come and go with one tile of a vector pipeline
  // From when a core asks for a row until it comes, beside its bytes: of kernels that go through rows one by one. None: many
  // are under way.
  std::optional<Duration> vector_row_wait{};

  // Flash attention: a core takes so many queries of a head at a time, and goes through their keys tile by tile.
  struct Attention {
    Duration start{};          // before the first tile, beside a launch
    std::uint32_t rows = 128;  // queries
    std::uint32_t keys = 128;  // of a tile, between two corrections of the output
  } attention;

  // The host's all-to-all.
  struct Collective {
    Duration fixed{};       // from when all ranks have come until the first byte leaves
    Duration per_peer{};    // more of it for each other rank
    BytesPerSecond rate{};  // of a die's port, either way
    Duration read_back{};   // of counts, which the host reads before it can go on
  } collective;

  // The host's steps of a program on streams.
  struct Host {
    Duration balance{};      // makes the plan for a layer
    Duration read_counts{};  // reads back how many rows there are, from when the device knows
    Duration product{};      // prepares and launches one expert's product
    Duration submit{};       // hands one copy to a copy engine
  };
  std::optional<Host> host{};

  // Dispatch and combine by kernels that all ranks launch together.
  struct Bulk {
    std::uint32_t workers = 0;             // that such a kernel holds
    BytesPerSecond dispatch{}, combine{};  // of one rank's kernel, what stays on the rank counted
    Duration fixed{};                      // of each, before its bytes move
    bool once_a_rank = true;  // a token goes to a rank once, however many of its experts are there
  };
  std::optional<Bulk> bulk{};
};

// Reads the `program` mapping; what is wrong is noted in its Diagnostics.
Program read_program(const Config& config);

// Notes an error in the `program` mapping where the program is written for another stack than the machine's.
void check_stack(const Config& config, const Program& program, const std::string& machine,
                 const std::string& stack);

// All values with a source below `hardware` and below `program`.
std::vector<SourcedValue> sourced_values(const Config& root);

}  // namespace a3sim
