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

// The result of a run, as plain data.
namespace a3sim {

// Causes that make a task take longer than its ideal time.
enum class Limit : std::uint8_t { kL2Read, kL2Write, kHbm, kLink, kMiss };
constexpr auto names_of(Limit) {
  return std::to_array<std::string_view>({"L2 read", "L2 write", "HBM", "link", "L2 misses"});
}
inline constexpr std::uint32_t kLimits = kCountOf<Limit>;

// One task's life. end - start = ideal + the sum of `lost`, exactly.
struct TaskRecord {
  std::uint32_t worker = kNone;  // numbered over all kinds
  Cause cause;                   // the reason why it could start
  // The time that its worker waited before the start, for what it reads or for other ranks.
  Duration waited{};
  Time taken;        // the worker took its descriptor
  Time start;        // its event was seen complete, and it ran
  Time end;          // its worker was free again
  Duration ideal{};  // its time alone on the machine, with everything in the L2
  std::array<Duration, kLimits> lost{};
  L2Traffic l2;                  // counts of its accesses
  Time done;                     // its result is complete: for a put, its last byte has left; otherwise `end`
  Time visible;                  // the workers that wait for its trigger, on any rank, see it
  Duration arithmetic{};         // the part of `ideal` that its arithmetic alone takes
  std::uint64_t operations = 0;  // two per multiply-accumulate; one per element and vector instruction
  std::uint64_t put_bytes = 0;   // bytes sent to another rank
};

struct RankResult {
  Duration end{};              // the rank's last completion; a put completes when its destination sees it
  Duration done{};             // the end of its own work: its last worker was free again
  RankWaits waits;             // waits for other ranks before `done`
  Duration transfer{};         // the time in which it sent or received
  std::vector<Duration> busy;  // by kind of worker: the run time of tasks, summed over its workers
  std::uint64_t tasks = 0;
  double l2_read = 0, l2_write = 0;  // bytes that tasks moved
  L2Traffic l2;                      // of all accesses, including those of incoming puts
  std::vector<L2Traffic> l2_by_op;
  // Read requests that hit the L2, by the operator that reads (consumer) and the one that last wrote or
  // fetched the data (producer): at [consumer * operators + producer]. Empty if every line is simulated,
  // since lines know no producer.
  std::vector<std::uint64_t> l2_reused;
  std::uint64_t sent = 0, received = 0;  // bytes of puts between ranks
  std::vector<TaskRecord> records;       // by task, if recorded
  std::vector<HostActivity> host;        // activities of the rank's host in order, if recorded
};

struct RunResult {
  Duration makespan{};  // from the common start to the last completion on any rank
  std::vector<RankResult> ranks;
  bool stopped = false;            // the hooks ended the run before all tasks had run, at `makespan`
  std::uint64_t events = 0;        // number of events that the engine executed
  std::string network;             // name of the backend
  std::vector<CableUse> cables{};  // those that carried bytes, the most used one first
};

}  // namespace a3sim
