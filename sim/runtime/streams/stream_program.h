#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/ids.h"
#include "sim/core/units.h"
#include "sim/memory/memory.h"

namespace a3sim {

// A transfer of bytes to another rank. If `dst` is the task's own rank, the bytes go to peers outside the
// program that behave alike, so the rank receives as many: they use its own ports in both directions.
struct StreamTransfer {
  RankId dst{};
  Bytes bytes{};
  BytesPerSecond rate{};        // the most that its driver can send
  std::uint32_t level = kNone;  // level of the fabric at which the peers are; kNone: `dst` is another rank
};

// A kernel, a copy, or work of the host.
struct StreamTask {
  std::string name{};
  RankId rank{};
  // Of the rank; tasks of a stream run one after another, in the order in which they were added.
  std::uint32_t stream = 0;
  std::vector<std::uint32_t> after{};  // earlier tasks, of any rank, that must have ended too
  Duration wait{};                     // from when it may begin until it requests its workers
  std::uint32_t kind = 0;      // kind of the workers that it holds: an index into StreamProgram::kinds
  std::uint32_t units = 0;     // number of workers that it holds; 0: none
  bool matrix = false;         // its job runs on matrix units
  double macs = 0;             // multiply-accumulates of its products
  Duration hold{};             // time that it holds its workers before its job and transfers begin
  bool works_in_hold = false;  // `hold` is the time of a kernel of which nothing else is known
  MemoryJob job{};             // uses its rank's memory; no job if its ideal time is zero
  std::vector<StreamTransfer> transfers{};
};

// A kind of worker that each device of the program has.
struct StreamWorkers {
  std::string name{};
  std::uint32_t count = 0;
  bool host = false;  // these are threads of the rank's host
};

// The tasks of a group of ranks. Events are the ends of tasks. Tasks wait only for earlier ones, so no
// program can deadlock.
struct StreamProgram {
  std::uint32_t ranks = 0;
  std::vector<StreamWorkers> kinds;
  std::vector<StreamTask> tasks;
  std::vector<std::string> streams{};  // their names, in capitals; streams beyond the list have none

  // Appends a task and returns its number. Throws std::logic_error if it cannot run: an unknown rank, kind or
  // task, more workers than there are, a transfer without bytes or rate, or one to its own rank without a
  // level.
  std::uint32_t add(StreamTask task);
  // True if bytes go to peers outside the program.
  bool has_exchanges() const;
};

}  // namespace a3sim
