#include <fmt/format.h>

#include <algorithm>

#include "models/operators/elementwise.h"

namespace a3sim {
namespace {

class Cast : public ElementwiseOperator {
 public:
  TaskType task_type() const override { return TaskType{230}; }
  std::uint32_t num_inputs() const override { return 1; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    if (std::string why = as_many_rows(inputs[0], outputs[0]); !why.empty()) return why;
    return as_many_cols(inputs[0], outputs[0]);
  }

 private:
  VectorOps per_element() const override { return {.simple_fp32 = 0, .convert = 1, .transcendental = 0}; }

  void compute_row(std::span<const std::span<const float>> inputs,
                   std::span<const std::span<float>> outputs) const override {
    const std::span<float> output = outputs[0];
    std::copy(inputs[0].begin(), inputs[0].end(), output.begin());
  }
};

// Converts rows to a type of eight bits or four, with scales if it is an MX type. It finds the largest of each
// block, and divides by what the block's scale is then.
class QuantizeBlocks final : public Cast {
 public:
  TaskType task_type() const override { return TaskType{236}; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool transposed) const override {
    if (std::string why = Cast::mismatch(inputs, outputs, transposed); !why.empty()) return why;
    if (element_bits(outputs[0].dtype) <= 8 && outputs[0].dtype != DataType::kInt8) return {};
    return fmt::format("'{}' is {}: expected a type of eight bits or four in floating point", outputs[0].name,
                       name_of(outputs[0].dtype));
  }
  // The types of operand and result differ.
  std::vector<std::uint32_t> row_widths(std::uint32_t /*cols*/) const override { return {}; }

 private:
  // 2 conversions: to fp32, to the type. 3 simple operations: absolute value, maximum, multiplication.
  VectorOps per_element() const override { return {.simple_fp32 = 3, .convert = 2, .transcendental = 0}; }
};

A3SIM_REGISTER(Operator, "Cast", "a tensor as another of another type", Cast);
A3SIM_REGISTER(Operator, "QuantizeBlocks", "rows to FP8, HiF8, MXFP8 or MXFP4, with their scales",
               QuantizeBlocks);

}  // namespace
}  // namespace a3sim
