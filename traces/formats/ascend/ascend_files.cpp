#include "traces/formats/ascend/ascend_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "traces/formats/trace_format.h"

namespace a3sim {
namespace {

constexpr std::uint64_t kMostTasks = 20'000'000;

std::string profiler_info_json(const ProfiledDevice& device) {
  const nlohmann::ordered_json json{
      {"config", {{"experimental_config", {{"_profiler_level", "Level1"}}}}},
      {"rank_id", device.rank},
      {"simulated_by", "a3sim"},
  };
  return json.dump(2) + '\n';
}

std::string profiler_metadata_json(const ProfiledDevice& device) {
  std::vector<std::uint32_t> ranks(device.ranks);
  for (std::uint32_t r = 0; r < device.ranks; ++r) ranks[r] = r;
  const nlohmann::ordered_json json{
      {"distributed_args",
       {{"tensor_model_parallel_size", 1},
        {"pipeline_model_parallel_size", 1},
        {"data_parallel_size", device.ranks},
        {"context_parallel_size", 1},
        {"expert_model_parallel_size", device.ranks},
        {"rank", device.rank},
        {"world_size", device.ranks}}},
      {"parallel_group_info",
       {{kGroup, {{"group_name", "exp"}, {"group_rank", device.rank}, {"global_ranks", ranks}}}}},
      {"simulated_by", "a3sim"},
  };
  return json.dump(2) + '\n';
}

class AscendProfile final : public TraceFormat {
 public:
  std::uint64_t most_tasks() const override { return kMostTasks; }
  std::vector<OutputFile> write(std::span<const TracedPass> passes) const override {
    std::vector<OutputFile> files;
    const auto ranks = static_cast<std::uint32_t>(passes.front().trace.ranks.size());
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const ProfiledRank rank{{profiled(passes, r)}};
      add_rank({r, ranks, rank}, "sim", files);
    }
    return files;
  }

  std::vector<OutputFile> write_job(const Observation& job) const override {
    std::vector<OutputFile> files;
    const std::vector<ProfiledRank> ranks = profiled(job);
    for (std::uint32_t r = 0; r < ranks.size(); ++r) {
      const std::uint32_t node = job.nodes()[r];
      add_rank({r, job.ranks(), ranks[r]}, node == 0 ? "sim" : fmt::format("sim-{}", node), files);
    }
    return files;
  }

 private:
  // The directory is <host>_<pid>_<date>_ascend_pt.
  static void add_rank(const ProfiledDevice& device, const std::string& host,
                       std::vector<OutputFile>& files) {
    const std::string directory = fmt::format("{}_{}_{}_ascend_pt/", host, device.rank + 1, kEpoch / 1000);
    const std::string output = directory + "ASCEND_PROFILER_OUTPUT/";
    files.push_back(
        {directory + fmt::format("profiler_info_{}.json", device.rank), profiler_info_json(device)});
    files.push_back({directory + "profiler_metadata.json", profiler_metadata_json(device)});
    files.push_back({output + "kernel_details.csv", kernel_details_csv(device)});
    files.push_back({output + "op_statistic.csv", op_statistic_csv(device)});
    files.push_back({output + "step_trace_time.csv", step_trace_time_csv(device)});
    files.push_back({output + "l2_cache.csv", l2_cache_csv(device)});
    files.push_back({output + "communication.json", communication_json(device)});
    files.push_back({output + "communication_matrix.json", communication_matrix_json(device)});
    files.push_back({output + "trace_view.json", trace_view_json(device)});
  }
};

A3SIM_REGISTER(TraceFormat, "ascend",
               "a directory per rank as torch_npu's profiler writes it (*_ascend_pt), a kernel per operator",
               AscendProfile);

}  // namespace

std::string microsecond_time(Duration since_begin) {
  const std::int64_t nanoseconds = since_begin.count() / 1000;
  return fmt::format("{}.{:03}", kEpoch + nanoseconds / 1000, nanoseconds % 1000);
}

double microseconds_of(Duration time) {
  const std::int64_t nanoseconds = time.count() / 1000;
  return static_cast<double>(nanoseconds) / 1000;
}

bool ProfiledDevice::counted() const {
  return std::ranges::any_of(profile.steps, [](const ProfiledStep& step) {
    return std::ranges::any_of(step.kernels, [](const ProfiledKernel& k) { return k.counters.has_value(); });
  });
}

std::string_view core_of(const ProfiledKernel& kernel) {
  return kernel.unit == TaskUnit::kCube ? "AI_CORE" : "AI_VECTOR_CORE";
}

std::string exchange_name(const ProfiledExchange& exchange, std::size_t number) {
  return fmt::format("hcom_alltoallv__{}_{}", exchange.name, number);
}

}  // namespace a3sim
