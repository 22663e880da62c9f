#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// The static schedule of one rank in the format of the public multicore runtime, `runtime_config_rank_N.bin`:
// mindspore-ai/hyper-parallel, hyper_parallel/core/multicore, commits d145eb7, 4487fcf and e6f71af. One
// packed structure of 32-bit fields, little-endian, with tables of fixed size. Names are those of the source.
namespace a3sim {

struct RuntimeTensorDesc {
  std::uint32_t tensor_type, num_dims;
  std::array<std::uint32_t, 4> dim, stride;
  std::uint32_t data_type, input_position, base_ptr_offset, transpose_flag, dynamic_shape, dynamic_dim;
  friend bool operator==(const RuntimeTensorDesc&, const RuntimeTensorDesc&) = default;
};

struct RuntimeTaskDesc {
  std::uint32_t task_type, task_aicore_type, num_inputs, num_outputs, trigger_event, dependent_event;
  std::array<RuntimeTensorDesc, 4> inputs, outputs;
  std::uint32_t tiling_data_position, tiling_data_offset, task_index, task_split_num, task_split_value;
  std::array<std::uint32_t, 5> extra_value;
  // Later versions only.
  std::uint32_t profile_desc_id, profile_owner_id;
  friend bool operator==(const RuntimeTaskDesc&, const RuntimeTaskDesc&) = default;
};

struct RuntimeEventDesc {
  std::uint32_t event_type, num_triggers, first_task_id, last_task_id;
  friend bool operator==(const RuntimeEventDesc&, const RuntimeEventDesc&) = default;
};

enum class RuntimeTaskType : std::uint32_t {
  kTerminate = 0,
  kBegin = 10,
  kAdd = 101,
  kSwiGlu = 102,
  kMatmul = 103,
  kGroupedMatmul = 104,
  kPutMemSignal = 105,
  kSwiGluGrad = 106
};
enum class RuntimeCore : std::uint32_t { kCube = 1, kVector = 2, kMix = 3 };
enum class RuntimeEventType : std::uint32_t {
  kEmpty = 900,
  kLaunch = 901,
  kLaunchMassive = 902,
  kLaunchDependent = 903,
  kEndOfGraph = 910
};

inline constexpr std::uint32_t kRuntimeTasks = 25'600;  // MAX_TASK_NUM and TASK_TYPE_INDEX_NUM
inline constexpr std::uint32_t kRuntimeEvents = 1'024;  // MAX_EVENT_NUM

struct RuntimeConfig {
  bool profiled = false;  // the later version, which has fields for the in-kernel trace
  std::uint32_t num_workers = 0, queue_capacity = 0, config_extra_value = 0;
  std::vector<RuntimeTaskDesc> tasks;                      // task_num of them
  std::vector<RuntimeEventDesc> events;                    // up to the last one in use
  std::array<std::vector<std::uint32_t>, 3> task_indices;  // cube, vector, mix: tasks in their order
  std::array<std::uint32_t, 4> dynamic_data{};
  std::vector<std::int64_t> grouped_matmul_group_list;  // up to the last one that is not 0
  std::array<std::uint32_t, 8> atomic_add_values{};
  std::array<std::uint32_t, 3> profiling{};  // later versions: enabled, records per AIC, records per AIV
  friend bool operator==(const RuntimeConfig&, const RuntimeConfig&) = default;
};

// Reads the bytes of a file. Its size decides the version. Throws InputError with the file's name for a size
// that no version has, a count above its table, an index out of range, or a task that is not exactly once in
// the list of its core.
RuntimeConfig read_runtime_config(std::string_view bytes, const std::string& name);

// Returns the bytes of a file. Throws std::logic_error if the tables are too small.
std::string write_runtime_config(const RuntimeConfig& config);

}  // namespace a3sim
