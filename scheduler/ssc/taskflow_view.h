#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/operators/operator.h"
#include "scheduler/ssc/ssc.h"

namespace a3sim {

// The tasks of all ranks before they are scheduled, with the tables that they refer to.
struct Taskflow {
  struct Rank {
    std::vector<TensorInfo> tensors;
    TaskTable table;
    std::vector<EventDescriptor> events;
  };
  std::vector<OperatorInfo> operators;
  std::vector<Tiling> tilings;
  std::vector<Rank> ranks;
  std::uint32_t group = 0;  // ranks that these stand for (turns.h); 0: only themselves
};

// The same tables wherever they stand: in a Taskflow or in a schedule, which must outlive the view.
struct TaskflowView {
  struct Rank {
    std::span<const TensorInfo> tensors;
    std::span<const TaskDescriptor> tasks;
    std::span<const Region> regions;
    std::span<const EventDescriptor> events;

    std::span<const Region> inputs(const TaskDescriptor& td) const {
      return regions.subspan(td.first_region, td.num_inputs);
    }
    std::span<const Region> outputs(const TaskDescriptor& td) const {
      return regions.subspan(td.first_region + td.num_inputs, td.num_outputs);
    }
  };
  std::span<const OperatorInfo> operators;
  std::span<const Tiling> tilings;
  std::vector<Rank> ranks;
  std::uint32_t group;  // ranks that these stand for

  explicit TaskflowView(const Taskflow& taskflow);
  // The ranks of a schedule have at least one; operators and tilings are those of the first.
  explicit TaskflowView(const Schedule& schedule);

  // The tiling of a task, or null.
  const Tiling* tiling(const TaskDescriptor& td) const {
    return td.tiling_data_position < tilings.size() ? &tilings[td.tiling_data_position] : nullptr;
  }
  // A task as messages call it: operator and index, GMM1[17].
  std::string task_name(std::uint32_t rank, std::uint32_t task) const;
};

// What each operator's tasks need of a core. Its type must be known.
std::vector<CoreUnit> units_of(std::span<const OperatorInfo> operators);

}  // namespace a3sim
