#include <fmt/format.h>

#include <cmath>

#include "models/operators/elementwise.h"

namespace a3sim {
namespace {

// Computes silu(gate) * up, where gate and up are the left and right half of the input's columns.
class SwiGlu : public ElementwiseOperator {
 public:
  TaskType task_type() const override { return TaskType{102}; }
  std::uint32_t num_inputs() const override { return 1; }
  std::vector<std::uint32_t> row_widths(std::uint32_t cols) const override { return {cols, cols / 2}; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    if (std::string why = same_rows(inputs[0], outputs[0]); !why.empty()) return why;
    if (inputs[0].cols == 2 * outputs[0].cols) return {};
    return fmt::format("'{}' has {} columns, '{}' must have half of them and has {}", inputs[0].name,
                       inputs[0].cols, outputs[0].name, outputs[0].cols);
  }

 private:
  // 3 conversions: gate and up are widened, the result is narrowed. 3 simple operations: -gate, 1 + e, * up.
  // 2 transcendental ones: exp and gate / (1 + e).
  VectorOps per_element() const override { return {.simple_fp32 = 3, .convert = 3, .transcendental = 2}; }

  void compute_row(std::span<const std::span<const float>> inputs,
                   std::span<const std::span<float>> outputs) const override {
    const std::span<float> output = outputs[0];
    const auto gate = inputs[0].first(output.size()), up = inputs[0].subspan(output.size());
    for (std::size_t i = 0; i < output.size(); ++i) output[i] = gate[i] / (1.0F + std::exp(-gate[i])) * up[i];
  }
};

// Computes the same in one pass with QuantizeBlocks.
class SwiGluBlocks final : public SwiGlu {
 public:
  TaskType task_type() const override { return TaskType{237}; }
  std::vector<std::uint32_t> row_widths(std::uint32_t) const override { return {}; }  // types differ

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    if (std::string why = as_many_rows(inputs[0], outputs[0]); !why.empty()) return why;
    if (inputs[0].cols == 2 * outputs[0].cols && element_bits(outputs[0].dtype) <= 8 &&
        outputs[0].dtype != DataType::kInt8)
      return {};
    return fmt::format(
        "'{}' has {} columns of {}, expected {} of a type of eight bits or four in floating point",
        outputs[0].name, outputs[0].cols, name_of(outputs[0].dtype), inputs[0].cols / 2);
  }

 private:
  VectorOps per_element() const override { return {.simple_fp32 = 6, .convert = 3, .transcendental = 2}; }
};

A3SIM_REGISTER(Operator, "SwiGLUBlocks", "silu(gate) * up as FP8, HiF8, MXFP8 or MXFP4, with their scales",
               SwiGluBlocks);
A3SIM_REGISTER(Operator, "SwiGLU", "silu(gate) * up on the halves of a row", SwiGlu);

}  // namespace
}  // namespace a3sim
