#include <fmt/format.h>

#include <cmath>

#include "models/operators/elementwise.h"
#include "models/operators/quantized_row.h"

namespace a3sim {
namespace {

// Multiplies rows by their scale, computes silu(gate) * up on their halves, and converts the result to int8 with a
// scale for each row.
class SwiGluQuantized final : public ElementwiseOperator {
 public:
  TaskType task_type() const override { return TaskType{219}; }
  std::uint32_t num_inputs() const override { return 2; }
  std::uint32_t num_outputs() const override { return 2; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    for (const TensorInfo& other : {inputs[1], outputs[0], outputs[1]}) {
      if (std::string why = as_many_rows(inputs[0], other); !why.empty()) return why;
    }
    if (inputs[0].cols != 2 * outputs[0].cols || outputs[0].dtype != DataType::kInt8) {
      return fmt::format("'{}' must have half the {} columns of '{}' and be int8", outputs[0].name,
                         inputs[0].cols, inputs[0].name);
    }
    for (const TensorInfo& scales : {inputs[1], outputs[1]}) {
      if (scales.dtype != DataType::kFp32 || scales.cols != 1)
        return fmt::format("'{}' must have one column of fp32: a scale a row", scales.name);
    }
    return {};
  }
  // The types of operands and results differ.
  std::vector<std::uint32_t> row_widths(std::uint32_t /*cols*/) const override { return {}; }

 private:
  // Those of SwiGLU and Quantize, and 2 multiplications by the row's scale; gate and up are widened, the
  // result is narrowed twice.
  VectorOps per_element() const override { return {.simple_fp32 = 8, .convert = 4, .transcendental = 2}; }
  // A row is finished before the next one begins: 2 + 2 conversions, 2 + 1 multiplications, -gate, exp, 1 + e, a
  // division, * up, absolute value, and 2 that find the largest.
  std::uint32_t dependent_per_row() const override { return 15; }
  // Assumed: the scalar unit fetches the row's scale, which instructions take from its registers, and stores
  // the new one.
  std::uint32_t lines_per_row(std::uint32_t /*cols*/) const override { return 2; }

  void compute_row(std::span<const std::span<const float>> inputs,
                   std::span<const std::span<float>> outputs) const override {
    const std::span<float> output = outputs[0];
    const float scale = inputs[1][0];
    std::vector<float> row(output.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      const float gate = inputs[0][i] * scale, up = inputs[0][row.size() + i] * scale;
      row[i] = gate / (1.0F + std::exp(-gate)) * up;
    }
    quantize_row(row, output);
    outputs[1][0] = scale_of(row);
  }
};

A3SIM_REGISTER(Operator, "SwiGLUQuantized", "silu(gate) * up of scaled rows, as int8 with a scale a row",
               SwiGluQuantized);

}  // namespace
}  // namespace a3sim
