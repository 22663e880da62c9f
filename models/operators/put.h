#pragma once

#include "models/operators/tile.h"

namespace a3sim {

// Base class of operators made of put_mem_signal: each task copies a block of rows of its first input from
// this rank's memory to its output on rank td.dst, which may be this rank, and signals there.
class PutOperator : public Operator {
 public:
  TaskType task_type() const final { return TaskType::kPutMemSignal; }
  CoreUnit unit() const final { return CoreUnit::kVector; }
  Mover mover() const final { return Mover::kPush; }
  // A put that has no rows under this routing still signals: kPut with 0 bytes.
  void work(const WorkContext& context, const TaskView& task, Work& out) const final;
  void compute(const WorkContext& context, const TaskView& task, Data& data) const override;

 protected:
  // Sets Work::put_pieces and the other costs of a put of this many rows and columns, apart from its bytes.
  virtual void set_pieces(std::uint32_t /*rows*/, std::uint32_t /*cols*/, Work& /*out*/) const {}
  // Returns how many of the rows of a put cross the links: all, unless they are there already.
  virtual std::uint32_t rows_brought(const WorkContext& context, const TaskView& task) const {
    return real_rows(context, task.outputs[0]).size();
  }
  // Returns the stream that a put reads to write `to`: as many rows.
  virtual Stream source(const WorkContext& context, const TaskView& task, const Stream& to) const;
};

// Base class of puts between tokens' and experts' ranks. The last input is metadata, [ep x experts]: the
// counts of rows by source and expert, from which offsets and sizes are derived.
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

// Calls `use` for each part of a tile of puts: one partition, or each whole expert.
template <class Use>
void for_each_expert_tile(const FillContext& context, Tile tile, Use&& use) {
  if (const auto part = expert_tile(context.shape, tile)) {
    use(*part);
    return;
  }
  // A put goes to one rank and triggers one event, so even an operator that is not split has a put per block.
  for (std::uint32_t expert = 0; expert < context.shape.experts_per_rank; ++expert)
    use(ExpertTile{expert, 0, 1});
}

}  // namespace a3sim
