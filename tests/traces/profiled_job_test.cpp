#include "traces/import/profiled_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "tests/scratch_directory.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

constexpr const char* kOutput = "ASCEND_PROFILER_OUTPUT/";

std::string folder_of(unsigned rank) { return fmt::format("node{}_{}_ascend_pt/", rank / 2, rank); }

// One rank: two steps of a product of 100 us, then an all-reduce of 20 us, half of it waiting. `ahead`: of its clock;
// `begins`: so long after the step.
void add_rank(const ScratchDirectory& folder, unsigned rank, double ahead, double product = 100,
              double begins = 0) {
  folder.add(folder_of(rank) + fmt::format("profiler_info_{}.json", rank), "{}");
  std::string kernels =
      "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim,Input "
      "Shapes,Output Shapes,aicore_time(us),aic_mac_time(us),aic_total_cycles\n";
  std::string steps;
  for (unsigned step = 7; step < 9; ++step) {
    const double start = 1.7e9 + ahead + begins + (step - 7) * 200;
    kernels += fmt::format("{},MatMul,MatMul,AI_CORE,\"{:.3f}\t\",{},0,24,", step, start, product);
    kernels += fmt::format("\"\"\"128,64;64,32\"\"\",\"\"\"128,32\"\"\",{},90,{:.0f}\n", product,
                           product * 24 * 1800);
    steps += fmt::format(
        R"json({}"step{}":{{"p2p":{{}},"collective":{{"hcom_allReduce__1_{}@g":)json"
        R"json({{"Communication Time Info":{{"Start Timestamp(us)":{:.3f},"Elapse Time(ms)":{},)json"
        R"json("Transit Time(ms)":0.01,"Wait Time(ms)":0.01}}}}}}}})json",
        step > 7 ? "," : "", step, step, start + product, (120 - product - begins) / 1e3);
  }
  folder.add(folder_of(rank) + kOutput + "kernel_details.csv", kernels);
  folder.add(folder_of(rank) + kOutput + "communication.json", "{" + steps + "}");
}

std::vector<std::vector<LightRecord>> light(const ProfiledJob& job) {
  std::vector<std::vector<LightRecord>> steps;
  job.each_step([&](std::uint32_t, std::span<const LightRecord> records) {
    steps.emplace_back(records.begin(), records.end());
  });
  return steps;
}

std::vector<std::string> columns(const ProfiledJob& job) {
  std::vector<std::string> all;
  for (const Missing& missing : job.missing()) all.push_back(missing.column);
  return all;
}

}  // namespace

TEST_CASE("profiled job: ranks, steps and meetings, on one clock") {
  const ScratchDirectory folder;
  add_rank(folder, 0, 0);
  add_rank(folder, 1, 1000, 110);  // its clock is a millisecond ahead
  add_rank(folder, 2, -250);
  const ProfiledJob job(folder.path());
  REQUIRE(job.ranks() == 3);
  CHECK(job.nodes() == std::vector<std::uint32_t>{0, 0, 1});
  REQUIRE(job.full_steps().size() == 2);
  CHECK(job.number_of(1) == 8);
  const auto steps = light(job);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    const LightRecord& record = steps[1][rank];
    CHECK(microseconds(record.start) == Approx(200).margin(0.3));
    CHECK(microseconds(record.arrival) == Approx(rank == 1 ? 310 : 300).margin(0.3));
    CHECK(microseconds(record.release) == Approx(320).margin(0.3));
    CHECK(record.waited == Duration::zero());
    CHECK(static_cast<double>(record.late) == Approx(80).margin(1));  // from the end of the step before
    CHECK(record.rows == 128);
    CHECK(record.operations == 2.0 * 128 * 64 * 32);
  }
  const FullStep full = job.full(0);
  REQUIRE(full.operators.size() == 6);  // a product and what an exchange moves, of each
  CHECK(full.operators[0].arithmetic == 24 * 90'000'000_ps);
  CHECK(static_cast<double>(full.operators[0].clock) == Approx(1));
  CHECK(job.machine().aic == 24);
  CHECK(job.place_of(full.operators[0]).text ==
        "node0_0_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv:2");
}

TEST_CASE("profiled job: what a time line says of transfers and hosts") {
  const ScratchDirectory folder;
  add_rank(folder, 0, 0);
  add_rank(folder, 1, 0);
  folder.add(folder_of(1) + kOutput + "trace_view.json", R"json([
    {"ph":"X","name":"Copy","ts":"1700000010.5","dur":4,"args":{"src rank":1,"dst rank":0,"size(Byte)":4096}},
    {"ph":"X","name":"Copy","ts":"1700000210.5","dur":4,"args":{"src rank":1,"dst rank":9,"size(Byte)":4096}},
    {"ph":"X","name":"AscendCL@aclrtLaunchKernelWithConfig","ts":1700000190,"dur":5.5},
    {"ph":"X","name":"gen 2","cat":"GC","ts":"1700000205.0","dur":50},
    {"ph":"X","name":"aten::add","ts":"1700000205.0","dur":50},
    {"ph":"C","name":"sim data queues","ts":"1700000300","args":{"device":25,"host":50,"data":100}}])json");
  const ProfiledJob job(folder.path());
  const FullStep first = job.full(0), second = job.full(1);
  REQUIRE(first.transfers.size() == 1);  // there is no rank 9
  CHECK(second.transfers.empty());
  CHECK(first.transfers[0].end - first.transfers[0].start == 4'000'000_ps);
  REQUIRE(first.host.size() == 1);
  CHECK(first.host[0].kind == HostKind::kLaunch);
  REQUIRE(second.host.size() == 1);
  CHECK(second.host[0].kind == HostKind::kCollect);
  const auto steps = light(job);
  CHECK(steps[1][1].fill == std::array<std::uint8_t, 3>{25, 50, 100});
  CHECK(steps[1][0].fill[0] == kNoFill);
  CHECK(static_cast<double>(steps[0][0].transfer) == Approx(4));
  CHECK(static_cast<double>(steps[0][1].transfer) == Approx(4));
}

TEST_CASE(
    "profiled job: what a profile lacks is named, and a rank that was not profiled is nobody's suspect") {
  const ScratchDirectory folder;
  folder.add("a_ascend_pt/profiler_info_0.json", "{}");
  folder.add("a_ascend_pt/kernel_details.csv", "Name,Start Time(us),Duration(us)\nMatMul,5,10\nAdd,20,5\n");
  folder.add("b_ascend_pt/profiler_info_2.json", "{}");
  folder.add("b_ascend_pt/kernel_details.csv", "Name,Start Time(us),Duration(us)\nMatMul,5,30\n");
  const ProfiledJob job(folder.path());
  REQUIRE(job.ranks() == 3);
  const auto steps = light(job);
  REQUIRE(steps.size() == 1);
  CHECK(steps[0][1].arrival == steps[0][0].arrival);
  CHECK(job.full(0).ranks == std::vector<std::uint32_t>{0, 2});
  const std::vector<std::string> missing = columns(job);
  for (const char* column : {"kernel_details.csv: Step Id", "kernel_details.csv: aic_total_cycles",
                             "communication.json", "kernel_details.csv: Input Shapes, Output Shapes",
                             "trace_view.json: what hosts do", "profile of rank 1"})
    CHECK_THAT(missing, Catch::Matchers::VectorContains(std::string(column)));
}

TEST_CASE("profiled job: a rank that waited for its host does not stand for one that was not profiled") {
  const ScratchDirectory folder;
  add_rank(folder, 0, 0, 70, 30);  // done as early as rank 1, but 30 us late
  add_rank(folder, 1, 0);
  add_rank(folder, 3, 0);
  const auto steps = light(ProfiledJob(folder.path()));
  CHECK(static_cast<double>(steps[1][0].late) == Approx(110).margin(1));
  CHECK(static_cast<double>(steps[1][1].late) == Approx(80).margin(1));
  CHECK(static_cast<double>(steps[1][2].late) == Approx(80).margin(1));
}

TEST_CASE("profiled job: a rank that was left out of a step was not idle since the step before") {
  const ScratchDirectory folder;
  add_rank(folder, 0, 0);
  add_rank(folder, 1, 0);
  std::string kernels = "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us)\n";
  for (unsigned step = 6; step < 9; ++step) {
    const char* time = step == 7 ? "N/A" : "100";
    kernels += fmt::format("{},MatMul,MatMul,AI_CORE,{:.3f},{}\n", step, 1.7e9 + (step - 7.0) * 200, time);
  }
  folder.add(folder_of(1) + kOutput + "kernel_details.csv", kernels);
  const ProfiledJob job(folder.path());
  const auto steps = light(job);
  REQUIRE(steps.size() == 3);
  CHECK(job.full(1).ranks == std::vector<std::uint32_t>{0});
  CHECK(static_cast<double>(steps[2][1].late) == Approx(80).margin(1));
}

TEST_CASE("profiled job: rows are compared only if all ranks tell them alike") {
  for (const char* column : {"Input Shapes", "Accelerator Core"}) {
    const ScratchDirectory folder;
    add_rank(folder, 0, 0);
    add_rank(folder, 1, 0);
    std::string kernels = read_file(folder.path() / (folder_of(1) + kOutput + "kernel_details.csv"));
    kernels.replace(kernels.find(column), std::strlen(column), "Another Column");
    folder.add(folder_of(1) + kOutput + "kernel_details.csv", kernels);
    const ProfiledJob job(folder.path());
    const auto steps = light(job);
    for (const LightRecord& record : steps[1]) {
      CHECK(record.rows == 0);
      CHECK(record.operations == 0);
    }
    CHECK_THAT(columns(job),
               Catch::Matchers::VectorContains(std::string(
                   "kernel_details.csv: Input Shapes, Output Shapes, Accelerator Core on all ranks")));
  }
}

TEST_CASE("profiled job: idle time of a rank whose exchanges are not known is not its host's") {
  const ScratchDirectory folder;
  add_rank(folder, 0, 0);
  add_rank(folder, 1, 0);
  folder.add(folder_of(1) + kOutput + "communication.json", "{}");
  folder.add(folder_of(1) + kOutput + "trace_view.json", R"json([
    {"ph":"X","name":"Copy","ts":"1700000210.5","dur":4,"args":{"src rank":1,"dst rank":0,"size(Byte)":4096}}])json");
  const auto steps = light(ProfiledJob(folder.path()));
  CHECK(std::isnan(steps[0][1].late));  // it sent nothing in this step, and may have waited for others
  CHECK(std::isnan(steps[1][1].late));
  CHECK(static_cast<double>(steps[1][0].late) == Approx(80).margin(1));
}

TEST_CASE("profiled job: what is no profile, or cut off, is refused with its place") {
  const ScratchDirectory folder;
  CHECK_THROWS_AS(ProfiledJob(folder.path()), InputError);
  folder.add("x_ascend_pt/kernel_details.csv", "Name,Start Time(us),Duration(us)\nMatMul,5\n");
  CHECK_THROWS_WITH(ProfiledJob(folder.path()), Contains("kernel_details.csv:2: 2 cells"));
  folder.add("x_ascend_pt/kernel_details.csv", "Name,Start Time(us),Duration(us)\nMatMul,N/A,N/A\n");
  CHECK_THROWS_WITH(ProfiledJob(folder.path()), Contains("no kernel with a start"));
  folder.add("x_ascend_pt/kernel_details.csv", "Name,Start Time(us),Duration(us)\nMatMul,5,5\n");
  folder.add("x_ascend_pt/trace_view.json", R"([{"ph":"X","name":)");
  // Kernels are worth reading without the rest of a time line.
  const std::vector<std::string> notes = columns(ProfiledJob(folder.path()));
  CHECK(std::ranges::any_of(notes, [](const std::string& note) {
    return note.find("trace_view.json:1:19: syntax error") != std::string::npos &&
           note.ends_with("the rest of it is left out");
  }));
  folder.add("x_ascend_pt/trace_view.json", std::string(200, '['));
  CHECK_NOTHROW(ProfiledJob(folder.path()));
  folder.add("x_ascend_pt/trace_view.json", "[]");
  folder.add("x_ascend_pt/profiler_info_4000000000.json", "{}");
  CHECK_THROWS_WITH(ProfiledJob(folder.path()), Contains("rank 4000000000"));
}

TEST_CASE("profiled job: what no job has is refused before it fills the memory") {
  const ScratchDirectory folder;
  const std::string header = "Step Id,Name,Start Time(us),Duration(us)\n";
  folder.add("x_ascend_pt/kernel_details.csv", header + "1," + std::string(5000, 'n') + ",5,5\n");
  CHECK_THROWS_WITH(ProfiledJob(folder.path()), Contains("letters"));
  // One profile, of a rank beside which 60,000 others would stand in every step.
  std::string steps = header;
  for (int step = 0; step < 12; ++step) steps += fmt::format("{},MatMul,{},5\n", step, 10 * step);
  folder.add("x_ascend_pt/kernel_details.csv", steps);
  folder.add("x_ascend_pt/profiler_info_60000.json", "{}");
  CHECK_THROWS_WITH(ProfiledJob(folder.path()), Contains("steps of ranks"));
}
