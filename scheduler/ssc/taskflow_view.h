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
  std::uint32_t group = 0;  // number of ranks that these represent (turns.h); 0 if only themselves
  std::uint32_t first = 0;  // the rank that `ranks` begins with
};

// A view of the same tables in a Taskflow or in a schedule, which must outlive the view.
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
  std::uint32_t group;      // number of ranks that these represent
  std::uint32_t first = 0;  // the rank that `ranks` begins with

  explicit TaskflowView(const Taskflow& taskflow);
  // `schedule` must have at least one rank. Takes operators and tilings from the first.
  explicit TaskflowView(const Schedule& schedule);

  // Returns the tiling of a task, or null if it has none.
  const Tiling* tiling(const TaskDescriptor& td) const {
    return td.tiling_data_position < tilings.size() ? &tilings[td.tiling_data_position] : nullptr;
  }
  // Returns the name of a task in messages: operator and index, such as GMM1[17].
  std::string task_name(std::uint32_t rank, std::uint32_t task) const;
};

// Returns the unit that each operator's tasks need. Their types must be registered.
std::vector<CoreUnit> units_of(std::span<const OperatorInfo> operators);

}  // namespace a3sim
