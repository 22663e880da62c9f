#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "traces/formats/ascend/ascend_files.h"

// The profiler's timeline: Chrome's JSON with the processes that its readers expect.
namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;

struct Process {
  std::string_view name;
  std::uint32_t sort_index;
};
constexpr Process kPython{"Python", 1}, kCann{"CANN", 7}, kHardware{"Ascend Hardware", 14},
    kCommunication{"Communication", 16}, kOverlap{"Overlap Analysis", 31};
constexpr std::uint32_t kDevices = 32;  // the most that a process id can hold

class TimeLine {
 public:
  explicit TimeLine(const ProfiledDevice& device) : device_(device) {}
  std::string take() {
    const bool watched = std::ranges::any_of(device_.profile.steps,
                                             [](const ProfiledStep& step) { return !step.waits.empty(); });
    if (watched) add_host();
    add_hardware();
    add_exchanges();
    add_overlap();
    return events_.dump() + '\n';
  }

 private:
  std::uint64_t pid(const Process& process) const {
    return (std::uint64_t{device_.rank} + 1) << 10U | process.sort_index << 5U | device_.rank % kDevices;
  }
  void describe(const Process& process, std::uint32_t thread, const char* what, Json args) {
    events_.push_back(
        {{"ph", "M"}, {"name", what}, {"pid", pid(process)}, {"tid", thread}, {"args", std::move(args)}});
  }
  void process(const Process& process) {
    describe(process, 0, "process_name", {{"name", process.name}});
    describe(process, 0, "process_labels", {{"labels", fmt::format("NPU {}", device_.rank)}});
    describe(process, 0, "process_sort_index", {{"sort_index", process.sort_index}});
  }
  void thread(const Process& process, std::uint32_t number, const std::string& name) {
    describe(process, number, "thread_name", {{"name", name}});
    describe(process, number, "thread_sort_index", {{"sort_index", number}});
  }
  void slice(const Process& process, std::uint32_t thread, std::string_view name, Duration from, Duration to,
             Json args) {
    events_.push_back({{"ph", "X"},
                       {"name", name},
                       {"pid", pid(process)},
                       {"tid", thread},
                       {"ts", microsecond_time(from)},
                       {"dur", microseconds_of(to - from)},
                       {"args", std::move(args)}});
  }
  void slices(std::uint32_t thread, std::string_view name, const Times& times) {
    this->thread(kOverlap, thread, std::string(name));
    for (const Times::interval_type& time : times)
      slice(kOverlap, thread, name, Duration(time.lower()), Duration(time.upper()), Json::object());
  }

  void add_hardware() {
    process(kHardware);
    std::uint32_t streams = 0;
    for (const ProfiledStep& step : device_.profile.steps)
      for (const ProfiledKernel& kernel : step.kernels) streams = std::max(streams, kernel.stream + 1);
    for (std::uint32_t s = 0; s < streams; ++s) thread(kHardware, s, fmt::format("Stream {}", s));
    for (const ProfiledStep& step : device_.profile.steps)
      for (const ProfiledKernel& kernel : step.kernels) add_kernel(kernel, connections_++);
  }
  void add_kernel(const ProfiledKernel& kernel, std::size_t number) {
    slice(kHardware, kernel.stream, kernel.name, kernel.start, kernel.end,
          {{"Model Id", 4294967295U},
           {"Task Type", core_of(kernel)},
           {"Physic Stream Id", kernel.stream},
           {"Stream Id", kernel.stream},
           {"Task Id", number},
           {"Batch Id", 0},
           {"Subtask Id", 4294967295U},
           {"connection_id", number}});
  }

  // Adds steps as the framework marks them, host events, and the fill of the queues of batches.
  void add_host() {
    process(kPython);
    thread(kPython, 0, "Thread 0");
    process(kCann);
    thread(kCann, 0, "Thread 0");
    for (const ProfiledStep& step : device_.profile.steps) {
      slice(kPython, 0, fmt::format("ProfilerStep#{}", step.number), step.start, step.start + step.length,
            Json::object());
      if (step.fill) add_fill(step);
      for (const ProfiledHostEvent& event : step.host) {
        const std::string_view name = std::ranges::find(kHostNames, event.kind, &HostName::first)->second;
        const bool python = name.find('@') == std::string_view::npos;
        slice(python ? kPython : kCann, 0, name, event.start, event.end, {{"sim step", step.number}});
      }
    }
  }
  void add_fill(const ProfiledStep& step) {
    const Duration at = step.kernels.empty() ? step.start : step.kernels.front().start;
    Json fill = Json::object();
    for (std::size_t q = 0; q < kQueueNames.size(); ++q) fill[std::string(kQueueNames[q])] = (*step.fill)[q];
    events_.push_back({{"ph", "C"},
                       {"name", kDataQueuesCounter},
                       {"pid", pid(kPython)},
                       {"tid", 0},
                       {"ts", microsecond_time(at)},
                       {"args", std::move(fill)}});
  }

  void add_exchanges() {
    process(kCommunication);
    thread(kCommunication, 0, fmt::format("Group {} Communication", kGroup));
    const bool puts = std::ranges::any_of(device_.profile.steps,
                                          [](const ProfiledStep& step) { return !step.puts.empty(); });
    if (puts) thread(kCommunication, 1, "Plane 0");
    for (const ProfiledStep& step : device_.profile.steps) {
      for (std::size_t e = 0; e < step.exchanges.size(); ++e)
        add_exchange(exchange_name(step.exchanges[e], e), step.exchanges[e].start, step.exchanges[e].end,
                     step.exchanges[e].puts.size());
      for (const ProfiledWait& wait : step.waits) add_exchange(wait.name, wait.start, wait.end, 0);
      for (const ProfiledPut& put : step.puts) add_put(put);
    }
  }
  void add_exchange(const std::string& name, Duration start, Duration end, std::size_t count) {
    slice(kCommunication, 0, name, start, end,
          {{"connection_id", connections_++},
           {"model id", 4294967295U},
           {"alg_type", "MESH"},
           {"count", count},
           {"relay", "no"},
           {"retry", "no"}});
  }
  void add_put(const ProfiledPut& put) {
    slice(kCommunication, 1, put.name, put.start, put.end,
          {{"src rank", device_.rank},
           {"dst rank", put.dst},
           {"transport type", "SDMA"},
           {"size(Byte)", put.bytes},
           {"link type", put.plane}});
  }

  void add_overlap() {
    Times all, computing, communicating;
    for (const ProfiledStep& step : device_.profile.steps) {
      if (step.length > Duration::zero()) add_stretch(all, step.start, step.start + step.length);
      computing += step.computing;
      communicating += step.communicating;
    }
    process(kOverlap);
    slices(0, "Computing", computing);
    slices(1, "Communication", communicating);
    slices(2, "Communication(Not Overlapped)", communicating - computing);
    slices(3, "Free", all - computing - communicating);
  }

  using HostName = std::pair<HostKind, std::string_view>;
  const ProfiledDevice& device_;
  std::size_t connections_ = 0;
  Json events_ = Json::array();
};

}  // namespace

std::string trace_view_json(const ProfiledDevice& device) { return TimeLine(device).take(); }

}  // namespace a3sim
