#include <zlib.h>

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/traces/made_trace.h"
#include "traces/formats/counters.h"
#include "traces/formats/gzip.h"
#include "traces/formats/trace_format.h"

using namespace a3sim;

namespace {

constexpr Duration kStretch = 100_ps;

// Two ranks; a put of rank 0 completes what a matrix task of rank 1 waits for.
Trace two_ranks() {
  MadeTrace made(Way::kStatic, 2);
  TraceTask& vector = made.task(MadeTrace::kVectorOp, 2, 1000_ps, 1010_ps, 1250_ps, kNone, 0);
  vector.hbm_bytes = 480;
  vector.l2_hits = 30;
  vector.l2_misses = 10;
  made.put(3, 1000_ps, 1300_ps, 1500_ps, 0, 1, 5).put_bytes = 4000;
  made.task(MadeTrace::kCubeOp, 0, 1000_ps, 1550_ps, 1900_ps, 5, 6, 1).expert = 3;
  return made.trace();
}

const Counter& counter(const std::vector<Counter>& counters, std::string_view name) {
  for (const Counter& one : counters)
    if (one.name == name) return one;
  FAIL("no counter " << name);
  return counters.front();
}

double total(const Counter& counter) {
  double sum = 0;
  for (const std::optional<double> mean : counter.means) sum += mean.value_or(0);
  return sum * static_cast<double>(kStretch.count());
}

nlohmann::json records(const nlohmann::json& trace) {
  nlohmann::json records = nlohmann::json::array();
  for (const nlohmann::json& event : trace["traceEvents"])
    if (event["ph"] == "X") records.push_back(event);
  return records;
}

}  // namespace

TEST_CASE("counters: what is spread over time sums to what was moved") {
  const Trace trace = two_ranks();
  const Causes causes(trace);
  const std::vector<std::vector<Counter>> by_rank = counters_of(causes, kStretch);
  REQUIRE(by_rank.size() == 2);
  constexpr double kPerPicosecond = 1000;  // GB/s
  CHECK(total(counter(by_rank[0], "HBM")) == Approx(480 * kPerPicosecond));
  CHECK(total(counter(by_rank[0], "L2 reads")) == Approx(40 * kL2Request * kPerPicosecond));
  CHECK(total(counter(by_rank[0], "link out")) == Approx(4000 * kPerPicosecond));
  CHECK(total(counter(by_rank[1], "link in")) == Approx(4000 * kPerPicosecond));
  CHECK(total(counter(by_rank[1], "link out")) == 0);
  CHECK(total(counter(by_rank[0], "AIV running")) == Approx(240 + 200));
  CHECK(total(counter(by_rank[1], "AIC running")) == Approx(350));
  // 480 bytes in 240 ps, of which stretch 11 has 100.
  CHECK(*counter(by_rank[0], "HBM").means[11] == Approx(2 * kPerPicosecond));
  CHECK(*counter(by_rank[0], "L2 hit rate").means[10] == Approx(75));
  CHECK_FALSE(counter(by_rank[0], "L2 hit rate").means[0].has_value());
  // The put could run from what its worker saw of the vector task until its start, the matrix task from the
  // put's arrival.
  CHECK(total(counter(by_rank[0], "ready tasks")) == Approx(10 + (1300 - 1250 - kPollTime.count())));
  CHECK(total(counter(by_rank[1], "ready tasks")) == Approx(1550 - 1500 - kHopTime.count()));
}

TEST_CASE("counters: a rank sends no more than its ports allow, and all that it puts") {
  // Two puts, of which the second began while the first had the port to itself.
  MadeTrace made(Way::kStatic, 2);
  constexpr double kPort = 1000;  // GB/s, a byte per picosecond
  made.put(2, 0_ps, 0_ps, 1000_ps, kNone, 1, 0).put_bytes = 900;
  made.put(3, 0_ps, 800_ps, 1600_ps, kNone, 1, 1).put_bytes = 600;
  for (TraceTask& task : made.trace().ranks[0]) task.done = task.end;
  const Causes causes(made.trace());
  const std::vector<std::vector<Counter>> by_rank = counters_of(causes, kStretch);
  const Counter& out = counter(by_rank[0], "link out");
  CHECK(out.limit == kPort);
  CHECK(total(out) == Approx((900 + 600) * kPort));
  double most = 0;
  for (const std::optional<double>& mean : out.means) most = std::max(most, *mean);
  CHECK(most == Approx(kPort));
}

TEST_CASE("counters: kernels have no tasks that could run before they start") {
  MadeTrace made(Way::kKernel);
  made.task(MadeTrace::kCubeOp, 0, kLaunchTime, kLaunchTime, kLaunchTime + 500_ps, kNone, 0);
  const Causes causes(made.trace());
  const std::vector<std::vector<Counter>> by_rank = counters_of(causes, kStretch);
  for (const std::optional<double> mean : counter(by_rank[0], "ready tasks").means)
    CHECK_FALSE(mean.has_value());
}

TEST_CASE("cycles: each task has its phases, with the runtime's names and its counter's cycles") {
  TracedPass pass{"forward", two_ranks()};
  pass.trace.operators[MadeTrace::kCubeOp].name = "GMM_w1_grad";
  pass.trace.operators[MadeTrace::kVectorOp].name = "a \"name\"";
  for (TraceTask& task : pass.trace.ranks[0]) {  // long enough for whole cycles
    for (Duration* time : {&task.taken, &task.start, &task.end, &task.done, &task.visible}) *time *= 1000;
    task.ideal = task.end - task.start;
  }
  pass.trace.ranks[1].clear();
  pass.trace.makespan *= 1000;
  TraceTask matrix;
  matrix.op = MadeTrace::kCubeOp;
  matrix.dependent_event = 5;
  matrix.trigger_rank = 1;
  matrix.trigger_event = 6;
  matrix.expert = 3;
  matrix.taken = 1'000'000_ps;
  matrix.start = 1'550'000_ps;
  matrix.end = matrix.done = matrix.visible = 1'900'000_ps;
  pass.trace.ranks[1].push_back(matrix);
  const std::vector<TracedPass> passes{pass, pass};
  const std::string text = TraceFormats::get("cycles").write(passes).front().contents;
  CHECK(text == TraceFormats::get("cycles").write(passes).front().contents);
  const auto trace = nlohmann::json::parse(text);
  const nlohmann::json& about = trace["megaKernelCycleTrace"];
  CHECK(about["schemaVersion"] == 1);
  CHECK(about["droppedRecordCount"] == 0);
  CHECK(about["invocationCount"] == 2);
  const nlohmann::json events = records(trace);
  REQUIRE(about["recordCount"] == events.size());
  REQUIRE(events.size() == 2 * 7);  // vector: run, trigger; put: wait, run; matrix: all three
  CHECK(events[0]["name"] == "a \"name\"");
  CHECK(events[1]["name"] == "a \"name\"_TriggerEvent");
  CHECK(events[4]["name"] == "W1Grad_WaitDependency");
  CHECK(events[4]["ts"] == 1.0);
  CHECK(events[4]["dur"] == 0.55);
  CHECK(events[5]["name"] == "W1Grad");
  CHECK(events[5]["args"]["start_cycle"] == 77);
  CHECK(events[5]["args"]["end_cycle"] == 95);
  CHECK(events[5]["args"]["owner_id"] == 3);
  CHECK(events[5]["args"]["core_type"] == "AIC");
  CHECK(events[0]["args"]["core_type"] == "AIV");
  CHECK(events[0]["args"]["block_id"] == 0);
  CHECK(events[0]["args"]["owner_id"] == -1);
  // The second pass begins where the first has ended.
  CHECK(events[7 + 5]["args"]["invocation_id"] == 1);
  CHECK(events[7 + 5]["ts"].get<double>() ==
        Approx(events[5]["ts"].get<double>() + 1e-6 * pass.trace.makespan.count()));
}

TEST_CASE("gzip: what zlib unpacks is what was packed, also of nothing") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{300'000}}) {
    std::string text(size, 'a');
    for (std::size_t i = 0; i < size; i += 7) text[i] = static_cast<char>(i * 2654435761U >> 13U);
    const std::string packed = gzip(text);
    std::string unpacked(size + 1, '\0');
    z_stream stream{};
    REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(unpacked.data());
    stream.avail_out = static_cast<uInt>(unpacked.size());
    CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
    inflateEnd(&stream);
    CHECK(stream.total_out == size);
    CHECK(unpacked.compare(0, size, text) == 0);
  }
}

namespace {

std::string file_of(const std::vector<OutputFile>& files, const std::string& end) {
  for (const OutputFile& file : files)
    if (file.path.ends_with(end)) return file.contents;
  FAIL("no file " << end);
  return "";
}

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, by);) parts.push_back(part);
  return parts;
}

// A row's cells by their columns' names.
std::map<std::string, std::string> row(const std::string& csv, std::size_t number) {
  const std::vector<std::string> lines = split(csv, '\n');
  const std::vector<std::string> names = split(lines.at(0), ','), cells = split(lines.at(1 + number), ',');
  REQUIRE(names.size() == cells.size());
  std::map<std::string, std::string> row;
  for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = cells[i];
  return row;
}

// Microseconds instead of picoseconds, so that three digits hold all.
std::vector<TracedPass> slow_pass() {
  TracedPass pass{"forward", two_ranks()};
  for (std::vector<TraceTask>& tasks : pass.trace.ranks) {
    for (TraceTask& task : tasks) {
      for (Duration* time : {&task.taken, &task.start, &task.end, &task.done, &task.visible, &task.ideal})
        *time *= 1'000'000;
    }
  }
  pass.trace.ranks[0][0].arithmetic = 60_us;
  pass.trace.makespan *= 1'000'000;
  return {pass, pass};
}

}  // namespace

TEST_CASE("ascend: a rank's directory has its kernels, with the columns of the profiler") {
  const std::vector<OutputFile> files = TraceFormats::get("ascend").write(slow_pass());
  CHECK(files.size() == 2 * 9);
  const std::string csv =
      file_of(files, "sim_1_1700000000000_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv");
  CHECK(split(csv, '\n').size() == 1 + 2);  // the vector kernel of both passes; puts are no kernels
  auto first = row(csv, 0), second = row(csv, 1);
  CHECK(first["Name"] == "vector");
  CHECK(first["Accelerator Core"] == "AI_VECTOR_CORE");
  CHECK(first["Start Time(us)"] == "\"1700000000001010.000\t\"");
  CHECK(first["Duration(us)"] == "240.000");
  CHECK(first["Wait Time(us)"] == "1010.000");
  CHECK(first["Block Num"] == "1");
  CHECK(first["aiv_time(us)"] == "240.000");
  CHECK(first["aiv_vec_time(us)"] == "60.000");
  CHECK(first["aiv_vec_ratio"] == "0.250");
  CHECK(first["sim_l2_hit(%)"] == "75.000");
  CHECK(second["Start Time(us)"] == "\"1700000000002910.000\t\"");  // a pass takes 1,900 us
  CHECK(second["Wait Time(us)"] == "1660.000");
  auto cube =
      row(file_of(files, "sim_2_1700000000000_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv"), 0);
  CHECK(cube["Accelerator Core"] == "AI_CORE");
  CHECK(cube["aicore_time(us)"] == "350.000");
  CHECK(cube["sim_l2_hit(%)"] == "N/A");
}

TEST_CASE("ascend: the parts of a step sum to it") {
  const std::vector<OutputFile> files = TraceFormats::get("ascend").write(slow_pass());
  const auto records_of = [&](const std::string& rank) {
    return row(
        file_of(files, "sim_" + rank + "_1700000000000_ascend_pt/ASCEND_PROFILER_OUTPUT/step_trace_time.csv"),
        0);
  };
  auto first = records_of("1"), second = records_of("2");
  CHECK(first["Stage"] == "3800.000");
  CHECK(first["Computing"] == "480.000");
  CHECK(first["Communication"] == "480.000");  // until the other rank sees it
  CHECK(first["Overlapped"] == "0.000");
  CHECK(first["Free"] == "2840.000");
  CHECK(second["Computing"] == "700.000");
  CHECK(second["Communication"] == "0.000");
}

TEST_CASE("ascend: what is sent is in the communication files, and the timeline has its processes") {
  const std::vector<OutputFile> files = TraceFormats::get("ascend").write(slow_pass());
  const std::string output = "sim_1_1700000000000_ascend_pt/ASCEND_PROFILER_OUTPUT/";
  const auto sent = nlohmann::json::parse(file_of(files, output + "communication.json"));
  const nlohmann::json& put = sent["step1"]["collective"]["hcom_alltoallv__put_0@sim_expert_group"];
  CHECK(put["Communication Time Info"]["Elapse Time(ms)"].get<double>() == Approx(0.24));
  CHECK(put["Communication Time Info"]["Transit Time(ms)"].get<double>() == Approx(0.2));
  const nlohmann::json& hccs = put["Communication Bandwidth Info"]["HCCS"];
  CHECK(hccs["Transit Size(MB)"].get<double>() == Approx(0.004));
  CHECK(hccs["Size Distribution"]["0.004"][0] == 1);
  const nlohmann::json& all = sent["step1"]["collective"]["Total Op Info"]["Communication Bandwidth Info"];
  CHECK(all["SDMA"]["Transit Size(MB)"].get<double>() == Approx(0.008));
  const auto matrix = nlohmann::json::parse(file_of(files, output + "communication_matrix.json"));
  CHECK(matrix["step1"]["collective"]["alltoallv-total@sim_expert_group"]["0-1"]["Transit Size(MB)"]
            .get<double>() == Approx(0.008));
  const auto timeline = nlohmann::json::parse(file_of(files, output + "trace_view.json"));
  std::set<std::string> processes;
  double computing = 0;
  for (const nlohmann::json& event : timeline) {
    if (event["name"] == "process_name") processes.insert(event["args"]["name"].get<std::string>());
    if (event["ph"] == "X") CHECK(event["ts"].is_string());
    if (event["ph"] == "X" && event["name"] == "Computing") computing += event["dur"].get<double>();
  }
  CHECK(processes == std::set<std::string>{"Ascend Hardware", "Communication", "Overlap Analysis"});
  CHECK(computing == Approx(480));
}
