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

// What is known of many steps of a job: filled alike by simulated steps and by imported profiles. What finds causes
// sees this and nothing else: not the configuration, not the faults that were injected.
namespace a3sim {

inline double picoseconds(Duration time) { return static_cast<double>(time.count()); }

// What was not seen. Numbers of light records and operators are floats, so that they can say so.
inline constexpr float kUnseen = std::numeric_limits<float>::quiet_NaN();

// One rank in one pass of one step, at one synchronising group: what is kept of every step. Dates are since the
// start of the job, on one clock for all ranks.
struct LightRecord {
  Duration start{};       // its first work could begin: launched, and what was before it has ended
  Duration arrival{};     // its own work was done
  Duration release{};     // the group let it go on
  Duration waited{};      // of [start, arrival]: for other ranks, all of its workers
  Duration longest{};     // its longest wait for one rank
  double operations = 0;  // two a multiply-accumulate, one an element and vector instruction
  double bytes = 0;       // that it sent
  std::uint32_t step = 0;
  std::uint32_t rank = 0;
  std::uint32_t whom = kNone;  // the longest wait was for
  std::uint32_t rows = 0;      // that its experts worked on
  float aic_busy = kUnseen;    // microseconds of all AICs, or of whatever runs matrix tasks
  float aiv_busy = kUnseen;
  float transfer = kUnseen;  // microseconds while it sent or received
  float late =
      kUnseen;  // microseconds by which the host's launches came later than the device asked for them
  std::uint16_t pass = 0;
  std::uint16_t group = 0;
  // In percent, when the host asks for the step's batch: batches fetched, ready for the device; processed, ready to
  // be fetched; read, ready to be processed. kNoFill: not seen.
  std::array<std::uint8_t, 3> fill{};
  std::uint8_t flags = 0;
};
inline constexpr std::uint8_t kNoFill = 255;
enum class Fill : std::uint8_t { kDevice, kHost, kData };
static_assert(sizeof(LightRecord) <= 96);

// What runs at one time on a rank, seen from outside.
enum class Lane : std::uint8_t { kHost, kCompute, kCommunication };
constexpr auto names_of(Lane) {
  return std::to_array<std::string_view>({"host", "compute", "communication"});
}

enum class CoreKind : std::uint8_t { kCube, kVector, kMix, kCpu, kNoCore };
constexpr auto names_of(CoreKind) {
  return std::to_array<std::string_view>({"AI_CORE", "AI_VECTOR_CORE", "MIX", "AI_CPU", "none"});
}

// An operator of one rank in one step that was recorded in full: from its first task's start to its last one's end.
struct OperatorRecord {
  std::uint32_t step = 0, rank = 0;
  std::uint32_t op = 0;  // name, in Observation::names
  std::uint16_t pass = 0;
  Lane lane = Lane::kCompute;
  CoreKind core = CoreKind::kNoCore;
  Duration start{}, end{};
  Duration wait{};        // from when the device asked for it until it began
  Duration run{};         // of its tasks, summed over workers; a kernel's: its length times its workers
  Duration arithmetic{};  // of that
  double operations = 0;
  double hbm_bytes = 0;  // read and written
  double l2_bytes = 0;
  double sent_bytes = 0;
  std::uint32_t rows = 0;
  std::uint32_t inner = 0;  // elements of the axis that is contiguous; 0: not seen
  float clock = kUnseen;    // mean clock while it ran, of the nominal one
};

// Bytes that went from one rank to another in one piece.
struct TransferRecord {
  std::uint32_t step = 0, src = 0, dst = 0;
  std::uint32_t op = 0;
  std::uint16_t pass = 0;
  std::uint16_t plane = 0;  // of Observation::machine.planes
  Duration start{}, end{};  // until its last byte has left
  double bytes = 0;
  float beside = kUnseen;        // share of its time while memory-bound work ran at one of its ends
  float lost_sharing = kUnseen;  // microseconds lost to others on its ports, where that is seen
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
  std::uint32_t count = 1;  // of events that it stands for
  Duration length() const { return end - start; }
};

// A plane of links.
struct ObservedPlane {
  std::string name;
  double port = 0;       // bytes a second of payload, a direction
  double worker = 0;     // of it, what one worker's puts reach alone
  Duration startup{};    // of a put alone, before its bytes flow, and behind them
  double alignment = 1;  // of the rate, for sizes that are no whole lines
};

// What the machine allows; 0: not known.
struct ObservedMachine {
  std::uint32_t aic = 0, aiv = 0;
  double cube_rate = 0, vector_rate = 0;  // operations a second of all AICs, of all AIVs
  double hbm_read = 0, l2_read = 0;       // bytes a second
  std::vector<ObservedPlane> planes;
  double clock = 0;  // Hz, the nominal one

  // At least one.
  double workers(CoreKind core) const { return std::max(1U, core == CoreKind::kCube ? aic : aiv); }
};

// What a source could not say, by the words in which its tools call it.
struct Missing {
  std::string column;  // "kernel_details.csv: Mean Clock"
  std::string needed_for;
};

// What is known of a job apart from its steps.
struct ObservedJob {
  std::uint32_t ranks = 0;
  std::vector<std::string> names;    // of operators
  std::vector<std::string> passes;   // in their order
  std::vector<std::uint32_t> nodes;  // by rank, that of its host
  ObservedMachine machine;
  std::vector<Missing> missing;
  // Whether the time of exchanges is told apart into waiting and transit. Where it is not, an exchange beside which
  // nothing is computed is a finding by itself.
  bool exchanges_split = true;
  // Whether time in which a device does nothing is unexplained: what its host did was not recorded.
  bool idle_unexplained = false;
};

// A step, what is recorded in full of it.
struct FullStep {
  std::uint32_t step = 0;
  std::vector<std::uint32_t> ranks;  // of whom
  std::vector<OperatorRecord> operators;
  std::vector<TransferRecord> transfers;
  std::vector<HostRecord> host;
};

// Where a record stands: for people, and, if it stands for a task of a trace, which one that is.
struct RecordPlace {
  std::string text;  // "full/41/operators.csv:12"; empty: nowhere
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

// A job that was watched. Light records come step by step, in the order of steps, ranks, passes and groups: of a
// thousand ranks and ten thousand steps they are never all held.
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
  const std::vector<Missing>& missing() const { return job_.missing; }
  bool exchanges_split() const { return job_.exchanges_split; }
  bool idle_unexplained() const { return job_.idle_unexplained; }

  // One call a step, with all of its records.
  using Step = std::function<void(std::uint32_t step, std::span<const LightRecord> records)>;
  virtual void each_step(const Step& take) const = 0;
  // The same of one step of this job on a machine without faults and noise; empty: not known. Where its records stand is
  // asked with kNone for the step.
  virtual std::vector<LightRecord> reference() const { return {}; }
  virtual FullStep reference_full() const { return {}; }
  // Steps that were recorded in full.
  virtual std::vector<std::uint32_t> full_steps() const = 0;
  virtual FullStep full(std::uint32_t step) const = 0;

  // What a step's time went by, where the source knows it exactly; else empty.
  virtual std::vector<PathPart> critical_path(std::uint32_t /*step*/) const { return {}; }

  // What the source calls a step.
  virtual std::uint32_t number_of(std::uint32_t step) const { return step; }

  // Where a record stands: "light.bin:4711", "operators.csv:12".
  virtual RecordPlace place_of(const LightRecord& record) const = 0;
  virtual RecordPlace place_of(const OperatorRecord& record) const = 0;
  virtual RecordPlace place_of(const TransferRecord& record) const = 0;
  virtual RecordPlace place_of(const HostRecord& record) const = 0;
  // Where the first light record of a rank in a step stands.
  RecordPlace place_of(std::uint32_t step, std::uint32_t rank) const {
    LightRecord record;
    record.step = step;
    record.rank = rank;
    return place_of(record);
  }

 protected:
  ObservedJob job_;
};

}  // namespace a3sim
