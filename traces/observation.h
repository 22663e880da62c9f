#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/enum_names.h"
#include "sim/core/ids.h"
#include "sim/core/units.h"

// Observations of many steps of a job. Simulated steps and imported profiles fill it alike. Rules that
// find causes see only this: neither the configuration nor injected faults.
namespace a3sim {

inline double picoseconds(Duration time) { return static_cast<double>(time.count()); }

// A value that was not seen. Numbers of light records and operators are floats so that they can hold it.
inline constexpr float kUnseen = std::numeric_limits<float>::quiet_NaN();

// One rank in one pass of one step, at one synchronising group. Kept of every step. Times count from the
// start of the job, on one clock for all ranks.
struct LightRecord {
  Duration start{};       // its first work could begin: launched, and all before it has ended
  Duration arrival{};     // its own work was done
  Duration release{};     // the group let it continue
  Duration waited{};      // time within [start, arrival] in which all of its workers waited for other ranks
  Duration longest{};     // its longest wait for one rank
  double operations = 0;  // two per multiply-accumulate, one per element and vector instruction
  double bytes = 0;       // bytes that it sent
  std::uint32_t step = 0;
  std::uint32_t rank = 0;
  std::uint32_t whom = kNone;  // rank of the longest wait
  std::uint32_t rows = 0;      // rows that its experts worked on
  float aic_busy = kUnseen;    // microseconds of all AICs, or of whatever runs matrix tasks
  float aiv_busy = kUnseen;
  float transfer = kUnseen;  // microseconds in which it sent or received
  float late = kUnseen;      // microseconds by which the host's launches were late for the device
  std::uint16_t pass = 0;
  std::uint16_t group = 0;
  // Fill of the queues in percent, when the host asks for the step's batch: batches fetched, ready for the
  // device; processed, ready to be fetched; read, ready to be processed. kNoFill: not seen.
  std::array<std::uint8_t, 3> fill{};
  std::uint8_t flags = 0;
};
inline constexpr std::uint8_t kNoFill = 255;
enum class Fill : std::uint8_t { kDevice, kHost, kData };
static_assert(sizeof(LightRecord) <= 96);

// The lanes of a rank, which run at the same time, seen from outside.
enum class Lane : std::uint8_t { kHost, kCompute, kCommunication };
constexpr auto names_of(Lane) {
  return std::to_array<std::string_view>({"host", "compute", "communication"});
}

enum class CoreKind : std::uint8_t { kCube, kVector, kMix, kCpu, kNoCore };
constexpr auto names_of(CoreKind) {
  return std::to_array<std::string_view>({"AI_CORE", "AI_VECTOR_CORE", "MIX", "AI_CPU", "none"});
}

// An operator of one rank in one step that was recorded in full, from its first task's start to its last
// one's end.
struct OperatorRecord {
  std::uint32_t step = 0, rank = 0;
  std::uint32_t op = 0;  // position of its name in Observation::names
  std::uint16_t pass = 0;
  Lane lane = Lane::kCompute;
  CoreKind core = CoreKind::kNoCore;
  Duration start{}, end{};
  Duration wait{};        // from the device's request until it began
  Duration run{};         // sum over its tasks on all workers; a kernel's: its length times its workers
  Duration arithmetic{};  // part of `run`
  double operations = 0;
  double hbm_bytes = 0;  // read and written
  double l2_bytes = 0;
  double sent_bytes = 0;
  std::uint32_t rows = 0;
  std::uint32_t inner = 0;  // length of the contiguous axis in elements; 0: not seen
  float clock = kUnseen;    // mean clock while it ran, as a part of the nominal one
};

// Bytes that went from one rank to another in one piece.
struct TransferRecord {
  std::uint32_t step = 0, src = 0, dst = 0;
  std::uint32_t op = 0;
  std::uint16_t pass = 0;
  std::uint16_t plane = 0;  // position in Observation::machine.planes
  Duration start{}, end{};  // `end`: its last byte has left
  double bytes = 0;
  float beside = kUnseen;        // share of its time with memory-bound work at one of its ends
  float lost_sharing = kUnseen;  // microseconds lost to others on its ports, if seen
  Duration length() const { return end - start; }
};

enum class HostKind : std::uint8_t {
  kRead,
  kProcess,
  kFetch,
  kCompile,
  kLaunch,
  kSync,
  kCollect,
  kAllocate,
  kLog,
  kOther
};
constexpr auto names_of(HostKind) {
  return std::to_array<std::string_view>(
      {"read", "process", "fetch", "compile", "launch", "sync", "gc", "allocate", "log", "other"});
}

struct HostRecord {
  std::uint32_t step = 0, rank = 0;
  HostKind kind = HostKind::kOther;
  Duration start{}, end{};
  std::uint32_t count = 1;  // number of events in this record
  Duration length() const { return end - start; }
};

// A plane of links.
struct ObservedPlane {
  std::string name;
  double port = 0;       // bytes per second of payload, in each direction
  double worker = 0;     // part of it that one worker's puts alone reach
  Duration startup{};    // of a put alone: before its bytes flow, and after them
  double alignment = 1;  // part of the rate for sizes that are no whole lines
};

// The limits of the machine; 0: unknown.
struct ObservedMachine {
  std::uint32_t aic = 0, aiv = 0;
  double cube_rate = 0, vector_rate = 0;  // operations per second of all AICs, of all AIVs
  double hbm_read = 0, l2_read = 0;       // bytes per second
  std::vector<ObservedPlane> planes;
  double clock = 0;  // nominal, in Hz

  // Returns the number of workers, at least one.
  double workers(CoreKind core) const { return std::max(1U, core == CoreKind::kCube ? aic : aiv); }
};

// A column that a source does not have, named as its tools name it.
struct Missing {
  std::string column;  // "kernel_details.csv: Mean Clock"
  std::string needed_for;
};

// Cables between switches that carry the same parts of the same transfers, so that records cannot tell them apart.
struct ObservedCables {
  struct Way {
    std::uint32_t src = 0, dst = 0;
    double part = 1;  // of the bytes from one rank to the other
  };
  std::vector<std::string> names;  // "leaf0->spine1"
  std::vector<Way> ways;
};

// The facts of a job that do not change from step to step.
struct ObservedJob {
  std::uint32_t ranks = 0;
  std::vector<std::string> names;    // of operators
  std::vector<std::string> passes;   // in their order
  std::vector<std::uint32_t> nodes;  // for each rank, the node of its host
  ObservedMachine machine;
  std::vector<ObservedCables> cables;  // that transfers take, as the network was planned; empty: not known
  std::vector<Missing> missing;
  // True if the time of exchanges is split into waiting and transit. If not, an exchange without computing
  // beside it is itself a finding.
  bool exchanges_split = true;
  // True if idle time of a device is unexplained because its host, or its exchanges, were not recorded.
  bool idle_unexplained = false;
  // For each rank, whether the source tells when it exchanged data with others, and what its host did. Without exchanges
  // idle time may be spent waiting for other ranks. Empty: the source tells both of all ranks.
  std::vector<bool> exchanges_seen, hosts_seen;
};

// A step with all that is recorded of it.
struct FullStep {
  std::uint32_t step = 0;
  std::vector<std::uint32_t> ranks;  // ranks that were recorded
  std::vector<OperatorRecord> operators;
  std::vector<TransferRecord> transfers;
  std::vector<HostRecord> host;
};

// The place of a record, as text for people and, if it is a task of a trace, which one.
struct RecordPlace {
  std::string text;  // "full/41/operators.csv:12"; empty: unknown
  std::string pass{};
  std::uint32_t rank = kNone, task = kNone;  // kNone: no task

  RecordPlace() = default;
  explicit(false) RecordPlace(std::string place) : text(std::move(place)) {}
  explicit(false) RecordPlace(const char* place) : text(place) {}
  bool empty() const { return text.empty(); }
};

// The part of a step's critical path that an operator of a rank is to blame for.
struct PathPart {
  std::uint32_t op = 0, rank = 0;
  Duration time{};
};

struct ProfiledTime;

// A job that was watched. Light records come in the order of steps, ranks, passes and groups. They are
// never all in memory, since a thousand ranks may run ten thousand steps.
class Observation {
 public:
  virtual ~Observation() = default;

  const ObservedMachine& machine() const { return job_.machine; }
  const std::vector<std::string>& names() const { return job_.names; }
  const std::vector<std::string>& passes() const { return job_.passes; }
  std::uint32_t ranks() const { return job_.ranks; }
  std::vector<std::uint32_t> all_ranks() const {
    std::vector<std::uint32_t> all(job_.ranks);
    std::iota(all.begin(), all.end(), 0U);
    return all;
  }
  const std::vector<std::uint32_t>& nodes() const { return job_.nodes; }
  const std::vector<ObservedCables>& cables() const { return job_.cables; }
  const std::vector<Missing>& missing() const { return job_.missing; }
  bool exchanges_split() const { return job_.exchanges_split; }
  bool idle_unexplained() const { return job_.idle_unexplained; }
  bool exchanges_seen(std::uint32_t rank) const { return is_seen(job_.exchanges_seen, rank); }
  bool hosts_seen(std::uint32_t rank) const { return is_seen(job_.hosts_seen, rank); }

  // Calls `take` once for each step, with all of its records.
  using Step = std::function<void(std::uint32_t step, std::span<const LightRecord> records)>;
  virtual void each_step(const Step& take) const = 0;
  // Return one step of this job on a machine without faults and noise; empty: unknown. place_of() finds its
  // records with kNone for the step.
  virtual std::vector<LightRecord> reference() const { return {}; }
  virtual FullStep reference_full() const { return {}; }
  // Return the numbers of the steps that were recorded in full, and such a step.
  virtual std::vector<std::uint32_t> full_steps() const = 0;
  virtual FullStep full(std::uint32_t step) const = 0;

  // Returns the parts of a step's critical path if the source knows them exactly; else empty.
  virtual std::vector<PathPart> critical_path(std::uint32_t /*step*/) const { return {}; }

  // Returns what a profile from hardware says about the time of its ranks; nullptr for simulated jobs.
  virtual const ProfiledTime* profiled_time() const { return nullptr; }

  // Returns the source's number of a step.
  virtual std::uint32_t number_of(std::uint32_t step) const { return step; }

  // Return the place of a record: "light.bin:4711", "operators.csv:12".
  virtual RecordPlace place_of(const LightRecord& record) const = 0;
  virtual RecordPlace place_of(const OperatorRecord& record) const = 0;
  virtual RecordPlace place_of(const TransferRecord& record) const = 0;
  virtual RecordPlace place_of(const HostRecord& record) const = 0;
  // Returns the place of the first light record of a rank in a step.
  RecordPlace place_of(std::uint32_t step, std::uint32_t rank) const {
    LightRecord record;
    record.step = step;
    record.rank = rank;
    return place_of(record);
  }

 protected:
  ObservedJob job_;

 private:
  static bool is_seen(const std::vector<bool>& seen, std::uint32_t rank) {
    return seen.empty() || (rank < seen.size() && seen[rank]);
  }
};

}  // namespace a3sim
