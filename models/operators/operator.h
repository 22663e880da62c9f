#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/operators/work.h"
#include "models/shape.h"
#include "models/taskflow/row_layout.h"
#include "models/taskflow/taskflow.h"
#include "sim/core/registry.h"

namespace a3sim {

class Data;  // real tensors, models/operators/data.h

// Says how an operator inherits the partitions of its inputs and passes on its own.
struct SplitSpec {
  struct Inherit {
    std::uint32_t input;  // index of the input
    int dim;              // dimension along which the input must be partitioned
    friend bool operator==(const Inherit&, const Inherit&) = default;
  };
  std::vector<Inherit> inherits;  // empty: the operator's task_number() decides
  std::vector<int> output_dims;   // by output: the dimension along which it stays partitioned, or -1
  friend bool operator==(const SplitSpec&, const SplitSpec&) = default;
};

// Options that say how a compilation divides work into tasks.
struct CutOptions {
  std::uint32_t shares = 25;      // tasks per tile of a grouped product
  std::uint32_t partitions = 1;   // row partitions per expert
  std::uint32_t sources = 0;      // if not 0: each partition has the rows of this many source ranks
  std::uint32_t chunk = 128;      // most rows of a put
  std::uint32_t task_rows = 128;  // most rows of a vector task
  // Operators run as kernels: a matrix operator's blocks are dealt to workers across all experts.
  bool kernel = false;
  // If not empty, vector tasks of received rows are cut across experts: into `parts` equal tasks for each
  // segment, which has this many experts.
  std::vector<std::uint32_t> segments{};
  std::uint32_t parts = 1;
  Tiling tiling{};  // for matrix operators whose node has none
  friend bool operator==(const CutOptions&, const CutOptions&) = default;
};

// One tile of a split operator: partition `index` of `count`. An operator that is not split has one tile.
struct Tile {
  std::uint32_t index = 0, count = 1;
};

// The data that an operator may read while it turns tiles into tasks on one rank.
struct FillContext {
  const MoeShape& shape;
  const RowLayout& layout;              // capacities
  std::span<const TensorInfo> tensors;  // of this rank
  const OperatorInfo& op;
  OpId op_id;
  RankId rank;
  CutOptions cut;                 // the operator's own, if the graph gives one
  std::uint32_t tiling_position;  // index of its entry in the tiling table, or kNone
  Tiling tiling;                  // that entry; matrix operators only
};

// Throws InputError if an option is zero.
void check(const CutOptions& cut);

// Tasks under construction: descriptors and their regions in two tables.
struct TaskTable {
  std::vector<TaskDescriptor> tasks;
  std::vector<Region> regions;

  // Appends a task with its regions and sets first_region, num_inputs and num_outputs. The caller sets the
  // other fields.
  void add(const TaskDescriptor& task, std::span<const Region> inputs, std::span<const Region> outputs);
};

// A task with its regions.
struct TaskView {
  const TaskDescriptor& td;
  std::span<const Region> inputs, outputs;
};

// The data that an operator may read to describe a task's work under one routing.
struct WorkContext {
  const RowLayout& layout;  // with the run's counts
  std::span<const TensorInfo> tensors;
  std::span<const OperatorInfo> operators;
  std::span<const Tiling> tilings;
  RankId rank;
};

// The rank that moves an operator's rows between ranks.
enum class Mover : std::uint8_t {
  kNone,  // nobody: the operator reads and writes its own rank's memory
  kPush,  // the rank that has the rows writes them into the other's memory, and signals there
  kPull   // the rank that needs the rows reads them from the other's memory
};

// A kind of operator. Each kind is one file that registers itself. Operators are stateless: differences
// between nodes are in OperatorInfo and CutOptions.
class Operator {
 public:
  static constexpr std::string_view kKind = "operator";
  virtual ~Operator() = default;

  // Returns the number of its kernel in the public multicore runtime, or a unique number from 200 on if that
  // has none. Schedules carry the number for their readers.
  virtual TaskType task_type() const = 0;
  // Returns the unit of a core that its tasks need.
  virtual CoreUnit unit() const = 0;
  // Returns how many inputs and outputs a graph must give it. The compiler makes operators without outputs
  // (Join).
  virtual std::uint32_t num_inputs() const = 0;
  virtual std::uint32_t num_outputs() const { return 1; }
  // True if an input holds offsets and sizes. Such an input is external, and no task waits for it.
  virtual bool is_metadata(std::uint32_t /*input*/) const { return false; }

  virtual Mover mover() const { return Mover::kNone; }

  // True if CutOptions::task_rows limits its tasks.
  virtual bool cut_by_task_rows() const { return false; }

  // Returns why it cannot work on such operands (layouts, widths, types), as a sentence, or an empty string.
  // Rows are those of a graph's tensor: of one expert for weights, 0 if they follow from the routing.
  virtual std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                               bool transposed) const = 0;

  // Returns the columns of its operands, inputs first, if the widest has `cols`. Returns an empty vector
  // unless each output row depends on the same row of the inputs.
  virtual std::vector<std::uint32_t> row_widths(std::uint32_t /*cols*/) const { return {}; }

  // Returns the split of nodes whose graph gives none.
  virtual SplitSpec split_spec() const = 0;

  // Returns the number of its tiles if it inherits no partition (otherwise it has as many as its inputs). The
  // number is the same on every rank and does not depend on the routing.
  virtual std::uint32_t task_number(const MoeShape& shape, const CutOptions& cut,
                                    std::span<const TensorInfo> inputs) const = 0;

  // Appends the tasks of one tile. Sets every field of the descriptor except those that the compiler sets:
  // events, queue_type, worker_set, task_index, task_split_num and stage.
  virtual void fill_config(const FillContext& context, Tile tile, TaskTable& out) const = 0;

  // Describes the work of a task under the run's routing. The caller has cleared `out`.
  virtual void work(const WorkContext& context, const TaskView& task, Work& out) const = 0;

  // Computes a task on real tensors: reads the real rows of its inputs and writes those of its outputs.
  virtual void compute(const WorkContext& context, const TaskView& task, Data& data) const = 0;
};

using Operators = Registry<Operator>;

}  // namespace a3sim
