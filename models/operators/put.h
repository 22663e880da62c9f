#pragma once

#include "models/operators/tile.h"

namespace a3sim {

// Operators made of put_mem_signal: each task copies a block of rows of its first input from this rank's
// memory to its output on rank td.dst (which may be this one) and signals there.
class PutOperator : public Operator {
 public:
  TaskType task_type() const final { return TaskType::kPutMemSignal; }
  CoreUnit unit() const final { return CoreUnit::kVector; }
  // A put without rows under this routing still signals: kPut with 0 bytes.
  void work(const WorkContext& context, const TaskView& task, Work& out) const final;
  void compute(const WorkContext& context, const TaskView& task, Data& data) const override;

 protected:
  // What a put that writes `to` reads: as many rows.
  virtual Stream source(const WorkContext& context, const TaskView& task, const Stream& to) const;
};

// Puts of rows to the ranks of experts, or back. The last input is metadata: the counts of rows by source and
// expert that offsets and sizes are derived from, [ep x experts].
class RoutedPut : public PutOperator {
 public:
  std::uint32_t num_inputs() const final { return 2; }
  bool is_metadata(std::uint32_t input) const final { return input == 1; }
  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool transposed) const final;
  std::uint32_t task_number(const MoeShape& shape, const CutOptions& cut,
                            std::span<const TensorInfo> inputs) const final;

 protected:
  virtual Layout from() const = 0;
  virtual Layout to() const = 0;
};

// Calls `use(expert, partition, partitions)` for what a
// tile of puts covers: one partition, or all experts whole.
template <class Use>
void for_each_expert_tile(const FillContext& context, Tile tile, Use&& use) {
  if (const auto part = expert_tile(context.shape, tile)) {
    use(*part);
    return;
  }
  // A put goes to one rank and raises one event, so even
  // an unsplit operator is as many puts as it has blocks.
  for (std::uint32_t expert = 0; expert < context.shape.experts_per_rank; ++expert)
    use(ExpertTile{expert, 0, 1});
}

}  // namespace a3sim
