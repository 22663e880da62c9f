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

// How an operator takes over its inputs' partitions and hands on its own.
struct SplitSpec {
  struct Inherit {
    std::uint32_t input;  // which input
    int dim;              // along which dimension it must be partitioned
    friend bool operator==(const Inherit&, const Inherit&) = default;
  };
  std::vector<Inherit> inherits;  // empty: the operator asks its task-number function
  std::vector<int> output_dims;   // per output: the dimension along which it goes on partitioned, or -1
  friend bool operator==(const SplitSpec&, const SplitSpec&) = default;
};

// How a compilation cuts work.
struct CutOptions {
  std::uint32_t shares = 25;      // tasks a GMM tile is run as
  std::uint32_t partitions = 1;   // row partitions an expert
  std::uint32_t chunk = 128;      // rows a put carries at most
  std::uint32_t task_rows = 128;  // rows a vector task works on at most
  bool kernel = false;  // operators run as kernels: a matrix operator's blocks are dealt out over all experts
  Tiling tiling{};      // of matrix operators whose node has none
  friend bool operator==(const CutOptions&, const CutOptions&) = default;
};

// One tile of a split operator: partition `index` of
// `count`. An unsplit operator has one tile with everything.
struct Tile {
  std::uint32_t index = 0, count = 1;
};

// What an operator may see while it turns tiles into tasks on one rank.
struct FillContext {
  const MoeShape& shape;
  const RowLayout& layout;              // capacities
  std::span<const TensorInfo> tensors;  // of this rank
  const OperatorInfo& op;
  OpId op_id;
  RankId rank;
  CutOptions cut;                 // this operator's own, where the graph says so
  std::uint32_t tiling_position;  // of this operator in the tiling table, or kNone
  Tiling tiling;                  // that entry; matrix operators only
};

// Throws InputError for options that cut into nothing (a zero).
void check(const CutOptions& cut);

// Tasks as they are made: descriptors and their regions, in one pair of tables.
struct TaskTable {
  std::vector<TaskDescriptor> tasks;
  std::vector<Region> regions;

  // Appends a task with its regions and sets first_region,
  // num_inputs and num_outputs. The rest of `task` is the caller's.
  void add(const TaskDescriptor& task, std::span<const Region> inputs, std::span<const Region> outputs);
};

// A task with its regions.
struct TaskView {
  const TaskDescriptor& td;
  std::span<const Region> inputs, outputs;
};

// What an operator may see to say what a task does under one routing.
struct WorkContext {
  const RowLayout& layout;  // with the run's counts
  std::span<const TensorInfo> tensors;
  std::span<const OperatorInfo> operators;
  std::span<const Tiling> tilings;
  RankId rank;
};

// A kind of operator; one file each. Stateless: what differs
// between nodes stands in OperatorInfo and CutOptions.
class Operator {
 public:
  static constexpr std::string_view kKind = "operator";
  virtual ~Operator() = default;

  // The number of its kernel in the public multicore runtime; where that has none, one from 200 on that no
  // other operator has. Schedules carry it for those who read them.
  virtual TaskType task_type() const = 0;
  // Of a core: which kinds of worker run its tasks.
  virtual CoreUnit unit() const = 0;
  // Numbers of inputs and outputs that a graph must give
  // it. One without outputs is made by the compiler (Join).
  virtual std::uint32_t num_inputs() const = 0;
  virtual std::uint32_t num_outputs() const { return 1; }
  // Whether an input is offsets and sizes, which the compiler waits for nobody for. It is external then.
  virtual bool is_metadata(std::uint32_t /*input*/) const { return false; }

  // Whether CutOptions::task_rows bounds its tasks.
  virtual bool cut_by_task_rows() const { return false; }

  // Why it cannot work on such operands (layouts, widths, types), as a sentence; empty if it can. Rows are
  // those of a graph's tensor: of one expert for weights, 0 where they follow from the routing.
  virtual std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                               bool transposed) const = 0;

  // Columns of its operands, inputs and then outputs, where the widest has `cols`; empty unless each row of
  // the output follows from the same row of the inputs.
  virtual std::vector<std::uint32_t> row_widths(std::uint32_t /*cols*/) const { return {}; }

  // The split that a node has unless its graph says otherwise.
  virtual SplitSpec split_spec() const = 0;

  // How many tiles it makes when it inherits nothing (what it inherits has as many as its inputs). The same
  // on every rank: rows that follow from the routing are not looked at.
  virtual std::uint32_t task_number(const MoeShape& shape, const CutOptions& cut,
                                    std::span<const TensorInfo> inputs) const = 0;

  // Appends the tasks of one tile. Sets every field of the descriptor that does not belong to wiring and
  // queues: events, queue_type, worker_set, task_index, task_split_num and stage are set by the compiler.
  virtual void fill_config(const FillContext& context, Tile tile, TaskTable& out) const = 0;

  // What one task does under the run's routing; `out` is cleared first by the caller.
  virtual void work(const WorkContext& context, const TaskView& task, Work& out) const = 0;

  // Does it, on real tensors: reads the inputs' real rows, writes the outputs'.
  virtual void compute(const WorkContext& context, const TaskView& task, Data& data) const = 0;
};

using Operators = Registry<Operator>;

}  // namespace a3sim
