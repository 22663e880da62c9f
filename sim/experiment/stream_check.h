#pragma once

#include "scheduler/verify/verify.h"
#include "sim/experiment/micro_batches.h"

namespace a3sim {

// Each rank is one of its own; or stands for its peers, and what it sends to them goes to itself.
enum class Peers : std::uint8_t { kAreRanks, kStandTogether };

// What is wrong with a program on streams: a task that waits for itself or a later one, so that some program could wait
// in a circle; a rank, a kind of worker or more workers of it than there are; bytes to nowhere.
Findings check_program(const StreamProgram& program, Peers peers = Peers::kAreRanks);

// The same of a pass of a micro-batch, and whether every routed row is computed, once.
Findings check_stream_pass(const StreamPass& pass, const MicroBatch& batch);

}  // namespace a3sim
