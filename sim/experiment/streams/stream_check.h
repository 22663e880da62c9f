#pragma once

#include "scheduler/verify/verify.h"
#include "sim/experiment/streams/micro_batches.h"

namespace a3sim {

// Relates ranks of a program to their peers. kAreRanks: each peer is a rank of its own. kStandTogether: a
// rank represents its peers, and sends to itself what it sends to them.
enum class Peers : std::uint8_t { kAreRanks, kStandTogether };

// Checks a program on streams. Errors are: a task that waits for itself or a later one (so a deadlock is
// possible); a rank or a kind of worker that does not exist; more workers than there are; bytes to no rank.
Findings check_program(const StreamProgram& program, Peers peers = Peers::kAreRanks);

// Does the same for a pass of a micro-batch, and checks that every routed row is computed once.
Findings check_stream_pass(const StreamPass& pass, const MicroBatch& batch);

}  // namespace a3sim
