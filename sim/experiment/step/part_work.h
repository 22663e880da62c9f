#pragma once

#include <vector>

#include "sim/experiment/step/time_class.h"
#include "sim/memory/memory.h"
#include "sim/runtime/streams/stream_program.h"

namespace a3sim {

// Consecutive kernels of a block on a die, as one task of its compute stream.
struct PartWork {
  MemoryJob job{};             // sum over its kernels
  Duration hold{};             // additional time: gaps between kernels, and what was simulated as a whole
  ClassTimes classes{};        // they sum to hold and the job's ideal time
  std::uint32_t launches = 0;  // kernels
  std::uint32_t calls = 0;     // operations of the framework that launch them; each takes the host's time
  Duration exchanging{};       // time in which rows are on their way to experts or back
  double tp_sent = 0, cp_sent = 0;           // bytes that the die sends to its groups
  std::uint32_t tp_calls = 0, cp_calls = 0;  // number of exchanges for these bytes

  bool empty() const { return job.ideal + hold == Duration::zero() && tp_sent == 0 && cp_sent == 0; }
  Duration alone() const { return job.ideal + hold; }
  void add(const MemoryJob& more, TimeClass kind);
  void add(const PartWork& more);
  // Returns kernels `from` up to `to` of so many equal ones, without exchanges; all pieces sum to the part.
  PartWork piece(std::uint32_t from, std::uint32_t to, std::uint32_t of) const;
  // Returns the work of `count` times as much.
  PartWork times(std::uint32_t count) const;
};

// An exchange of rows among the dies that share the experts.
struct ExchangeWork {
  Duration hold{};                        // time before its bytes move
  MemoryJob job{};                        // the kernel that drives it; empty if no kernel on the die does
  std::vector<StreamTransfer> transfers;  // the writer of the task fills in the rank
  Duration alone() const;
  bool empty() const {
    return hold == Duration::zero() && transfers.empty() && job.ideal == Duration::zero();
  }
};

}  // namespace a3sim
