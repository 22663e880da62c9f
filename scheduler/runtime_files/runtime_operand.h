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

// Describes operators and operands of our schedules in the terms of the public runtime's files.
namespace a3sim {

// Returns the runtime's number of an operator's kernel, or nullopt if it has none. Weight gradients are
// grouped products that transpose A.
std::optional<RuntimeTaskType> runtime_type(const OperatorInfo& op);

// Returns whether an operator reads this input transposed.
bool transposes(const OperatorInfo& op, std::size_t input);

// Rows, columns, offset, and true if it is transposed.
using RuntimeOperand = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, bool>;

// Identifies a task up to the shares of its tile: its type, inputs and outputs, and whether other tasks of
// the pass make what it reads and read what it makes. The last two are needed because Dispatch and Combine
// may move the same rows.
struct TaskSignature {
  std::uint32_t type = 0;
  bool reads_made = false, makes_read = false;
  std::vector<RuntimeOperand> operands;
  friend auto operator<=>(const TaskSignature&, const TaskSignature&) = default;
  std::string text() const;
};

// Returns the signature of a task of ours. Offsets are in bytes if `in_bytes`, otherwise in elements.
TaskSignature signature_of(const Ssc& ssc, const TaskDescriptor& td, bool in_bytes);

// The tensors that the tasks of a file read and write, by input_position.
struct RuntimePositions {
  explicit RuntimePositions(const RuntimeConfig& config);
  std::set<std::uint32_t> read, made;
};
// Returns the signature of a task of a file.
TaskSignature signature_of(const RuntimeTaskDesc& task, const RuntimePositions& positions);

}  // namespace a3sim
