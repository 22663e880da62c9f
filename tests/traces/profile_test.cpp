#include "traces/import/profile.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "tests/scratch_directory.h"
#include "tests/traces/made_trace.h"
#include "tests/traces/profile_near.h"
#include "traces/formats/gzip.h"
#include "traces/formats/trace_format.h"
#include "traces/import/imported.h"
#include "traces/import/profile_report.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

const std::string kHeads =
    "Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim\n";

void not_read(const fs::path& path, const std::string& why) {
  CHECK_THROWS_AS(read_profile(path), InputError);
  CHECK_THROWS_WITH(read_profile(path), Contains(why));
}

// It is read, and its notes say what is left out.
void read_without(const fs::path& path, const std::string& why) {
  const Profile read = read_profile(path);
  REQUIRE(read.notes.size() == 1);
  CHECK_THAT(read.notes.front(), Contains(why) && Contains("left out"));
}

std::string exchanged(double start, double elapsed, double wait, const std::string& sizes = "{}") {
  return fmt::format(
      R"j({{"Communication Time Info":{{"Start Timestamp(us)":{},"Elapse Time(ms)":{},"Transit Time(ms)":0.5,)j"
      R"j("Wait Time(ms)":{}}},"Communication Bandwidth Info":{{)j"
      R"j("RDMA":{{"Transit Size(MB)":0,"Size Distribution":{{}}}},)j"
      R"j("HCCS":{{"Transit Size(MB)":4.5,"Size Distribution":{}}},)j"
      R"j("SDMA":{{"Transit Size(MB)":4.5,"Size Distribution":{}}}}}}})j",
      start, elapsed, wait, sizes, sizes);
}

// Three ranks' profiles. Collectives end within a microsecond of each other; the clock of rank 1 is 1,000 us ahead
// and that of rank 2 is 250 us behind. Rank 2 comes 100 us after the others to each.
void add_cluster(const ScratchDirectory& folder) {
  constexpr double kAhead[] = {0, 1000, -250}, kJitter[] = {0, 0.5, -0.5};
  for (int r = 0; r < 3; ++r) {
    const std::string home = fmt::format("c/host_{}_ascend_pt/", r);
    folder.add(home + fmt::format("profiler_info_{}.json", r), "{}");
    const double start = 5e9 + kAhead[r], late = r == 2 ? 100 : 0;
    folder.add(home + "ASCEND_PROFILER_OUTPUT/kernel_details.csv",
               kHeads + fmt::format("{0},a,t,AI_CORE,{1:.3f},100,0,24\n{0},a,t,AI_CORE,{2:.3f},100,0,24\n", r,
                                    start, start + 400));
    std::string collectives;
    for (int c = 0; c < 3; ++c) {
      const double begin = start + 1000 * c + late, end = start + 1000 * c + 600 + kJitter[(c + r) % 3];
      collectives +=
          fmt::format(R"({}"hcom_allReduce__483_{}@g":{})", c ? "," : "", c,
                      exchanged(begin, (end - begin) * 1e-3, 0.25, R"({"1.5":[2,0.02],"0.5":[1,0.01]})"));
    }
    folder.add(home + "ASCEND_PROFILER_OUTPUT/communication.json",
               R"({"step1":{"p2p":{"hcom_send__483_7@g":)" + exchanged(1, 1, 0) + R"(},"collective":{)" +
                   collectives + R"(,"Total Op Info":)" + exchanged(1, 9, 9, R"({"9":[9,9]})") + "}}}");
    folder.add(home + "ASCEND_PROFILER_OUTPUT/step_trace_time.csv",
               "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free\n"
               "0,1,200,300,100,400,50\n0,2,20,30,10,40,5\n");
  }
}

}  // namespace

TEST_CASE("profile: what is exchanged has its times, and its bandwidth by size") {
  const ScratchDirectory folder;
  add_cluster(folder);
  const Profile read = read_profile(folder.path() / "c");
  REQUIRE(read.ranks.size() == 3);
  const RankProfile& rank = read.ranks.at(0);
  CHECK(rank.exchanges.size() == 2);
  CHECK(rank.exchanges.at("hcom_send").count == 1);
  const Occurrences& reduced = rank.exchanges.at("hcom_allReduce");
  CHECK(reduced.count == 3);
  CHECK(reduced.transit == 3 * 500_us);
  CHECK(reduced.waited == 3 * 250_us);
  // SDMA and the totals say the same again.
  REQUIRE(rank.packets.size() == 2);
  CHECK(rank.packets.at(1'500'000).count == 3 * 2);
  CHECK(rank.packets.at(1'500'000).total == 3 * 20_us);
  CHECK(rank.packets.at(500'000).count == 3);
  const nlohmann::json report = profile_report(read, kNone).json();
  CHECK(report["packets"][1]["gb_per_s"].get<double>() == Approx(2 * 1.5e6 / 20e-6 * 1e-9));
  REQUIRE(rank.steps);
  CHECK(rank.steps->computing == 220_us);
  CHECK(rank.steps->exposed == 330_us);
  CHECK(rank.steps->hidden() == 110_us);
  CHECK(rank.steps->length == (220 + 330 + 55) * 1_us);
}

TEST_CASE("profile: offsets between clocks are found from what ranks share, told and taken off") {
  const ScratchDirectory folder;
  add_cluster(folder);
  const Profile read = read_profile(folder.path() / "c");
  const auto clock = [&](std::uint32_t rank) { return read.ranks.at(rank).clock.value(); };
  CHECK(clock(0).offset() == Duration::zero());
  CHECK(near(clock(1).offset(), 1000_us, 1000));
  CHECK(near(clock(2).offset(), -(250_us), 1000));
  CHECK(clock(2).meetings == 3);
  for (std::uint32_t r = 0; r < 3; ++r)
    CHECK(near(read.ranks.at(r).span->first, read.ranks.at(0).span->first, 1000));
  CHECK(read.ranks.at(1).span->covered == 200_us);
  CHECK(near(clock(2).late, 100_us, 2000));
  CHECK(clock(0).late + clock(1).late == Duration::zero());
  CHECK_THAT(profile_report(read, kNone).text(), Contains("ahead us") && Contains("-250.50"));

  // Where meetings do not agree on who is ahead, nothing is taken off.
  const ClockOffset unsure{2, 3_us, -(1_us), 7_us, {}};
  CHECK(unsure.offset() == Duration::zero());
}

TEST_CASE("profile: one that is kept as a result is the same when it is read back") {
  const ScratchDirectory folder;
  add_cluster(folder);
  Profile odd = read_profile(folder.path() / "c");
  odd.at(0, "a,\"b\"\n<script>\t").add(1_us, 2_us);
  odd.notes.emplace_back("C: \"quoted\", [1]");
  for (const Profile& profile : {odd, profile_of(made_passes(), ProfileUnit::kTask)}) {
    for (const auto& [name, contents] : imported_files(profile)) folder.add(name, contents);
    const Profile read = read_imported(folder.path());
    CHECK(read.unit == profile.unit);
    CHECK(read.notes == profile.notes);
    check_same(profile, read);
    CHECK(profile_report(read, kNone).text() == profile_report(profile, kNone).text());
    CHECK(mismatch_report(read, profile, {}).json()["operators"][0]["error"] == 0);
  }
  const std::string csv = imported_files(odd)[1].second;
  const auto broken = [&](const std::string& text, const std::string& why) {
    for (const auto& [name, contents] : imported_files(odd)) folder.add(name, contents);
    folder.add("measured.csv", text);
    CHECK_THROWS_AS(read_imported(folder.path()), InputError);
    CHECK_THROWS_WITH(read_imported(folder.path()), Contains("measured.csv:") && Contains(why));
  };
  broken("", "other columns");
  broken(csv.substr(0, csv.size() - 20), "");
  broken(csv + "0,operator,a,,1,1,1,1,0,0,0,0,0,0,0,0\n", "16 cells, expected 17");
  broken(csv + "9,operator,a,,1,1,1,1,0,0,0,0,0,0,0,0,\n", "rank 9 is not in measured.json");
  broken(csv + "0,operator,a,,1,-1,1,1,0,0,0,0,0,0,0,0,\n", "'-1'");
  broken(csv + "0,what,a,,1,1,1,1,0,0,0,0,0,0,0,0,\n", "kind: 'what'");
  folder.add("measured.json", R"({"unit":"kernel","ranks":[{"rank":0,"steps":{"length_ps":"x"}}]})");
  CHECK_THROWS_WITH(read_imported(folder.path()), Contains("measured.json:1:") && Contains("length_ps"));
}

TEST_CASE("profile: names with commas, tabs, quotes and markup go out and come back") {
  const ScratchDirectory folder;
  std::vector<TracedPass> passes = made_passes();
  const std::string odd = "a,\"b\"\t<b onload='x'>&amp; c_1";
  for (TracedPass& pass : passes) {
    pass.trace.operators[MadeTrace::kCubeOp].name = odd;
    pass.trace.operators[MadeTrace::kPutOp].name = "put \"" + odd;
  }
  for (const OutputFile& file : TraceFormats::get("ascend").write(passes))
    folder.add("p/" + file.path, file.contents);
  const Profile kernels = read_profile(folder.path() / "p");
  check_same(profile_of(passes, ProfileUnit::kKernel), kernels);
  CHECK(kernels.ranks.at(1).operators.contains(odd));
  const std::string trace = TraceFormats::get("cycles").write(passes).front().contents;
  check_same(profile_of(passes, ProfileUnit::kTask), read_profile(folder.add("t.json", trace)));
}

TEST_CASE("profile: tasks that are furthest off come first, each beside that of its rank and number") {
  Profile profile, simulated;
  const auto add = [](Profile& to, std::uint32_t rank, std::uint32_t index, Duration time) {
    to.at(rank, "GMM1").add(time, Duration::zero());
    TaskTimes* task = to.task(rank, "GMM1", index);
    ++task->count;
    task->total += time;
  };
  for (std::uint32_t i = 0; i < 20; ++i) {
    add(profile, 1, i, 10_us);
    add(profile, 1, i, 12_us);  // another step
    add(simulated, 1, i, i == 7 ? 3_us : 11_us);
  }
  add(profile, 0, 0, 10_us);
  const Report report = mismatch_report(profile, simulated, {});
  const nlohmann::json json = report.json();
  REQUIRE(json["tasks"].size() == 20);
  CHECK(json["tasks"][0]["index"] == 7);
  CHECK(json["tasks"][0]["measured_ps"] == 11'000'000);
  CHECK(json["tasks"][0]["error"].get<double>() == Approx(-8.0 / 11));
  CHECK(json["tasks"][1]["error"] == 0);
  CHECK_THAT(report.text(), Contains("1 measured tasks have no simulated one"));
}

TEST_CASE("profile: of hostile files beside a table what can be read is kept, and what is wrong told") {
  const ScratchDirectory folder;
  folder.add("kernel_details.csv", kHeads + "0,a,t,AI_CORE,1,2,0,1\n");
  const auto sent = [&](const std::string& text) {
    folder.add("communication.json", text);
    return folder.path();
  };
  const auto one = [](const std::string& times) {
    return R"({"step1":{"collective":{"x__1_1@g":{"Communication Time Info":{)" + times + "}}}}}";
  };
  read_without(sent("{\"step1\":"), "communication.json:1:10: syntax error");
  read_without(sent(one(R"j("Elapse Time(ms)":-1)j")), "Elapse Time(ms) of 'x__1_1@g': -1");
  read_without(sent(one(R"j("Elapse Time(ms)":1e300)j")), "expected a number from 0");
  read_without(sent(std::string(100'000, '[')), "deeper than");
  read_without(sent("\"" + std::string(3 << 20, 'x')), "a text or a number of more than");
  CHECK(read_profile(sent(one(R"j("Elapse Time(ms)":"1")j"))).ranks.at(0).exchanges.empty());
  CHECK(read_profile(sent("[1,2,{\"a\":[[3]]}]")).ranks.at(0).exchanges.empty());
  sent("{}");
  folder.add("step_trace_time.csv", "Device_id,Computing\n0,1\n");
  not_read(folder.path(), "step_trace_time.csv:1: no column");
  folder.add("step_trace_time.csv", "Computing,Communication(Not Overlapped),Communication,Free\n1,2,3,x\n");
  read_without(folder.path(), "1 damaged row is left out, the first: ");
  read_without(folder.path(), "step_trace_time.csv:2: Free: 'x'");
}

TEST_CASE("profile: quotes that never end are no reason to keep a file in memory") {
  const ScratchDirectory folder;
  not_read(folder.add("kernel_details.csv", kHeads + "0,\"a" + std::string(2 << 20, ' ')),
           "a line of more than");
  not_read(folder.add("kernel_details.csv", kHeads + "0,\"a\n" + std::string(1 << 20, '\n')),
           "cells, expected 8");
  std::string lines = kHeads + "0,\"a";
  for (int i = 0; i < 1000; ++i) lines += "\nb,c";
  not_read(folder.add("kernel_details.csv", lines), "cells, expected 8");
  // Such a row is left out, and those behind it are read.
  const std::string good = "\n0,a,t,AI_CORE,1,2,0,1\n";
  read_without(folder.add("kernel_details.csv", lines + good), "damaged rows");
  std::string odd = kHeads;
  for (int i = 0; i < 200'000; ++i) odd += "0,\"a,t,AI_CORE,1,2,0\n";
  read_without(folder.add("kernel_details.csv", odd + good), "damaged rows");
}

TEST_CASE("profile: what unpacks to hundreds of times its size is refused, also where its lines are short") {
  const ScratchDirectory folder;
  constexpr std::size_t kMegabytes = 66;
  constexpr std::size_t kLine = 1 << 14;
  std::string blank;
  while (blank.size() < kMegabytes << 20) blank += std::string(kLine, ' ') + '\n';
  not_read(folder.add("kernel_details.csv", gzip(kHeads + blank)), "unpacks to more than 200 times its size");
}

TEST_CASE("profile: times of other clocks, and kernels out of order, have no gaps") {
  const ScratchDirectory folder;
  const auto span = [&](const std::string& lines) {
    return read_profile(folder.add("kernel_details.csv", kHeads + lines)).ranks.at(0).span;
  };
  const auto known = span("0,a,t,c,\"1736413971558972.912\t\",2,0,1\n0,a,t,c,1736413971558975.000,1,0,1\n");
  REQUIRE(known);
  CHECK(known->last - known->first == 3'088'000_ps);
  CHECK(known->covered == 3_us);
  CHECK_FALSE(span("0,a,t,c,5,2,0,1\n0,a,t,c,4,1,0,1\n"));
  CHECK_FALSE(span("0,a,t,c,5,2,0,1\n0,a,t,c,1736413971558975.000,1,0,1\n"));
  CHECK_FALSE(span("0,a,t,c,N/A,2,0,1\n"));
  not_read(folder.add("kernel_details.csv", kHeads + "0,a,t,c,5x,2,0,1\n"), "Start Time(us): '5x'");
}
