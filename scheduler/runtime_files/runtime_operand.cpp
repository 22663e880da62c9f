#include "scheduler/runtime_files/runtime_operand.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/operators/operator.h"

namespace a3sim {

std::optional<RuntimeTaskType> runtime_type(const OperatorInfo& op) {
  if (op.type == "GroupedMatmulWeightGrad") return RuntimeTaskType::kGroupedMatmul;
  const auto number = static_cast<std::uint32_t>(Operators::get(op.type).task_type());
  for (const RuntimeTaskType type :
       {RuntimeTaskType::kAdd, RuntimeTaskType::kSwiGlu, RuntimeTaskType::kMatmul,
        RuntimeTaskType::kGroupedMatmul, RuntimeTaskType::kPutMemSignal, RuntimeTaskType::kSwiGluGrad}) {
    if (number == static_cast<std::uint32_t>(type)) return type;
  }
  return std::nullopt;
}

bool transposes(const OperatorInfo& op, std::size_t input) {
  return input == 0 ? op.type == "GroupedMatmulWeightGrad" : op.transposed;
}

std::string TaskSignature::text() const {
  std::string list;
  for (const auto& [rows, cols, at, transposed] : operands)
    list += fmt::format(", {} x {} at {}{}", rows, cols, at, transposed ? " transposed" : "");
  return fmt::format("type {}{}", type, list);
}

TaskSignature signature_of(const Ssc& ssc, const TaskDescriptor& td, bool in_bytes) {
  const OperatorInfo& op = ssc.operators()[td.op];
  const auto type = runtime_type(op);
  TaskSignature signature;
  signature.type = type ? static_cast<std::uint32_t>(*type) : kNone;
  for (const OperatorInfo& other : ssc.operators()) {
    if (op.inputs.empty()) break;  // Join
    signature.reads_made |= std::ranges::count(other.outputs, op.inputs.front()) > 0;
    signature.makes_read |= std::ranges::count(other.inputs, op.outputs.front()) > 0;
  }
  for (const bool input : {true, false}) {
    const auto regions = input ? ssc.inputs(td) : ssc.outputs(td);
    for (std::size_t i = 0; i < regions.size(); ++i) {
      const Region& r = regions[i];
      if (r.flags & kMetadata) continue;
      const TensorInfo& tensor = ssc.tensors()[r.tensor];
      const std::uint64_t row = in_bytes ? tensor.row_bytes() : tensor.cols;
      signature.operands.emplace_back(r.rows().size(), tensor.cols, r.row_begin * row,
                                      input && transposes(op, i));
    }
  }
  return signature;
}

RuntimePositions::RuntimePositions(const RuntimeConfig& config) {
  for (const RuntimeTaskDesc& task : config.tasks) {
    for (std::uint32_t i = 0; i < task.num_inputs; ++i) read.insert(task.inputs[i].input_position);
    for (std::uint32_t i = 0; i < task.num_outputs; ++i) made.insert(task.outputs[i].input_position);
  }
}

TaskSignature signature_of(const RuntimeTaskDesc& task, const RuntimePositions& positions) {
  TaskSignature signature;
  signature.type = task.task_type;
  signature.reads_made = task.num_inputs > 0 && positions.made.contains(task.inputs[0].input_position);
  signature.makes_read = task.num_outputs > 0 && positions.read.contains(task.outputs[0].input_position);
  const auto add = [&](const RuntimeTensorDesc& t) {
    signature.operands.emplace_back(t.dim[0], t.dim[1], t.base_ptr_offset, t.transpose_flag != 0);
  };
  for (std::uint32_t i = 0; i < task.num_inputs; ++i) add(task.inputs[i]);
  for (std::uint32_t i = 0; i < task.num_outputs; ++i) add(task.outputs[i]);
  return signature;
}

}  // namespace a3sim
