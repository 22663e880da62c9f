#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "traces/formats/ascend/ascend_files.h"

// The profiler's timeline: Chrome's JSON with the processes that its readers look for.
namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;

struct Process {
  std::string_view name;
  std::uint32_t sort_index;
};
constexpr Process kHardware{"Ascend Hardware", 14}, kCommunication{"Communication", 16},
    kOverlap{"Overlap Analysis", 31};
constexpr std::uint32_t kDevices = 32;  // a process id holds so many

class TimeLine {
 public:
  explicit TimeLine(const ProfiledDevice& device) : device_(device) {}
  std::string take() {
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
                       {"ts", microsecond_date(from)},
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
    for (const ProfiledKernel& kernel : device_.of.kernels) streams = std::max(streams, kernel.stream + 1);
    for (std::uint32_t s = 0; s < streams; ++s) thread(kHardware, s, fmt::format("Stream {}", s));
    for (std::size_t k = 0; k < device_.of.kernels.size(); ++k) {
      const ProfiledKernel& kernel = device_.of.kernels[k];
      slice(kHardware, kernel.stream, kernel.name, kernel.start, kernel.end,
            {{"Model Id", 4294967295U},
             {"Task Type", core_of(kernel)},
             {"Physic Stream Id", kernel.stream},
             {"Stream Id", kernel.stream},
             {"Task Id", k},
             {"Batch Id", 0},
             {"Subtask Id", 4294967295U},
             {"connection_id", k}});
    }
  }

  void add_exchanges() {
    process(kCommunication);
    thread(kCommunication, 0, fmt::format("Group {} Communication", kGroup));
    for (std::size_t e = 0; e < device_.of.exchanges.size(); ++e) {
      const ProfiledExchange& exchange = device_.of.exchanges[e];
      slice(kCommunication, 0, exchange_name(exchange, e), exchange.start, exchange.end,
            {{"connection_id", device_.of.kernels.size() + e},
             {"model id", 4294967295U},
             {"alg_type", "MESH"},
             {"count", exchange.puts.size()},
             {"relay", "no"},
             {"retry", "no"}});
    }
  }

  void add_overlap() {
    const ProfiledRank& rank = device_.of;
    Times all;
    if (rank.length > Duration::zero()) all += Times::interval_type::right_open(0, rank.length.count());
    process(kOverlap);
    slices(0, "Computing", rank.computing);
    slices(1, "Communication", rank.communicating);
    slices(2, "Communication(Not Overlapped)", rank.communicating - rank.computing);
    slices(3, "Free", all - rank.computing - rank.communicating);
  }

  const ProfiledDevice& device_;
  Json events_ = Json::array();
};

}  // namespace

std::string trace_view_json(const ProfiledDevice& device) { return TimeLine(device).take(); }

}  // namespace a3sim
