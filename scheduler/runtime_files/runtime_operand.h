#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "scheduler/runtime_files/runtime_config.h"
#include "scheduler/ssc/ssc.h"

// What operators and operands of ours are in the public runtime's files.
namespace a3sim {

// The runtime's number of an operator's kernel; gradients of weights are grouped products that transpose A.
std::optional<RuntimeTaskType> runtime_type(const OperatorInfo& op);

// Whether an operator reads this input transposed.
bool transposes(const OperatorInfo& op, std::size_t input);

// Rows, columns, where it begins, whether it is transposed.
using RuntimeOperand = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, bool>;

// What tells a task from all but the shares of its tile: its type, its inputs and its outputs, and, as Dispatch and
// Combine may move the same rows, whether tasks of the pass make what it reads and read what it makes.
struct TaskSignature {
  std::uint32_t type = 0;
  bool reads_made = false, makes_read = false;
  std::vector<RuntimeOperand> operands;
  friend auto operator<=>(const TaskSignature&, const TaskSignature&) = default;
  std::string text() const;
};

// `in_bytes`: where operands begin, else in elements.
TaskSignature signature_of(const Ssc& ssc, const TaskDescriptor& td, bool in_bytes);

// The tensors that a file's tasks read and write, by input_position.
struct RuntimePositions {
  explicit RuntimePositions(const RuntimeConfig& config);
  std::set<std::uint32_t> read, made;
};
TaskSignature signature_of(const RuntimeTaskDesc& task, const RuntimePositions& positions);

}  // namespace a3sim
