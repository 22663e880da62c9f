#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/ids.h"
#include "sim/core/units.h"
#include "sim/memory/memory.h"

namespace a3sim {

// Bytes on their way to another rank. Or, where `dst` is the task's own rank, bytes that it sends to peers which are not in
// the program and do as it does, so that it receives as many: they take its own ports, both ways.
struct StreamTransfer {
  RankId dst{};
  Bytes bytes{};
  BytesPerSecond rate{};  // of what drives it, at most
  std::uint32_t level =
      kNone;  // of the hardware's fabric: how far the peers are; kNone: it goes to another rank
};

// A kernel, a copy, or work of the host.
struct StreamTask {
  std::string name{};
  RankId rank{};
  std::uint32_t stream = 0;            // of the rank: its tasks run one after the other, as they were added
  std::vector<std::uint32_t> after{};  // tasks added before, of any rank, that must have ended too
  Duration wait{};                     // from when it may begin until it asks for its workers
  std::uint32_t kind = 0;              // of the workers that it holds, by place in StreamProgram::kinds
  std::uint32_t units = 0;             // how many of them; 0: none
  bool matrix = false;                 // its job is one of matrix units
  double macs = 0;                     // of its products
  Duration hold{};                     // busy, before its job and its transfers begin
  MemoryJob job{};                     // of its rank's memory; none if its ideal time is zero
  std::vector<StreamTransfer> transfers{};
};

// A kind of worker that each device of the program has.
struct StreamWorkers {
  std::string name{};
  std::uint32_t count = 0;
  bool host = false;  // threads of the rank's host
};

// What the ranks of a group do. Events are the ends of tasks, so that tasks wait for earlier ones only and no
// program can wait in a circle.
struct StreamProgram {
  std::uint32_t ranks = 0;
  std::vector<StreamWorkers> kinds;
  std::vector<StreamTask> tasks;
  std::vector<std::string> streams{};  // what they are called, in capitals; those behind have none

  // Appends a task and returns its number. Throws std::logic_error for what cannot run: an unknown rank,
  // kind or task, more units than there are, a transfer without bytes or rate, or to the rank itself without a level.
  std::uint32_t add(StreamTask task);
  // Whether bytes go to peers that are not in the program.
  bool has_exchanges() const;
};

}  // namespace a3sim
