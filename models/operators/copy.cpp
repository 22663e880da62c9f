#include <algorithm>

#include "models/operators/elementwise.h"

namespace a3sim {
namespace {

class Copy final : public ElementwiseOperator {
 public:
  TaskType task_type() const override { return TaskType{204}; }
  std::uint32_t num_inputs() const override { return 1; }

  std::string mismatch(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs,
                       bool) const override {
    if (std::string why = same_rows(inputs[0], outputs[0]); !why.empty()) return why;
    return same_width(inputs[0], outputs[0]);
  }

 private:
  VectorOps per_element() const override { return {}; }

  void compute_row(std::span<const std::span<const float>> inputs,
                   std::span<const std::span<float>> outputs) const override {
    const std::span<float> output = outputs[0];
    std::copy(inputs[0].begin(), inputs[0].end(), output.begin());
  }
};

A3SIM_REGISTER(Operator, "Copy", "a tensor as another", Copy);

}  // namespace
}  // namespace a3sim
