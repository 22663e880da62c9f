#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/diagnosis/rules/advice.h"
#include "sim/diagnosis/rules/advice_report.h"
#include "tests/traces/single_step.h"
#include "tests/traces/written_profile.h"
#include "traces/import/profiled_job.h"

// Profiles in the style of the profilers of hardware: where the time of each rank goes, and which cause is named for it.

using namespace a3sim;
using namespace a3sim::written;
using Catch::Matchers::Contains;

namespace {

constexpr double kProfiledStep = 140'000;  // microseconds
constexpr int kProfiledSteps = 3;

Kernel kernel(int step, const std::string& type, double start, double length) {
  Kernel made;
  made.step = step;
  made.type = type;
  made.start = step * kProfiledStep + start;
  made.length = length;
  return made;
}

Exchange exchange(int step, const std::string& name, const std::string& group, double start, double length,
                  double transfer, double wait) {
  Exchange made;
  made.step = step;
  made.name = name;
  made.group = group;
  made.start = step * kProfiledStep + start;
  made.length = length;
  made.transfer = transfer;
  made.wait = wait;
  made.megabytes = transfer / 50;  // 20 GB/s
  return made;
}

// A rank of a data-parallel job: 34 ms of computing, then gradients for 102 ms, of which the links move bytes for 60. Its host
// waits for the device at the end of each step, and launches again 4 ms later.
Rank rank_of_data_parallel() {
  Rank rank;
  for (int step = 0; step < kProfiledSteps; ++step) {
    rank.kernels.push_back(kernel(step, "MatMulV2", 0, 20'000));
    rank.kernels.push_back(kernel(step, "FlashAttentionScore", 20'000, 14'000));
    rank.exchanges.push_back(
        exchange(step, "hcom_allReduce__868_0_1", "1311868", 34'000, 102'000, 60'000, 0));
    rank.calls.push_back({"AscendCL@aclrtSynchronizeStream", step * kProfiledStep + 5'000, 130'000});
    rank.calls.push_back({"AscendCL@aclrtLaunchKernel", step * kProfiledStep + 1'000, 20});
    rank.steps.push_back({step, 34'000, 102'000, 0, 4'000});
  }
  return rank;
}

const Finding* find_cause(const Advice& advice, const std::string& cause) {
  for (const std::vector<Finding>* list : {&advice.findings, &advice.infos}) {
    const auto found = std::ranges::find(*list, cause, &Finding::cause);
    if (found != list->end()) return &*found;
  }
  return nullptr;
}

Advice advised(const ScratchDirectory& folder) { return advise(ProfiledJob(folder.path()), book()); }

}  // namespace

TEST_CASE(
    "an exchange without a transit time, as CANN 8.3 writes it, is exposed and not free, and no sync is "
    "blamed for it") {
  for (const Style style : {Style::k80, Style::k83}) {
    const ScratchDirectory folder;
    for (const int rank : {0, 1}) write_rank(folder, rank, rank_of_data_parallel(), style);
    const Advice advice = advised(folder);
    INFO(advice_text(advice));
    REQUIRE_FALSE(advice.findings.empty());
    const Finding& first = advice.findings.front();
    CHECK(first.cause == "comm.exposed");
    CHECK(first.lost_ms == Approx(102));
    CHECK(first.operators == std::vector<std::string>{"hcom_allReduce"});
    CHECK(find_cause(advice, "host.sync") == nullptr);
    REQUIRE(advice.time.size() == 2);
    const RankShares& time = advice.time.front();
    CHECK(time.computing == Approx(34));
    CHECK(time.transferring == Approx(60));
    CHECK(time.waiting == Approx(0));
    CHECK(time.still == Approx(42));
    CHECK(time.free == Approx(4));
    CHECK(time.length == Approx(140));
    REQUIRE(advice.groups.size() == 1);
    CHECK(advice.groups.front().use == "DP");
  }
}

TEST_CASE("more files do not change what is found: with kernels alone the same exchange is named") {
  const ScratchDirectory folder;
  Rank rank = rank_of_data_parallel();
  for (const int number : {0, 1}) folder.add(output(number) + "/kernel_details.csv", kernel_table(rank));
  const Advice advice = advised(folder);
  INFO(advice_text(advice));
  REQUIRE_FALSE(advice.findings.empty());
  CHECK(advice.findings.front().cause == "comm.exposed");
  CHECK(advice.findings.front().lost_ms == Approx(102));
}

TEST_CASE("whoever is in a collective for the shortest time came last, and the others wait for it") {
  const ScratchDirectory folder;
  for (const int number : {0, 1}) {
    Rank rank;
    const double late = number == 1 ? 30'000 : 0;
    for (int step = 0; step < kProfiledSteps; ++step) {
      rank.kernels.push_back(kernel(step, "MatMulV2", 0, 60'000 + late));
      rank.exchanges.push_back(
          exchange(step, "hcom_allReduce__868_0_1", "1311868", 60'000 + late, 70'000 - late, 20'000, 0));
    }
    write_rank(folder, number, rank);
  }
  const Advice advice = advised(folder);
  INFO(advice_text(advice));
  REQUIRE(advice.time.size() == 2);
  CHECK(advice.time[0].waiting == Approx(30));
  CHECK(advice.time[1].waiting == Approx(0));
  CHECK(advice.time[0].still == Approx(20));
  REQUIRE(advice.groups.size() == 1);
  CHECK(advice.groups[0].last == 1);
  CHECK(advice.groups[0].times == kProfiledSteps);
  CHECK(advice.groups[0].waits_ms == Approx(30));
  CHECK(find_cause(advice, "device.idle") == nullptr);
}

namespace {

// Four ranks, two stages of two ranks: the second stage computes 40 ms more, and the first waits for it.
void write_pipeline(const ScratchDirectory& folder, Style style, double more) {
  for (int number = 0; number < 4; ++number) {
    Rank rank;
    const bool second = number >= 2;
    const std::string pair = number % 2 == 0 ? "7700" : "7711", data = second ? "5522" : "5500";
    for (int step = 0; step < kProfiledSteps; ++step) {
      const double own = second ? 40'000 + more : 40'000;
      rank.kernels.push_back(kernel(step, "MatMulV2", second ? 10'000 : 0, 30'000));
      rank.kernels.push_back(kernel(step, second ? "CrossEntropyLoss" : "EmbeddingDenseGrad",
                                    second ? 40'000 : 30'000, own - 30'000));
      const double done = second ? 10'000 + own : own;
      Exchange between = second ? exchange(step, "hcom_receive__700_0_1", pair, 0, 10'000, 1'000, 0)
                                : exchange(step, "hcom_receive__700_0_2", pair, own, 10'000 + more, 1'000, 0);
      between.pair = true;
      rank.exchanges.push_back(between);
      rank.exchanges.push_back(exchange(step, "hcom_allReduce__" + data.substr(1) + "_0_1", data,
                                        second ? done : done + 10'000 + more, 8'000, 8'000, 0));
    }
    write_rank(folder, number, rank, style);
  }
}

}  // namespace

TEST_CASE(
    "of a pipeline the stage that computes more is named, with what it computes, and who waits for it is not "
    "idle") {
  for (const Style style : {Style::k80, Style::k83}) {
    const ScratchDirectory folder;
    write_pipeline(folder, style, 40'000);
    const Advice advice = advised(folder);
    INFO(advice_text(advice));
    const Finding* stage = find_cause(advice, "pipeline.stage");
    REQUIRE(stage);
    CHECK(stage->ranks == std::vector<std::uint32_t>{2, 3});
    CHECK(stage->operators == std::vector<std::string>{"CrossEntropyLoss"});
    CHECK(stage->lost_ms == Approx(20));  // 40 and 80 ms: equal stages would take 60
    CHECK(find_cause(advice, "device.idle") == nullptr);
    CHECK(std::ranges::count(advice.groups, "PP", &GroupShares::use) == 2);
    CHECK(std::ranges::count(advice.groups, "DP", &GroupShares::use) == 2);
  }
  const ScratchDirectory equal;
  write_pipeline(equal, Style::k83, 0);
  const Advice advice = advised(equal);
  INFO(advice_text(advice));
  CHECK(find_cause(advice, "pipeline.stage") == nullptr);
  CHECK(find_cause(advice, "pipeline.bubble"));
}

TEST_CASE("a group's use is what the profiler tells, before what its exchanges look like") {
  const ScratchDirectory folder;
  for (const int number : {0, 1}) {
    write_rank(folder, number, rank_of_data_parallel());
    folder.add(
        home(number) + "/profiler_metadata.json",
        R"({"parallel_group_info":{"1311868":{"group_name":"tp","group_rank":0,"global_ranks":[0,1,2,3]}}})");
  }
  const Advice advice = advised(folder);
  REQUIRE(advice.groups.size() == 1);
  CHECK(advice.groups[0].use == "TP");
  CHECK(advice.groups[0].told);
  CHECK(advice.groups[0].ranks == std::vector<std::uint32_t>{0, 1, 2, 3});
}

TEST_CASE("ranks with communication files alone say who came last") {
  const ScratchDirectory folder;
  for (const int number : {0, 1}) {
    Rank rank = rank_of_data_parallel();
    for (Exchange& e : rank.exchanges)
      if (number == 1) {
        e.start += 50'000;
        e.length -= 50'000;
        e.transfer = 30'000;
      }
    rank.steps.clear();
    write_rank(folder, number, rank, Style::k83, number == 0);
  }
  const Advice advice = advised(folder);
  INFO(advice_text(advice));
  REQUIRE(advice.groups.size() == 1);
  CHECK(advice.groups[0].ranks == std::vector<std::uint32_t>{0, 1});
  CHECK(advice.groups[0].last == 1);
  REQUIRE(advice.time.size() == 1);
  CHECK(advice.time[0].waiting ==
        Approx(42));  // 50, less what its bandwidth block says it transfers: 60 of 102
}

TEST_CASE("the profiler's own sums are held against the tables, and a difference is said") {
  const ScratchDirectory agrees, differs;
  Rank rank = rank_of_data_parallel();
  write_rank(agrees, 0, rank);
  const auto tells = [](const ScratchDirectory& folder) {
    const ProfiledJob job(folder.path());
    return std::ranges::any_of(job.missing(), [](const Missing& missing) {
      return missing.column.find("step_trace_time.csv:2") != std::string::npos;
    });
  };
  CHECK_FALSE(tells(agrees));
  rank.steps.front().computing += 20'000;
  write_rank(differs, 0, rank);
  CHECK(tells(differs));
}

TEST_CASE("a row that is cut off is left out and counted, and takes no other with it") {
  const ScratchDirectory folder;
  write_rank(folder, 0, rank_of_data_parallel());
  std::string table = kernel_table(rank_of_data_parallel());
  // The second row of kernels ends within a quoted cell.
  const std::size_t second = table.find("FlashAttentionScore"), end = table.find('\n', second);
  table.erase(table.find("\"\"\"", second) + 5, end - table.find("\"\"\"", second) - 5);
  folder.add(output(0) + "/kernel_details.csv", table);
  const ProfiledJob job(folder.path());
  std::size_t kernels = 0;
  for (const std::uint32_t step : job.full_steps())
    kernels += static_cast<std::size_t>(
        std::ranges::count(job.full(step).operators, Lane::kCompute, &OperatorRecord::lane));
  CHECK(kernels == 2 * kProfiledSteps - 1);
  CHECK(std::ranges::any_of(job.missing(), [](const Missing& missing) {
    return missing.column.find("1 damaged row is left out") != std::string::npos;
  }));
}

TEST_CASE("a kernel at the limit of the memory is bound by it, whatever the machine's file allows cores") {
  const ScratchDirectory folder;
  Rank rank;
  for (int step = 0; step < kProfiledSteps; ++step) {
    Kernel add = kernel(step, "Add", 0, 50'000);
    add.core = "AI_VECTOR_CORE";
    add.vec = 0.2;
    add.load = 0.998;
    rank.kernels.push_back(add);
    rank.kernels.push_back(kernel(step, "MatMulV2", 50'000, 50'000));
  }
  write_rank(folder, 0, rank);
  const ProfiledJob job(folder.path(), [](std::uint32_t aic, std::uint32_t aiv) {
    ObservedMachine machine;
    machine.aic = aic;
    machine.aiv = aiv;
    machine.cube_rate = 3e14;
    machine.vector_rate = 2e13;
    machine.hbm_read = 1.6e12;
    return machine;
  });
  const Advice advice = advise(job, book());
  INFO(advice_text(advice));
  const Finding* memory = find_cause(advice, "compute.memory");
  REQUIRE(memory);
  CHECK(memory->operators == std::vector<std::string>{"Add"});
  CHECK_THAT(memory->evidence.front().what, Contains("aiv_mte2 is busy for {} of that"));
  CHECK(memory->evidence.front().value == Approx(0.998));
  const Finding* underused = find_cause(advice, "compute.underused");
  CHECK((!underused || std::ranges::find(underused->operators, "Add") == underused->operators.end()));
}

TEST_CASE("a benchmark of one operator gets an answer about that operator") {
  const ScratchDirectory folder;
  Rank rank;
  for (int call = 0; call < 2; ++call) {
    Kernel scan = kernel(0, "ScanKernel", call * 20'000'000.0, 79'500);
    scan.core = "AI_VECTOR_CORE";
    scan.scalar = 0.999;
    scan.vec = 0.1;
    scan.load = 0.05;
    rank.kernels.push_back(scan);
  }
  write_rank(folder, 0, rank);
  const Advice advice = advised(folder);
  INFO(advice_text(advice));
  REQUIRE_FALSE(advice.findings.empty());
  CHECK(advice.findings.front().cause == "compute.scalar");
  CHECK(advice.findings.front().operators == std::vector<std::string>{"ScanKernel"});
  CHECK(advice.findings.front().lost_ms == Approx(2 * 79.5 * (1 - 0.1 / 0.8)));
  CHECK_THAT(advice.findings.front().evidence.front().place.text, Contains("kernel_details.csv:2"));
  CHECK(find_cause(advice, "device.idle") == nullptr);
}

TEST_CASE("kernels on the AI CPU, conversions and many small operators are named with their lines") {
  const ScratchDirectory folder;
  Rank rank;
  for (int step = 0; step < kProfiledSteps; ++step) {
    rank.kernels.push_back(kernel(step, "MatMulV2", 0, 60'000));
    Kernel unique = kernel(step, "UniqueConsecutive", 60'000, 9'000);
    unique.core = "AI_CPU";
    Kernel transposed = kernel(step, "TransData", 69'000, 12'000);
    transposed.core = "AI_VECTOR_CORE";
    rank.kernels.insert(rank.kernels.end(), {unique, transposed});
    for (int i = 0; i < 2'000; ++i) {
      Kernel small = kernel(step, "Mul", 81'000 + 8 * i, 6);
      small.core = "AI_VECTOR_CORE";
      rank.kernels.push_back(small);
    }
  }
  write_rank(folder, 0, rank);
  const Advice advice = advised(folder);
  INFO(advice_text(advice));
  const Finding *cpu = find_cause(advice, "compute.cpu"), *formats = find_cause(advice, "compute.formats"),
                *little = find_cause(advice, "compute.small");
  REQUIRE(cpu);
  REQUIRE(formats);
  REQUIRE(little);
  CHECK(cpu->lost_ms == Approx(9));
  CHECK(formats->lost_ms == Approx(12));
  CHECK(little->lost_ms == Approx(12));
  CHECK_THAT(cpu->evidence.front().place.text, Contains("kernel_details.csv:3"));
}

TEST_CASE("exchanges that overlap are exposed once, and only where nothing computes") {
  const ScratchDirectory folder;
  Rank rank;
  for (int step = 0; step < kProfiledSteps; ++step) {
    rank.kernels.push_back(kernel(step, "MatMulV2", 0, 50'000));
    // Two communicators at once: from 40 to 80 ms and from 60 to 100 ms.
    rank.exchanges.push_back(exchange(step, "hcom_allReduce__868_0_1", "1311868", 40'000, 40'000, 40'000, 0));
    rank.exchanges.push_back(exchange(step, "hcom_allGather__111_0_1", "2222111", 60'000, 40'000, 40'000, 0));
  }
  write_rank(folder, 0, rank, Style::k80);
  const Advice advice = advised(folder);
  INFO(advice_text(advice));
  REQUIRE(advice.time.size() == 1);
  CHECK(advice.time[0].computing == Approx(50));
  CHECK(advice.time[0].transferring == Approx(50));
  CHECK(advice.time[0].hidden == Approx(10));
  CHECK(advice.time[0].free == Approx(0));
  const Finding* exposed = find_cause(advice, "comm.exposed");
  REQUIRE(exposed);
  CHECK(exposed->lost_ms == Approx(50));
}

TEST_CASE("of more ranks than have room in full, each one's time is accounted for all the same") {
  const ScratchDirectory folder;
  constexpr int kRanks = 8;
  for (int number = 0; number < kRanks; ++number) {
    Rank rank = rank_of_data_parallel();
    if (number == kRanks - 1) {
      constexpr double kLonger = 14'000;
      for (Kernel& kernel : rank.kernels)
        if (kernel.type == "FlashAttentionScore") kernel.length += kLonger;
      for (Exchange& exchange : rank.exchanges) {
        exchange.start += kLonger;
        exchange.length -= kLonger;
      }
    }
    rank.steps.clear();
    write_rank(folder, number, rank);
  }
  const ProfiledJob all(folder.path()), few(folder.path(), {}, 20);  // six kernels per rank
  CHECK(all.full(0).ranks.size() == kRanks);
  CHECK(few.full(0).ranks == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(few.full(0).operators.size() < all.full(0).operators.size());
  REQUIRE(few.profiled_time()->steps.size() == all.profiled_time()->steps.size());
  for (std::size_t s = 0; s < few.profiled_time()->steps.size(); ++s)
    CHECK(few.profiled_time()->steps[s].computing == all.profiled_time()->steps[s].computing);
  CHECK(few.profiled_time()->kernels.size() == all.profiled_time()->kernels.size());
  CHECK(std::ranges::any_of(few.missing(), [](const Missing& missing) {
    return missing.column.find("full records of 5 of 8 ranks, from rank 3 on") != std::string::npos;
  }));
  // The slow rank is one of those that are not there in full.
  const auto slow = [](const ProfiledJob& job) {
    const Advice advice = advise(job, book());
    const Finding* finding = find_cause(advice, "compute.straggler");
    return finding ? finding->ranks : std::vector<std::uint32_t>();
  };
  CHECK(slow(all) == std::vector<std::uint32_t>{7});
  CHECK(slow(few) == std::vector<std::uint32_t>{7});
  CHECK_THROWS_WITH(ProfiledJob(folder.path(), {}, 5), Contains("more than 5 kernels"));
}
