#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "traces/formats/ascend/ascend_files.h"
#include "traces/report/table.h"

// The profiler's CSV files.
namespace a3sim {
namespace {

// Returns the time per worker, in microseconds.
double share(Duration sum, std::uint32_t workers) { return microseconds(sum) / workers; }

std::string hit_rate(const ProfiledKernel& kernel) {
  return kernel.hit_rate ? fmt::format("{:.3f}", 100 * *kernel.hit_rate) : "N/A";
}

// Returns the shapes of inputs and of outputs, each in quotes of its own.
std::pair<std::string, std::string> shapes_of(const ProfiledKernel& kernel) {
  if (!kernel.counters) return {"N/A", "N/A"};
  const ProfiledCounters& counters = *kernel.counters;
  const std::string out = fmt::format("\"\"\"{},{}\"\"\"", counters.rows, counters.columns);
  if (counters.inner == 0) return {out, out};
  return {
      fmt::format("\"\"\"{},{};{},{}\"\"\"", counters.rows, counters.inner, counters.inner, counters.columns),
      out};
}

std::string counters(const ProfiledKernel& kernel) {
  const ProfiledCounters counters = kernel.counters.value_or(ProfiledCounters());
  const std::string cycles = fmt::format("{:.0f}", counters.clock * seconds(kernel.run));
  const bool cube = kernel.unit == TaskUnit::kCube;
  return fmt::format(",{},{},{:.3f},{:.3f}", cube ? cycles : "0", cube ? "0" : cycles,
                     counters.hbm_bytes / 1024, counters.l2_bytes / 1024);
}

}  // namespace

// Times of a core are means over the workers that ran its tasks. Insight shows every column after
// aicore_time(us), so ours are the last ones.
std::string kernel_details_csv(const ProfiledDevice& device) {
  std::string csv =
      "Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start Time(us),"
      "Duration(us),Wait Time(us),Block Num,Mix Block Num,HF32 Eligible,Input Shapes,Input Data Types,"
      "Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID,aicore_time(us),"
      "aic_mac_time(us),aic_mac_ratio,aiv_time(us),aiv_vec_time(us),aiv_vec_ratio,sim_l2_hit(%)";
  const bool counted = device.counted();
  csv += counted ? ",aic_total_cycles,aiv_total_cycles,sim_hbm(KB),sim_l2(KB)\n" : "\n";
  std::size_t task = 0;
  for (const ProfiledStep& step : device.profile.steps) {
    for (const ProfiledKernel& kernel : step.kernels) {
      const double run = share(kernel.run, kernel.workers), busy = share(kernel.arithmetic, kernel.workers);
      const std::string shares = fmt::format("{:.3f},{:.3f},{:.3f}", run, busy, run > 0 ? busy / run : 0);
      const bool cube = kernel.unit == TaskUnit::kCube;
      const std::string name = spreadsheet_cell(std::string(kernel.name));
      const auto [in, out] = shapes_of(kernel);
      // The tab keeps spreadsheets from rounding the time.
      fmt::format_to(std::back_inserter(csv),
                     "{},{},4294967295,{},{},{},{},static,{},\"{}\t\",{:.3f},{:.3f},", step.number,
                     device.rank, task++, kernel.stream, name, name, core_of(kernel),
                     microsecond_time(kernel.start), microseconds_of(kernel.end - kernel.start),
                     microseconds_of(kernel.wait));
      fmt::format_to(std::back_inserter(csv), "{},0,NO,{},N/A,N/A,{},N/A,N/A,N/A,{},{},{}", kernel.workers,
                     in, out, cube ? shares : "0,0,0", cube ? "0,0,0" : shares, hit_rate(kernel));
      if (counted) csv += counters(kernel);
      csv += '\n';
    }
  }
  return csv;
}

std::string op_statistic_csv(const ProfiledDevice& device) {
  struct Sum {
    std::string_view core;
    int count = 0;
    double total = 0, least = 0, most = 0;
  };
  std::map<std::string_view, Sum> sums;
  double all = 0;
  for (const ProfiledStep& step : device.profile.steps) {
    for (const ProfiledKernel& kernel : step.kernels) {
      Sum& sum = sums[kernel.name];
      const double time = microseconds_of(kernel.end - kernel.start);
      sum.core = core_of(kernel);
      sum.least = sum.count == 0 ? time : std::min(sum.least, time);
      sum.most = std::max(sum.most, time);
      sum.total += time;
      ++sum.count;
      all += time;
    }
  }
  std::string csv =
      "Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)\n";
  for (const auto& [name, sum] : sums)
    fmt::format_to(std::back_inserter(csv), "{},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f}\n", device.rank,
                   spreadsheet_cell(std::string(name)), sum.core, sum.count, sum.total, sum.least,
                   sum.total / sum.count, sum.most, all > 0 ? 100 * sum.total / all : 0);
  return csv;
}

std::string step_trace_time_csv(const ProfiledDevice& device) {
  std::string csv =
      "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,"
      "Communication(Not Overlapped and Exclude Receive),Preparing\n";
  for (const ProfiledStep& step : device.profile.steps) {
    const double computing = microseconds(length_of(step.computing));
    const double communication = microseconds(length_of(step.communicating));
    const double overlapped = microseconds(length_of(step.computing & step.communicating));
    const double length = microseconds(step.length);
    Duration bubble{}, preparing{};
    Times but_receives = step.communicating - step.computing;
    for (const ProfiledWait& wait : step.waits) {
      if (wait.meeting || wait.start >= wait.end) continue;
      bubble += wait.waited;
      Times receive;
      add_stretch(receive, wait.start, wait.end);
      but_receives -= receive;
    }
    if (!step.kernels.empty()) preparing = step.kernels.front().start - step.start;
    fmt::format_to(
        std::back_inserter(csv), "{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f}\n",
        device.rank, step.number, computing, communication - overlapped, overlapped, communication,
        length - computing - communication + overlapped, length - microseconds(bubble), microseconds(bubble),
        microseconds(length_of(but_receives)), step.waits.empty() ? 0 : microseconds(preparing));
  }
  return csv;
}

std::string l2_cache_csv(const ProfiledDevice& device) {
  std::string csv = "Device_id,Stream Id,Task Id,Hit Rate,Victim Rate,Op Name\n";
  std::size_t task = 0;
  for (const ProfiledStep& step : device.profile.steps) {
    for (const ProfiledKernel& kernel : step.kernels) {
      const std::size_t number = task++;
      if (kernel.hit_rate)
        fmt::format_to(std::back_inserter(csv), "{},{},{},{:.6f},N/A,{}\n", device.rank, kernel.stream,
                       number, *kernel.hit_rate, spreadsheet_cell(std::string(kernel.name)));
    }
  }
  return csv;
}

}  // namespace a3sim
