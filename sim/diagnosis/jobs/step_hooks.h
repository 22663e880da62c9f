#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/diagnosis/faults/fault.h"
#include "sim/runtime/task_hooks.h"

namespace a3sim {

// Applies the noise of a step and its slow operators to the tasks of a pass.
class StepHooks final : public TaskHooks {
 public:
  // Returns the name of a task's operator. Tasks are numbered as in the hooks' own calls.
  using NameOf = std::function<const std::string&(RankId rank, std::uint32_t task)>;
  // `jitter` may be null: no noise. `slow` must outlive the hooks.
  StepHooks(std::unique_ptr<TaskHooks> jitter, const std::vector<StepConditions::SlowOperator>& slow,
            NameOf name_of)
      : jitter_(std::move(jitter)), slow_(slow), name_of_(std::move(name_of)) {}

  // Returns the hooks, or null if they change nothing.
  TaskHooks* hooks() { return jitter_ || !slow_.empty() ? this : nullptr; }

  double slowness(RankId rank, std::uint32_t task) override {
    double factor = 1;
    for (const StepConditions::SlowOperator& slow : slow_)
      if (index(rank) == slow.rank && name_of_(rank, task) == slow.name) factor *= slow.factor;
    return jitter_ ? jitter_->slowness(rank, task) * factor : factor;
  }

 private:
  std::unique_ptr<TaskHooks> jitter_;
  const std::vector<StepConditions::SlowOperator>& slow_;
  NameOf name_of_;
};

}  // namespace a3sim
