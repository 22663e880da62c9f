#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/scratch_directory.h"

namespace a3sim {

// Profiles as the profilers of Ascend write them: in the public formats of CANN 8.0 and 8.3, and as SQLite. Times are in
// microseconds behind the begin of the profile.
namespace written {

inline constexpr std::int64_t kBegin = 1'742'490'378'000'000;

struct Kernel {
  int step = 0;
  std::string type, core = "AI_CORE";
  double start = 0, length = 0;
  std::string shapes = "128,64;64,32", out = "128,32", state = "static";
  // Parts of its time: mac, scalar, mte2 of AIC; vec, scalar, mte2 of AIV.
  double mac = 0, cube_scalar = 0, cube_load = 0, vec = 0, scalar = 0, load = 0;
};

struct Exchange {
  int step = 0;
  std::string name, group;  // hcom_allReduce__483_0_1
  double start = 0, length = 0, transfer = 0, wait = 0;
  double megabytes = 0;
  bool pair = false;
};

struct Call {
  std::string name;
  double start = 0, length = 0;
};

struct Step {
  int number = 0;
  double computing = 0, exposed = 0, overlapped = 0, free = 0;
};

struct Rank {
  std::vector<Kernel> kernels;
  std::vector<Exchange> exchanges;
  std::vector<Call> calls;
  std::vector<Step> steps;
};

enum class Style { k80, k83, kDatabase };

inline std::string time_of(double us) {
  const auto ns = static_cast<std::int64_t>(std::llround(us * 1000));
  return fmt::format("{}.{:03}", kBegin + ns / 1000, ns % 1000);
}

inline std::string kernel_table(const Rank& rank, bool collectives = true) {
  std::string text =
      "Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start "
      "Time(us),Duration(us),Wait "
      "Time(us),Block Num,Mix Block Num,Input Shapes,Input Data Types,Input Formats,Output Shapes,Output "
      "Data Types,Output "
      "Formats,aicore_time(us),aic_mac_ratio,aic_scalar_ratio,aic_mte2_ratio,aiv_time(us),aiv_vec_ratio,aiv_"
      "scalar_ratio,"
      "aiv_mte2_ratio\n";
  std::vector<std::pair<double, std::string>> rows;
  for (const Kernel& k : rank.kernels) {
    const bool vector = k.core == "AI_VECTOR_CORE";
    rows.emplace_back(
        k.start,
        fmt::format(
            "{},0,4294967295,1,2,aclnn{}_{},{},{},{},\"{}\t\",{},0,20,0,\"\"\"{}\"\"\",DT_BF16;DT_BF16,ND;ND,"
            "\"\"\"{}\"\"\",DT_BF16,ND,{},{},{},{},{},{},{},{}\n",
            k.step, k.type, k.type, k.type, k.state, k.core, time_of(k.start), k.length, k.shapes, k.out,
            vector ? 0 : k.length, k.mac, k.cube_scalar, k.cube_load, vector ? k.length : 0, k.vec, k.scalar,
            k.load));
  }
  for (const Exchange& e : rank.exchanges)
    if (collectives)
      rows.emplace_back(
          e.start,
          fmt::format("{},0,4294967295,N/A,N/A,{},{}_,N/A,COMMUNICATION,\"{}\t\",{},0,0,0,N/A,N/A,N/A,N/A,"
                      "N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A\n",
                      e.step, e.name, e.name.substr(0, e.name.find("__")), time_of(e.start), e.length));
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [start, row] : rows) text += row;
  return text;
}

// CANN 8.3 has no transit time of large exchanges, and their waits as idle time.
inline std::string exchange_json(const Exchange& e, Style style) {
  const bool told = style == Style::k80;
  const double transfer = e.transfer / 1000, wait = e.wait / 1000, elapsed = e.length / 1000;
  return fmt::format(
      R"json("{}@{}":{{"Communication Time Info":{{"Start Timestamp(us)":{:.3f},"Elapse Time(ms)":{},"Transit Time(ms)":{},)json"
      R"json("Wait Time(ms)":{},"Synchronization Time(ms)":0,"Idle Time(ms)":{},"Wait Time Ratio":0,)json"
      R"json("Synchronization Time Ratio":0}},"Communication Bandwidth Info":{{)json"
      R"json("RDMA":{{"Transit Size(MB)":0,"Transit Time(ms)":0,"Bandwidth(GB/s)":0,"Large Packet Ratio":0,"Size Distribution":{{}}}},)json"
      R"json("HCCS":{{"Transit Size(MB)":{},"Transit Time(ms)":{},"Bandwidth(GB/s)":{},"Large Packet Ratio":1,"Size Distribution":{{}}}},)json"
      R"json("SDMA":{{"Transit Size(MB)":{},"Transit Time(ms)":{},"Bandwidth(GB/s)":{},"Large Packet Ratio":1,"Size Distribution":{{}}}}}}}})json",
      e.name, e.group, static_cast<double>(kBegin) + e.start, elapsed, told ? transfer : 0.0,
      told ? wait : 0.0, told ? elapsed - transfer - wait : elapsed - transfer, e.megabytes, transfer,
      transfer > 0 ? e.megabytes / transfer : 0, e.megabytes, transfer,
      transfer > 0 ? e.megabytes / transfer : 0);
}

inline std::string communication(const Rank& rank, Style style) {
  std::vector<int> steps;
  for (const Exchange& e : rank.exchanges)
    if (std::find(steps.begin(), steps.end(), e.step) == steps.end()) steps.push_back(e.step);
  std::string text;
  for (const int step : steps) {
    std::string pairs, collectives;
    for (const Exchange& e : rank.exchanges) {
      if (e.step != step) continue;
      std::string& to = e.pair ? pairs : collectives;
      to += (to.empty() ? "" : ",") + exchange_json(e, style);
    }
    text += fmt::format("{}\"step{}\":{{\"p2p\":{{{}}},\"collective\":{{{}}}}}", text.empty() ? "" : ",",
                        step, pairs, collectives);
  }
  return "{" + text + "}";
}

inline std::string step_table(const Rank& rank) {
  std::string text =
      "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,"
      "Communication(Not Overlapped and Exclude Receive),Preparing\n";
  for (const Step& s : rank.steps)
    text += fmt::format("0,{},{},{},{},{},{},0,0,0,0\n", s.number, s.computing, s.exposed, s.overlapped,
                        s.exposed + s.overlapped, s.free);
  return text;
}

inline std::string time_line(const Rank& rank) {
  std::string text;
  for (const Call& call : rank.calls)
    text += fmt::format(R"json({}{{"ph":"X","name":"{}","pid":1,"tid":1,"ts":"{}","dur":{}}})json",
                        text.empty() ? "" : ",", call.name, time_of(call.start), call.length);
  return "[" + text + "]";
}

inline std::string home(int rank) { return fmt::format("node_{}_20250320_ascend_pt", 100 + rank); }
inline std::string output(int rank) { return home(rank) + "/ASCEND_PROFILER_OUTPUT"; }

}  // namespace written

// Writes a rank's files. `kernels`: false for communication files alone.
inline void write_rank(const ScratchDirectory& folder, int number, const written::Rank& rank,
                       written::Style style = written::Style::k83, bool kernels = true) {
  const std::string out = written::output(number);
  folder.add(fmt::format("{}/profiler_info_{}.json", written::home(number), number), "{}");
  if (kernels) folder.add(out + "/kernel_details.csv", written::kernel_table(rank));
  if (!rank.exchanges.empty()) folder.add(out + "/communication.json", written::communication(rank, style));
  if (!rank.steps.empty()) folder.add(out + "/step_trace_time.csv", written::step_table(rank));
  if (!rank.calls.empty()) folder.add(out + "/trace_view.json", written::time_line(rank));
}

}  // namespace a3sim
