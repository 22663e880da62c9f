#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/experiment/compiled.h"

namespace a3sim {

// Tasks of one operator that go together: those of an expert, and of these puts to a destination as seen from the rank; of an
// operator without experts a sixteenth, by number.
struct TaskRun {
  std::uint16_t op = 0, expert = 0;
  std::uint32_t part = 0;
  auto operator<=>(const TaskRun&) const = default;
};
TaskRun task_run(const Ssc& ssc, std::uint32_t task);

// A change of a queue: a run's tasks stand together so many places before where the first of them stood, or behind.
struct RunMove {
  std::size_t pass = 0, unit = 0;
  TaskRun run;
  std::uint32_t rank = kNone;  // kNone: on every rank
  bool earlier = true;
  std::uint32_t places = 0;
  auto operator<=>(const RunMove&) const = default;
};

// The queues of all passes, as lists of tasks that may be changed.
class TaskLists {
 public:
  explicit TaskLists(const Compiled& compiled);

  void apply(const RunMove& move);
  // How many tasks of a run a rank has.
  std::uint32_t size(std::size_t pass, std::uint32_t rank, std::size_t unit, const TaskRun& run) const;
  // How many places earlier a run would stand right behind the last task of its queue that it waits for; 0 where there is
  // none before it.
  std::uint32_t behind_producers(std::size_t pass, std::uint32_t rank, std::size_t unit,
                                 const TaskRun& run) const;
  std::string text(const RunMove& move) const;

  // The order with these lists as wishes, which emission repairs, and with the lists themselves.
  OrderSpec wished(OrderSpec order) const;
  OrderSpec listed(OrderSpec order, const std::string& file) const;
  // The lists as read_order_csv() takes them.
  std::string csv() const;

 private:
  const std::string& name_of(std::size_t pass, std::uint32_t rank, std::uint32_t task) const;

  std::vector<CompiledPass> passes_;
  // By pass, rank and unit: task numbers.
  std::vector<std::vector<std::array<std::vector<std::uint32_t>, kCoreUnits>>> tasks_;
};

}  // namespace a3sim
