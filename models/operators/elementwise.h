#pragma once

#include "models/operators/tile.h"

namespace a3sim {

// Base class of vector operators whose output rows each depend on the same row of every input. A task reads
// and writes the same rows of all its operands. Values are computed in fp32 and rounded once.
class ElementwiseOperator : public Operator {
 public:
  CoreUnit unit() const final { return CoreUnit::kVector; }
  bool cut_by_task_rows() const final { return true; }
  std::vector<std::uint32_t> row_widths(std::uint32_t cols) const override {
    return std::vector(num_inputs() + num_outputs(), cols);
  }
  SplitSpec split_spec() const override { return {{{0, 0}}, std::vector<int>(num_outputs(), 0)}; }
  std::uint32_t task_number(const MoeShape& shape, const CutOptions& cut,
                            std::span<const TensorInfo> inputs) const final;
  void fill_config(const FillContext& context, Tile tile, TaskTable& out) const final;
  void work(const WorkContext& context, const TaskView& task, Work& out) const final;
  void compute(const WorkContext& context, const TaskView& task, Data& data) const final;

 protected:
  // Returns fp32 instructions per element. An element is a column of the narrowest operand that has more than
  // one column (a single column is a scale per row).
  virtual VectorOps per_element() const = 0;
  // Returns how many instructions of a row each wait for the one before, if each row is finished before the
  // next begins.
  virtual std::uint32_t dependent_per_row() const { return 0; }
  // Returns how many lines of a row the scalar unit stores or fetches.
  virtual std::uint32_t lines_per_row(std::uint32_t /*cols*/) const { return 0; }
  // Computes one row of each output in fp32; the base class rounds it.
  virtual void compute_row(std::span<const std::span<const float>> inputs,
                           std::span<const std::span<float>> outputs) const = 0;

 private:
  void add(const FillContext& context, const TileRows& rows, std::uint32_t number, std::uint32_t segment,
           TaskTable& out) const;
};

// Returns the names of all operators that have row_widths(), from which an elementwise workload may choose.
std::vector<std::string_view> elementwise_operators();

}  // namespace a3sim
