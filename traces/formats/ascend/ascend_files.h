#pragma once

#include <string>

#include "traces/formats/ascend/profiled_rank.h"

// The files of an Ascend profiler's directory that tools read. Columns and keys are those that torch_npu's
// profiler (github.com/Ascend/pytorch) writes and that msprof-analyze and MindStudio Insight read.
namespace a3sim {

struct ProfiledDevice {
  std::uint32_t rank = 0, ranks = 1;
  const ProfiledRank& profile;
  // True if kernels have counters, not only times.
  bool counted() const;
};

// The time at which a job begins, in microseconds since 1970. Tools expect times with nanoseconds after the
// point.
inline constexpr std::int64_t kEpoch = 1'700'000'000'000'000;
std::string microsecond_time(Duration since_begin);
double microseconds_of(Duration time);

std::string kernel_details_csv(const ProfiledDevice& device);
std::string op_statistic_csv(const ProfiledDevice& device);
std::string step_trace_time_csv(const ProfiledDevice& device);
std::string l2_cache_csv(const ProfiledDevice& device);
std::string communication_json(const ProfiledDevice& device);
std::string communication_matrix_json(const ProfiledDevice& device);
std::string trace_view_json(const ProfiledDevice& device);

// Return names as they stand in all files.
std::string_view core_of(const ProfiledKernel& kernel);
std::string exchange_name(const ProfiledExchange& exchange, std::size_t number);
inline constexpr std::string_view kGroup = "sim_expert_group";

// The names that the framework and CANN give to host events.
inline constexpr std::array<std::pair<HostKind, std::string_view>, 10> kHostNames{
    {{HostKind::kRead, "dataset read"},
     {HostKind::kProcess, "dataset process"},
     {HostKind::kFetch, "enumerate(DataLoader)"},
     {HostKind::kCompile, "AscendCL@aclopCompileAndExecute"},
     {HostKind::kLaunch, "AscendCL@aclrtLaunchKernel"},
     {HostKind::kSync, "AscendCL@aclrtSynchronizeStream"},
     {HostKind::kCollect, "GC"},
     {HostKind::kAllocate, "AscendCL@aclrtMallocPhysical"},
     {HostKind::kLog, "log"},
     {HostKind::kOther, "other"}}};
// The counter of the fill of the queues of batches, in their format, and the names of the queues.
inline constexpr std::string_view kDataQueuesCounter = "sim data queues";
inline constexpr std::array<std::string_view, 3> kQueueNames{"device", "host", "data"};

}  // namespace a3sim
