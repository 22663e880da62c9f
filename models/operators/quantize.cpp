#include <fmt/format.h>

#include "models/operators/elementwise.h"
#include "models/operators/quantized_row.h"

namespace a3sim {
namespace {

// Converts rows to int8, each with its own scale: in a second tensor, or after the row if it is to be sent.
class Quantize final : public ElementwiseOperator {
 public:
  explicit Quantize(bool packed) : packed_(packed) {}

  TaskType task_type() const override { return TaskType{207}; }
  std::uint32_t num_inputs() const override { return 1; }
  std::uint32_t num_outputs() const override { return packed_ ? 1 : 2; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    for (const TensorInfo& output : outputs) {
      if (std::string why = as_many_rows(inputs[0], output); !why.empty()) return why;
    }
    const std::uint32_t cols = inputs[0].cols + (packed_ ? kScaleColumns : 0);
    if (outputs[0].dtype != DataType::kInt8 || outputs[0].cols != cols) {
      return fmt::format("'{}' must have {} columns of int8, not {} of {}", outputs[0].name, cols,
                         outputs[0].cols, name_of(outputs[0].dtype));
    }
    if (packed_ || (outputs[1].dtype == DataType::kFp32 && outputs[1].cols == 1)) return {};
    return fmt::format("'{}' must have one column of fp32: a scale a row", outputs[1].name);
  }
  // The types of operand and results differ.
  std::vector<std::uint32_t> row_widths(std::uint32_t /*cols*/) const override { return {}; }

 private:
  // 3 conversions: to fp32, to fp16, to int8. 3 simple operations: absolute value, maximum, multiplication by
  // the scale.
  VectorOps per_element() const override { return {.simple_fp32 = 3, .convert = 3, .transcendental = 0}; }

  void compute_row(std::span<const std::span<const float>> inputs,
                   std::span<const std::span<float>> outputs) const override {
    const float scale = scale_of(inputs[0]);
    quantize_row(inputs[0], outputs[0]);
    if (packed_) {
      put_scale(scale, outputs[0].last(kScaleColumns));
    } else {
      outputs[1][0] = scale;
    }
  }

  bool packed_;
};

A3SIM_REGISTER(Operator, "Quantize", "rows to int8, with a tensor of a scale a row", Quantize(false));
A3SIM_REGISTER(Operator, "QuantizePacked", "rows to int8, each with its scale behind it", Quantize(true));

}  // namespace
}  // namespace a3sim
