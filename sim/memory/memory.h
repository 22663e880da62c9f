#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/core/earliest_of.h"
#include "sim/core/enum_names.h"
#include "sim/core/units.h"

namespace a3sim {

// The resources that the tasks of one device share.
enum class Resource : std::uint8_t { kL2Read, kL2Write, kHbm };
constexpr auto names_of(Resource) { return std::to_array<std::string_view>({"L2 read", "L2 write", "HBM"}); }
inline constexpr std::uint32_t kResources = kCountOf<Resource>;

// A piece of work that uses memory: its time alone, and the bytes that it moves through each resource in that
// time.
struct MemoryJob {
  Duration ideal{};                        // positive
  std::array<double, kResources> bytes{};  // over its whole length
  // What a whole kernel's ideal time is spent on, as far as it is known: arithmetic, waits for lines missing in the L2, and
  // what the HBM takes beyond that. A portion of a task has none: its record says so.
  Duration arithmetic{}, missing{}, hbm{};

  MemoryJob& operator+=(const MemoryJob& next);
};

// The time that a job lost to each resource beyond its ideal time.
struct MemoryLoss {
  std::array<Duration, kResources> lost{};  // sums exactly to (end - start) - ideal
};

// The memory of one device, shared max-min fairly by running jobs. Every job runs at a speed 0 < x <= 1 of
// its own ideal speed. Speeds change only when a job starts or ends or the reserved rates change. Fairness is
// in bytes per second of L2 traffic, or of HBM traffic for a job that does not use the L2; a job without
// bytes always runs at full speed. At each time the caller calls advance(), then any start() and reserve(),
// then settle() once. Violations throw std::logic_error.
class Memory {
 public:
  // Takes positive capacities in bytes per second, and the largest number of simultaneous jobs (one per
  // worker).
  Memory(std::array<double, kResources> capacity, std::uint32_t slots);

  // `now` must not decrease. A slot holds one job at a time. Speeds are solved once at each time, by settle().
  void start(Time now, std::uint32_t slot, const MemoryJob& job);
  // Sets the rates, in bytes per second, that are served first (puts); they replace the previous ones. Jobs
  // always keep a hundredth of each resource: arbitration starves nobody, and every simulation ends.
  void reserve(Time now, const std::array<double, kResources>& rates);
  // Solves the speeds after all changes of this time. Returns the time of the next end, later than `now`, or
  // Time::max().
  Time settle(Time now);
  // Appends the slots whose jobs have ended by `now`, in order of slot. Times of ends are rounded up to
  // picoseconds.
  void advance(Time now, std::vector<std::uint32_t>& ended);
  // Returns what the last job of a slot lost. Valid from its end to the slot's next start.
  const MemoryLoss& loss(std::uint32_t slot) const { return slots_[slot].loss; }
  // Returns the part of a slot's job that is left, 0 without a job.
  double left(Time now, std::uint32_t slot) const;
  // Returns the speed of the job in a slot, 0 < x <= 1, as settled last.
  double speed(std::uint32_t slot) const { return slots_[slot].speed; }
  // Returns the bytes that ended jobs have moved through each resource.
  const std::array<double, kResources>& moved() const { return moved_; }

 private:
  using Shares = std::array<double, kResources>;  // fractions of the capacities

  struct Slot {
    Shares slope{};       // shares that it takes per unit of its fair rate
    double fairness = 0;  // bytes per second at full speed that count for fairness; 0: nothing to share
    double speed = 1;
    double left = 0;          // picoseconds of its ideal, at `since`
    std::int64_t since = 0;   // the last change of its speed
    std::uint32_t bound = 0;  // the resource that limits it, if speed < 1
    Shares lost{};            // picoseconds, until `since`
    Shares use{};             // at full speed
    std::int64_t start = 0;
    MemoryJob job{};
    MemoryLoss loss;
  };

  void change(Time now);
  void solve();
  void freeze_at_full_speed(double level);
  void freeze_bound(std::uint32_t resource, double level);
  void run_at(std::uint32_t slot, double speed, std::uint32_t bound);
  void end(std::uint32_t slot);
  static void fold(Slot& slot, std::int64_t now);
  static void round_losses(Slot& slot, std::int64_t end);

  Shares capacity_;
  Shares available_;  // not reserved
  Shares demand_{};   // of all jobs at full speed
  std::vector<Slot> slots_;
  EarliestOf ends_;  // by slot
  std::int64_t next_end_;
  std::int64_t now_ = 0;
  bool changed_ = false;    // since the last settle()
  bool saturated_ = false;  // at the last settle()
  Shares moved_{};

  // Scratch of solve(): jobs whose speed is not yet known, in order of slot, and what is left for them.
  std::vector<std::uint32_t> open_;
  Shares left_{};
};

}  // namespace a3sim
