#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/enum_names.h"
#include "sim/core/ids.h"

namespace a3sim {

// The unit of a core that a task needs: matrix units multiply, vector units do everything else.
enum class CoreUnit : std::uint8_t { kMatrix, kVector };
constexpr auto names_of(CoreUnit) { return std::to_array<std::string_view>({"matrix", "vector"}); }
inline constexpr std::uint32_t kCoreUnits = kCountOf<CoreUnit>;

// A kind of worker, and the number of its workers.
struct WorkerKind {
  std::string name;  // AIC
  std::uint32_t count = 0;
  std::array<bool, kCoreUnits> units{};  // units that each worker has
  // Types of operators that run on this kind and on no other, with a space between them. `moves` stands for
  // all that move rows between ranks.
  std::string operators{};

  // True if the kind's own operators include this type.
  bool names(std::string_view type) const;
  bool has(CoreUnit unit) const { return units[static_cast<std::size_t>(unit)]; }
  std::string queue() const;      // name of its queue: CTQ
  std::string key() const;        // its name in configurations: aic
  std::string queue_key() const;  // the queue's name in commands and text: ctq
  friend bool operator==(const WorkerKind&, const WorkerKind&) = default;
};

// True if `name` can name a kind: capitals, digits and _, beginning with a letter.
bool is_kind_name(std::string_view name);

// The kinds of worker of a device, or those that run a schedule. Each kind has one queue with the same
// number; a worker takes tasks from it one at a time, whatever unit they need. Workers are numbered kind by
// kind.
class WorkerKinds {
 public:
  WorkerKinds() = default;
  explicit WorkerKinds(std::vector<WorkerKind> kinds) : kinds_(std::move(kinds)) {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(kinds_.size()); }
  bool empty() const { return kinds_.empty(); }
  WorkerKind& operator[](std::size_t queue) { return kinds_[queue]; }
  const WorkerKind& operator[](std::size_t queue) const { return kinds_[queue]; }
  auto begin() { return kinds_.begin(); }
  auto begin() const { return kinds_.begin(); }
  auto end() { return kinds_.end(); }
  auto end() const { return kinds_.end(); }
  void add(WorkerKind kind) { kinds_.push_back(std::move(kind)); }

  std::uint32_t workers() const;                          // of all kinds
  std::uint32_t first_worker(std::uint32_t queue) const;  // number of the kind's first worker
  std::uint32_t queue_of(std::uint32_t worker) const;
  std::string worker_name(std::uint32_t worker) const;  // AIC 3
  std::string text() const;                             // 25 AIC and 50 AIV

  // Returns the queue for tasks that need this unit: that of the first kind that has it, or kNone.
  std::uint32_t queue_for(CoreUnit unit) const;
  // Returns the queue of the kind whose own operators include this type, or kNone.
  std::uint32_t queue_naming(std::string_view type) const;
  // Returns the number of workers that run tasks of this unit.
  std::uint32_t count(CoreUnit unit) const;
  // Returns the kind that runs tasks of this unit, which must exist.
  WorkerKind& kind(CoreUnit unit) { return kinds_[queue_for(unit)]; }
  const WorkerKind& kind(CoreUnit unit) const { return kinds_[queue_for(unit)]; }
  // True if tasks of all units share one queue.
  bool one_queue() const { return queue_for(CoreUnit::kMatrix) == queue_for(CoreUnit::kVector); }

  friend bool operator==(const WorkerKinds&, const WorkerKinds&) = default;

 private:
  std::vector<WorkerKind> kinds_;
};

// Returns the kinds of an Ascend die: cube cores (AIC) and vector cores (AIV), with queues CTQ and VTQ.
WorkerKinds aic_and_aiv(std::uint32_t aic, std::uint32_t aiv);
inline constexpr std::uint32_t kAicQueue = 0, kAivQueue = 1;  // their queues
// Returns whether the kinds are these two, with any number of workers.
bool are_aic_and_aiv(const WorkerKinds& kinds);

}  // namespace a3sim
