#include <fmt/format.h>

#include <algorithm>

#include "models/operators/elementwise.h"
#include "models/operators/quantized_row.h"

namespace a3sim {
namespace {

// Separates received int8 rows from the scales after them: a tensor of rows, and one of scales.
class Unpack final : public ElementwiseOperator {
 public:
  TaskType task_type() const override { return TaskType{208}; }
  std::uint32_t num_inputs() const override { return 1; }
  std::uint32_t num_outputs() const override { return 2; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    for (const TensorInfo& output : outputs) {
      if (std::string why = as_many_rows(inputs[0], output); !why.empty()) return why;
    }
    if (inputs[0].dtype != DataType::kInt8 || outputs[0].dtype != DataType::kInt8 ||
        inputs[0].cols != outputs[0].cols + kScaleColumns) {
      return fmt::format("'{}' must be int8 and have {} columns more than '{}'", inputs[0].name,
                         kScaleColumns, outputs[0].name);
    }
    if (outputs[1].dtype == DataType::kFp32 && outputs[1].cols == 1) return {};
    return fmt::format("'{}' must have one column of fp32: a scale a row", outputs[1].name);
  }
  // The types of operand and results differ.
  std::vector<std::uint32_t> row_widths(std::uint32_t /*cols*/) const override { return {}; }

 private:
  VectorOps per_element() const override { return {}; }

  void compute_row(std::span<const std::span<const float>> inputs,
                   std::span<const std::span<float>> outputs) const override {
    std::copy_n(inputs[0].begin(), outputs[0].size(), outputs[0].begin());
    outputs[1][0] = get_scale(inputs[0].last(kScaleColumns));
  }
};

A3SIM_REGISTER(Operator, "Unpack", "rows of int8 apart from the scales behind them", Unpack);

}  // namespace
}  // namespace a3sim
