#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "sim/diagnosis/rules/advice.h"
#include "sim/diagnosis/rules/advice_report.h"
#include "tests/scratch_directory.h"
#include "tests/traces/single_step.h"
#include "traces/import/profiled_job.h"

// Profiles of several ranks that lack files, columns or rows: what is not there is named, and is no finding.

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

constexpr std::int64_t kFirstTime = 1'699'529'622'000'000;
constexpr int kStepLength = 10'000;  // microseconds
constexpr const char* kColumns =
    "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Block Num,Input Shapes,Output Shapes,"
    "aicore_time(us),aic_mac_time(us),aic_total_cycles\n";
constexpr const char* kStepless =
    "Name,Type,Accelerator Core,Start Time(us),Duration(us),Block Num,Input Shapes,Output Shapes,"
    "aicore_time(us),aic_mac_time(us),aic_total_cycles\n";

// A product of so many microseconds, `start` behind the begin of its step.
std::string product(int step, const char* name, int start, int length, bool with_step = true) {
  const std::string row =
      fmt::format("{0},{0},AI_CORE,{1},{2},24,\"\"\"128,64;64,32\"\"\",\"\"\"128,32\"\"\",{2},{2},{3}\n",
                  name, kFirstTime + step * kStepLength + start, length, 24 * 1800 * length);
  return with_step ? fmt::format("{},{}", step, row) : row;
}

std::string collective_row(int step, int start, int length) {
  return fmt::format("{},hcom_allReduce__1_{},hcom_allReduce_,HCCL,{},{},0,N/A,N/A,0,0,0\n", step, step,
                     kFirstTime + step * kStepLength + start, length);
}

void add_partial_rank(const ScratchDirectory& folder, int rank, const std::string& table,
                      const std::string& time_line = {}) {
  const std::string home = fmt::format("node{}_ascend_pt", rank);
  folder.add(fmt::format("{}/profiler_info_{}.json", home, rank), "{}");
  folder.add(home + "/ASCEND_PROFILER_OUTPUT/kernel_details.csv", table);
  if (!time_line.empty()) folder.add(home + "/ASCEND_PROFILER_OUTPUT/trace_view.json", time_line);
}

// A launch and a put at the begin of each of three steps.
std::string launches_and_puts(int rank) {
  std::string events;
  for (int step = 0; step < 3; ++step)
    events +=
        fmt::format(R"json({}{{"ph":"X","name":"AscendCL@aclrtLaunchKernel","ts":"{}","dur":10}},)json"
                    R"json({{"ph":"X","name":"Dispatch","ts":"{}","dur":50,"args":)json"
                    R"json({{"src rank":{},"dst rank":{},"size(Byte)":100000,"link type":"HCCS"}}}})json",
                    step == 0 ? "" : ",", kFirstTime + step * kStepLength,
                    kFirstTime + step * kStepLength + 100, rank, 1 - rank);
  return "[" + events + "]";
}

bool names_host(const Advice& advice) {
  return std::ranges::any_of(advice.findings,
                             [](const Finding& finding) { return finding.cause.starts_with("host."); });
}

bool lacks_column(const Observation& job, const std::string& column) {
  return std::ranges::any_of(job.missing(), [&](const Missing& missing) { return missing.column == column; });
}

const Finding* cause_in(const Advice& advice, const std::string& cause) {
  const auto found = std::ranges::find(advice.findings, cause, &Finding::cause);
  return found == advice.findings.end() ? nullptr : &*found;
}

// Two ranks with 2 ms of products in each of three steps and half a step of nothing; the host does nothing meanwhile.
void add_idle_ranks(const ScratchDirectory& folder, bool with_collectives) {
  for (int rank = 0; rank < 2; ++rank) {
    std::string table = kColumns;
    for (int step = 0; step < 3; ++step) {
      table += product(step, "a", 200, 1000) + product(step, "b", 6200, 1000);
      if (with_collectives) table += collective_row(step, 7300, 2000);
    }
    add_partial_rank(folder, rank, table, launches_and_puts(rank));
  }
}

}  // namespace

TEST_CASE("idle time is no fault of a host if it is not known when its rank waited for others") {
  const ScratchDirectory with, without;
  add_idle_ranks(with, true);
  add_idle_ranks(without, false);
  const Advice seen = advise(ProfiledJob(with.path()), book());
  INFO(advice_text(seen));
  CHECK(names_host(seen));
  const Advice unseen = advise(ProfiledJob(without.path()), book());
  INFO(advice_text(unseen));
  CHECK_FALSE(names_host(unseen));
  const Finding* idle = cause_in(unseen, "device.idle");
  REQUIRE(idle);
  CHECK_THAT(idle->missing.front(), Contains("communication.json"));
}

TEST_CASE("a device that begins late is idle for a reason that its host's record would tell") {
  const ScratchDirectory folder;
  for (int rank = 0; rank < 2; ++rank) {
    std::string table = kColumns;
    for (int step = 0; step < 24; ++step) {
      const int late = rank == 1 && step >= 12 ? 2000 : 0;
      table += product(step, "a", 0 + late, 5000) + collective_row(step, 5000 + late, 3000 - late);
    }
    add_partial_rank(folder, rank, table);
  }
  const Advice advice = advise(ProfiledJob(folder.path()), book());
  INFO(advice_text(advice));
  CHECK_FALSE(names_host(advice));
}

TEST_CASE("a rank without numbers of steps is left out where others have them, whichever is read first") {
  for (const int stepless : {0, 1}) {
    const ScratchDirectory folder;
    for (int rank = 0; rank < 2; ++rank) {
      std::string table = rank == stepless ? kStepless : kColumns;
      for (int step = 0; step < 3; ++step) table += product(step, "a", 0, 9000, rank != stepless);
      add_partial_rank(folder, rank, table, launches_and_puts(rank));
    }
    const ProfiledJob job(folder.path());
    CHECK(lacks_column(job, fmt::format("kernel_details.csv: Step Id of rank {}", stepless)));
    REQUIRE(job.full_steps().size() == 3);
    for (const std::uint32_t step : job.full_steps()) {
      CHECK(job.full(step).ranks == std::vector<std::uint32_t>{static_cast<std::uint32_t>(1 - stepless)});
      for (const TransferRecord& put : job.full(step).transfers)
        CHECK(put.src != static_cast<std::uint32_t>(stepless));
    }
    CHECK(cause_in(advise(job, book()), "load.imbalance") == nullptr);
  }
}

TEST_CASE("a rank whose table ends early is left out of the steps that it lacks") {
  const ScratchDirectory folder;
  for (int rank = 0; rank < 2; ++rank) {
    std::string table = kColumns;
    for (int step = 0; step < 3; ++step)
      if (rank == 0 || step == 0) table += product(step, "a", 200, 9000);
    add_partial_rank(folder, rank, table, launches_and_puts(rank));
  }
  folder.add(
      "node1_ascend_pt/ASCEND_PROFILER_OUTPUT/communication.json",
      fmt::format(R"json({{"step2":{{"collective":{{"hcom_allReduce__1_2@g":)json"
                  R"json({{"Communication Time Info":{{"Start Timestamp(us)":{},"Elapse Time(ms)":1,)json"
                  R"json("Transit Time(ms)":0.5,"Wait Time(ms)":0.5}}}}}}}}}})json",
                  kFirstTime + 2 * kStepLength + 8000));
  const ProfiledJob job(folder.path());
  CHECK(lacks_column(job, "kernel_details.csv: kernels of rank 1 in 1 steps, from step 2 on"));
  CHECK(job.full(2).ranks == std::vector<std::uint32_t>{0});
  CHECK(cause_in(advise(job, book()), "load.imbalance") == nullptr);
}

TEST_CASE("rows of ranks are not compared in steps in which one of them lacks kernels") {
  const ScratchDirectory folder;
  for (int rank = 0; rank < 2; ++rank) {
    std::string table = kColumns;
    for (int step = 0; step < 3; ++step) {
      table += product(step, "a", 200, 4000);
      if (rank == 0) table += product(step, "b", 4200, 4000);
    }
    add_partial_rank(folder, rank, table, launches_and_puts(rank));
  }
  const ProfiledJob job(folder.path());
  CHECK(lacks_column(job, "kernel_details.csv: the same matrix kernels on all ranks, in 3 steps"));
  CHECK(cause_in(advise(job, book()), "load.imbalance") == nullptr);
}

TEST_CASE("no clock is told of kernels without a number of blocks") {
  std::string table =
      "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),aicore_time(us),aic_total_cycles\n";
  for (int step = 0; step < 3; ++step)
    table += fmt::format("{},a,a,AI_CORE,{},1000,900,{}\n", step, kFirstTime + step * kStepLength,
                         1'000'000 * (step + 1));
  const ScratchDirectory folder;
  add_partial_rank(folder, 0, table);
  const ProfiledJob job(folder.path());
  CHECK(lacks_column(job, "kernel_details.csv: Block Num, Block Dim"));
  for (const std::uint32_t step : job.full_steps())
    for (const OperatorRecord& record : job.full(step).operators) CHECK(std::isnan(record.clock));
}
