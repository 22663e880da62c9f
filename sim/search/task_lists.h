#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/experiment/run/compiled.h"

namespace a3sim {

// Tasks of one operator that move together: those of an expert; for puts also to one destination, counted
// from the rank; a sixteenth, by number, if the operator has no experts.
struct TaskRun {
  std::uint16_t op = 0, expert = 0;
  std::uint32_t part = 0;
  auto operator<=>(const TaskRun&) const = default;
};
TaskRun task_run(const Ssc& ssc, std::uint32_t task);

// A change of a queue: all tasks of a run move `places` places before the first of them, or behind it.
struct RunMove {
  std::size_t pass = 0, unit = 0;
  TaskRun run;
  std::uint32_t rank = kNone;  // kNone: every rank
  bool earlier = true;
  std::uint32_t places = 0;
  auto operator<=>(const RunMove&) const = default;
};

// The queues of all passes, as lists of tasks that may be changed.
class TaskLists {
 public:
  explicit TaskLists(const Compiled& compiled);

  void apply(const RunMove& move);
  // Returns the number of tasks of a run on a rank.
  std::uint32_t size(std::size_t pass, std::uint32_t rank, std::size_t unit, const TaskRun& run) const;
  // Returns by how many places a run would move forward to stand right behind the last task of its queue
  // that it waits for. Returns 0 if no such task stands before it.
  std::uint32_t behind_producers(std::size_t pass, std::uint32_t rank, std::size_t unit,
                                 const TaskRun& run) const;
  std::string text(const RunMove& move) const;

  // Return the order with these lists as wishes, which emission repairs, or with the lists themselves.
  OrderSpec wished(OrderSpec order) const;
  OrderSpec listed(OrderSpec order, const std::string& file) const;
  // Returns a hash that tells lists apart.
  std::uint64_t hash() const;
  // Returns the lists as read_order_csv() reads them.
  std::string csv() const;

 private:
  const std::string& name_of(std::size_t pass, std::uint32_t rank, std::uint32_t task) const;

  std::vector<CompiledPass> passes_;
  // Task numbers by pass, rank and unit.
  std::vector<std::vector<std::array<std::vector<std::uint32_t>, kCoreUnits>>> tasks_;
};

}  // namespace a3sim
