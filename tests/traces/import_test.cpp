#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/core/error.h"
#include "tests/scratch_directory.h"
#include "tests/traces/made_trace.h"
#include "tests/traces/profile_near.h"
#include "traces/formats/gzip.h"
#include "traces/formats/trace_format.h"
#include "traces/import/profile_report.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

const std::string kImportHeader =
    "Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim\n";

void refused(const fs::path& path, const std::string& why) {
  CHECK_THROWS_AS(read_profile(path), InputError);
  CHECK_THROWS_WITH(read_profile(path), Contains(why));
}

std::string cycles(
    const std::string& events,
    const std::string& summary = R"("schemaVersion":1,"recordCount":1,"droppedRecordCount":0)") {
  return R"({"traceEvents":[)" + events + R"(],"megaKernelCycleTrace":{)" + summary + "}}";
}
std::string event(const std::string& name, const std::string& more = R"("dur":2.5)") {
  return R"({"ph":"X","pid":7,"name":")" + name + R"(",)" + more + R"(,"args":{"rank":1,"start_cycle":5}})";
}

}  // namespace

TEST_CASE("import: what was exported is read as what was simulated") {
  const ScratchDirectory folder;
  const std::vector<TracedPass> passes = made_passes();
  for (const OutputFile& file : TraceFormats::get("ascend").write(passes))
    folder.add("p/" + file.path, file.contents);
  const Profile kernels = read_profile(folder.path() / "p");
  CHECK(kernels.unit == ProfileUnit::kKernel);
  check_same(profile_of(passes, ProfileUnit::kKernel), kernels);

  const std::string trace = TraceFormats::get("cycles").write(passes).front().contents;
  check_same(profile_of(passes, ProfileUnit::kTask), read_profile(folder.add("t.json", trace)));
  CHECK(kernels.ranks.at(0).exchanges.at("put").transit == 2 * 200'000_ps);  // of both passes
  CHECK(kernels.ranks.at(0).steps->exposed > Duration::zero());
  const Profile packed = read_profile(folder.add("t.json.gz", gzip(trace)));
  check_same(profile_of(passes, ProfileUnit::kTask), packed);
  CHECK(packed.notes.empty());
  const nlohmann::json report = mismatch_report(packed, profile_of(passes, ProfileUnit::kTask), {}).json();
  for (const nlohmann::json& row : report["operators"]) CHECK(row["error"] == 0);
  CHECK(report["operators"].size() == 3);
  CHECK_FALSE(report.contains("unknown"));
  CHECK_FALSE(report.contains("missing"));
}

TEST_CASE("import: the profilers' oddities are read") {
  const ScratchDirectory folder;
  folder.add("host_1_ascend_pt/profiler_info_5.json", "{}");
  folder.add("host_1_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv",
             "\xef\xbb\xbfStep Id,Name,Start Time(us),Duration(us),Wait Time(us),Block Num,Input "
             "Shapes,sim_l2_hit(%)\r\n"
             "1,MatMul,\"1736413971558972.912\t\",185.504,1.087,16,\"\"\"81920,4096;8192,512\"\"\",80\r\n"
             "1,MatMul,\"1736413971559172.912\t\",100,N/A,16,N/A,N/A\r\n"
             "\r\n"
             "1,Event,N/A,N/A,N/A,N/A,N/A,N/A\n");
  folder.add("host_2_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv",
             kImportHeader + "0,\"a,b\",t,AI_CORE,1,2,0,1\n");
  folder.add("PROF_1/mindstudio_profiler_output/op_summary_20240101.csv",
             "Op Name,OP Type,Task Start Time(us),Task Duration(us),Task Wait Time(us)\nAdd,Add,1,3.5,1");
  const Profile read = read_profile(folder.path());
  REQUIRE(read.ranks.size() == 3);
  const Occurrences& matmul = read.ranks.at(5).operators.at("MatMul");
  CHECK(matmul.count == 2);
  CHECK(matmul.total == 285'504'000_ps);
  CHECK(matmul.least == 100_us);
  CHECK(matmul.waited == 1'087'000_ps);
  CHECK(matmul.hits_known == 1);
  CHECK(matmul.hits == Approx(0.8));
  CHECK_FALSE(read.ranks.at(5).operators.contains("Event"));
  REQUIRE(read.notes.size() == 1);
  CHECK_THAT(read.notes[0], Contains("1 kernels without a duration"));
  CHECK(read.ranks.at(0).operators.at("Add").total == 3'500'000_ps);
  CHECK(read.ranks.at(1).operators.at("a,b").total == 2_us);
}

TEST_CASE("import: each rank is read once, and none for another") {
  const ScratchDirectory folder;
  const std::string one = kImportHeader + "0,a,t,AI_CORE,1,2,-3,1\n";
  const std::string summary = "Op Name,Task Duration(us)\na,7\n";
  // msprof's table beside the profiler's says the same again.
  folder.add("all/x_ascend_pt/profiler_info_0.json", "{}");
  folder.add("all/x_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", one);
  folder.add("all/x_ascend_pt/PROF_1/mindstudio_profiler_output/op_summary_1.csv", summary);
  // Slices of one table, of a rank that nobody names.
  folder.add("all/a_ascend_pt/PROF_1/mindstudio_profiler_output/op_summary_0_1.csv", summary);
  folder.add("all/a_ascend_pt/PROF_1/mindstudio_profiler_output/op_summary_0_2.csv", summary);
  const Profile read = read_profile(folder.path() / "all");
  REQUIRE(read.ranks.size() == 2);
  CHECK(read.ranks.at(0).operators.at("a").total == 2_us);
  CHECK(read.ranks.at(0).operators.at("a").waited == Duration::zero());
  CHECK(read.ranks.at(1).operators.at("a").total == 14_us);
  CHECK(read.notes.empty());
  folder.add("all/y_ascend_pt/profiler_info_0.json", "{}");
  folder.add("all/y_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv", one);
  const Profile twice = read_profile(folder.path() / "all");
  CHECK(twice.ranks.at(0).operators.at("a").count == 1);
  REQUIRE(twice.notes.size() == 1);
  CHECK_THAT(twice.notes[0], Contains("y_ascend_pt: left out: rank 0"));
}

TEST_CASE("import: L2 hit rates come from the profiler's counters too") {
  const ScratchDirectory folder;
  const std::string heads =
      "Name,Duration(us),aic_r0_read_cache_hit,aic_r0_read_cache_miss_allocate,aic_r1_read_cache_hit,"
      "aic_r1_read_cache_miss_allocate,aiv_r0_read_cache_hit,aic_write_cache_hit\n";
  const auto names =
      read_profile(folder.add("kernel_details.csv",
                              heads + "a,1,60,20,15,5,7,9\n" + "b,1,0,0,0,0,7,9\nc,1,N/A,N/A,1,0,7,9\n"))
          .ranks.at(0)
          .operators;
  CHECK(names.at("a").hits == Approx(0.75));
  CHECK(names.at("b").hits_known == 0);
  CHECK(names.at("c").hits == Approx(1));
}

TEST_CASE("import: names are text, and there is an end to them") {
  Profile profile;
  profile.at(0, "a\xff\x1b[31m \xc3\xa4").add(1_us, Duration::zero());
  CHECK(profile.ranks.at(0).operators.contains("a??[31m \xc3\xa4"));
  CHECK_NOTHROW(profile_report(profile, kNone).json().dump());
  CHECK_THROWS_WITH(profile.at(0, std::string(5000, 'x')), Contains("names of kernels"));
  Occurrences most;
  most.add(Duration(std::int64_t{1} << 60), Duration::zero());
  CHECK_THROWS_AS(
      [&] {
        for (int i = 0; i < 9; ++i) most += most;
      }(),
      InputError);
  CHECK_THROWS_AS(
      [&] {
        for (int i = 0; i < 9; ++i) most.wait(Duration(std::int64_t{1} << 60));
      }(),
      InputError);
}

TEST_CASE("import: a table that is cut off, or no profiler's, is refused with its line") {
  const ScratchDirectory folder;
  const auto table = [&](const std::string& text) { return folder.add("kernel_details.csv", text); };
  refused(table(""), "kernel_details.csv: is empty");
  refused(table("Name,Start\n"), "kernel_details.csv:1: no column 'Duration(us)' or 'Task Duration(us)'");
  refused(table(kImportHeader + "0,a,b,AI_CORE,1,2\n"), "kernel_details.csv:2: 6 cells, expected 8");
  refused(table(kImportHeader + "0,a,b,AI_CORE,1,-2,0,1\n"), "kernel_details.csv:2: Duration(us): '-2'");
  refused(table(kImportHeader + "0,a,b,AI_CORE,1,1e300,0,1\n"), "'1e300'");
  refused(table(kImportHeader + "0,a,b,AI_CORE,1,nan,0,1\n"), "'nan'");
  refused(table(kImportHeader + "0,a,b,AI_CORE,1,2x,0,1\n"), "'2x'");
  refused(table(kImportHeader + std::string(2 << 20, 'x')), "kernel_details.csv:2: a line of more than");
  std::string many = kImportHeader;
  for (int i = 0; i < 4000; ++i) many += "0,a,b,AI_CORE," + std::to_string(i) + ",1e9,0,1\n";
  refused(table(many), "26 days");
  // Packed, it would fill the memory.
  const std::string bomb = gzip(kImportHeader + std::string(64 << 20, ' '));
  refused(table(bomb), "kernel_details.csv:2: a line of more than");
  refused(table(gzip(kImportHeader).substr(0, 40)), "kernel_details.csv: cannot be read");
}

TEST_CASE("import: what is no profile is refused, loops of links end") {
  const ScratchDirectory folder;
  refused(folder.path() / "nothing", "does not exist");
  refused(folder.path(), "is no profile");
  refused(folder.add("a.txt", "x"), "is no profile");
  fs::create_directory_symlink(folder.path(), folder.path() / "loop");
  refused(folder.path(), "is no profile");
  folder.add("kernel_details.csv", kImportHeader);
  CHECK(read_profile(folder.path()).ranks.empty());
}

TEST_CASE("import: the runtime's records are read in both of their spellings") {
  const ScratchDirectory folder;
  const std::string three = R"("schemaVersion":1,"recordCount":7,"droppedRecordCount":2,"warnings":["late"])";
  const Profile read = read_profile(folder.add(
      "t.json", cycles(R"({"ph":"M","name":"process_name","pid":7,"args":{"name":"x"}},)" + event("GMM1") +
                           "," + event("Expert3_W1Grad_task72") + "," + event("W1Grad_WaitDependency") + "," +
                           event("GMM1_TriggerEvent") + "," + event("Expert_odd") + "," +
                           event("Expert0_GMM1_WaitDependency_task9") + "," + event("Lone_WaitDependency") +
                           "," + event("aten::mm", R"("cat":"cpu_op","dur":1)"),
                       three)));
  const auto& names = read.ranks.at(1).operators;
  CHECK(names.size() == 4);
  CHECK(names.at("GMM1").count == 1);
  CHECK(names.at("GMM1").waited == 2'500'000_ps);
  CHECK(names.at("Lone").count == 0);
  CHECK_THAT(profile_report(read, kNone).text(), Contains("Lone") && !Contains("9223372036"));
  CHECK(names.at("GMM1").total == 2'500'000_ps);
  CHECK(names.at("GMM_w1_grad").count == 1);
  CHECK(names.at("GMM_w1_grad").waited == 2'500'000_ps);
  CHECK(names.contains("Expert_odd"));
  REQUIRE(read.notes.size() == 3);
  CHECK_THAT(read.notes[0], Contains("dropped 2 records"));
  CHECK_THAT(read.notes[1], Contains("records without a start"));
  CHECK_THAT(read.notes[2], Contains("1 warnings"));
}

TEST_CASE("import: a trace that is cut off, hostile or of another kind is refused") {
  const ScratchDirectory folder;
  const auto trace = [&](const std::string& text) { return folder.add("t.json", text); };
  refused(trace(""), "t.json:1:1: syntax error");
  refused(trace(cycles(event("a")).substr(0, 60)), "t.json:1:61: syntax error");
  refused(trace(R"({"traceEvents":[]})"), "no megaKernelCycleTrace");
  refused(trace(cycles(event("a"), R"("schemaVersion":2)")), "schemaVersion 2, expected 1");
  refused(trace(cycles("")), "no records");
  refused(trace(cycles(event("a", R"("dur":-1)"))), "record 1: dur: -1");
  refused(trace(cycles(event("a", R"("x":1)"))), "record 1: dur");
  refused(trace(cycles(event("a", R"("dur":1e30)"))), "record 1: dur");
  refused(trace(cycles(event(std::string(3 << 20, 'a')))), "a text or a number of more than");
  std::string quotes;
  for (int i = 0; i < 1 << 20; ++i) quotes += "\\\"";
  refused(trace(cycles(event(quotes))), "a text or a number of more than");
  CHECK_NOTHROW(
      read_profile(trace(cycles(event("a", R"("dur":1,"pad":[)" + std::string(2 << 20, ' ') + "]")))));
  refused(trace(std::string(100'000, '[')), "deeper than 64 levels");
}

TEST_CASE("import: what is off by most time comes first, and names that only one has are listed") {
  Profile profile, simulated;
  profile.at(0, "big").add(100_us, Duration::zero());
  profile.at(1, "big").add(300_us, Duration::zero());
  for (int i = 0; i < 50; ++i) profile.at(0, "small").add(10_us, Duration::zero());
  profile.at(0, "theirs").add(1_us, Duration::zero());
  profile.at(0, "odd").add(1_us, Duration::zero());
  simulated.at(0, "big").add(150_us, Duration::zero());
  simulated.at(0, "small").add(13_us, Duration::zero());
  simulated.at(0, "ours").add(2_us, Duration::zero());
  simulated.at(0, "alone").add(2_us, Duration::zero());
  const nlohmann::json report = mismatch_report(profile, simulated, {{"theirs", "ours"}}).json();
  REQUIRE(report["operators"].size() == 3);
  CHECK(report["operators"][0]["name"] == "small");  // 50 x 3 us; big 2 x 50 us
  CHECK(report["operators"][0]["error"] == Approx(0.3));
  CHECK(report["operators"][1]["measured_mean_ps"] == 200'000'000);
  CHECK(report["operators"][1]["off_ps"] == 100'000'000);
  CHECK(report["operators"][2]["name"] == "ours");
  CHECK_THAT(report["unknown"].get<std::string>(), Contains("odd") && !Contains("theirs"));
  CHECK_THAT(report["missing"].get<std::string>(), Contains("alone"));
}
