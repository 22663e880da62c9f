#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/enum_names.h"
#include "sim/core/ids.h"
#include "sim/core/units.h"
#include "sim/memory/l2/l2.h"
#include "sim/runtime/cable_use.h"
#include "sim/runtime/cause.h"
#include "sim/runtime/rank_waits.h"

// What a run leaves behind: plain data.
namespace a3sim {

// What can hold a running task up beyond its ideal time.
enum class Limit : std::uint8_t { kL2Read, kL2Write, kHbm, kLink, kMiss };
constexpr auto names_of(Limit) {
  return std::to_array<std::string_view>({"L2 read", "L2 write", "HBM", "link", "L2 misses"});
}
inline constexpr std::uint32_t kLimits = kCountOf<Limit>;

// One task's life. end - start = ideal + the sum of `lost`, exactly.
struct TaskRecord {
  std::uint32_t worker = kNone;  // over all kinds, one after the other
  Cause cause;                   // what let it start
  Duration waited{};             // its worker, before it started, for what it reads or for other ranks
  Time taken;                    // the worker took its descriptor
  Time start;                    // its event was seen complete, and it ran
  Time end;                      // its worker was free again
  Duration ideal{};              // alone on the machine, with everything in the L2
  std::array<Duration, kLimits> lost{};
  L2Traffic l2;                  // of its accesses
  Time done;                     // what it makes is complete: a put's last byte has left; all else: the end
  Time visible;                  // workers that wait for it see its trigger, on whatever rank
  Duration arithmetic{};         // of `ideal`: what only its arithmetic takes
  std::uint64_t operations = 0;  // two a multiply-accumulate; one an element and vector instruction
  std::uint64_t put_bytes = 0;   // that it sends to another rank
};

struct RankResult {
  Duration end{};              // the rank's last completion; a put completes when its destination sees it
  Duration done{};             // its own work's end: its last worker was free again
  RankWaits waits;             // before that
  Duration transfer{};         // while it sent or received
  std::vector<Duration> busy;  // by kind of worker: tasks running, summed over its workers
  std::uint64_t tasks = 0;
  double l2_read = 0, l2_write = 0;  // bytes that tasks moved
  L2Traffic l2;                      // of all accesses, also those of puts that come in
  std::vector<L2Traffic> l2_by_op;
  // Requests that an operator read and found in the L2, by who had written them or brought them in: at
  // [consumer * operators + producer]. Empty where every line is kept: lines know no producer.
  std::vector<std::uint64_t> l2_reused;
  std::uint64_t sent = 0, received = 0;  // bytes of puts between ranks
  std::vector<TaskRecord> records;       // by task, if asked for
  std::vector<HostActivity> host;        // what the rank's host did, likewise, in order
};

struct RunResult {
  Duration makespan{};  // from the common start to the last completion on any rank
  std::vector<RankResult> ranks;
  bool stopped = false;            // the hooks ended it before all tasks had run: `makespan` is when
  std::uint64_t events = 0;        // that the engine executed
  std::string network;             // the backend
  std::vector<CableUse> cables{};  // that carried anything, the most used one first
};

}  // namespace a3sim
