#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sim/core/ids.h"
#include "sim/diagnosis/rules/advice.h"
#include "sim/diagnosis/rules/advice_report.h"
#include "tests/scratch_directory.h"
#include "tests/traces/single_step.h"
#include "traces/import/imported.h"
#include "traces/import/profile_report.h"
#include "traces/import/profiled_job.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

constexpr const char* kAdviceHeader =
    "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim,Mix Block Dim,"
    "aicore_time(us),aiv_time(us)\n";
constexpr std::int64_t kProfileBegin = 1'699'529'622'790'614;

std::string kernel_line(const std::string& name, const std::string& type, const std::string& core, int start,
                        const std::string& duration, const std::string& rest = "24,0,0,0") {
  return fmt::format("1,{},{},{},{},{},0,{}\n", name, type, core, kProfileBegin + start, duration, rest);
}

std::string collective(int start, int duration) {
  return kernel_line("hcom_broadcast__445_0", "hcom_broadcast_", "HCCL", start, std::to_string(duration),
                     "0,N/A,N/A,N/A");
}

// As a data-parallel rank's: 1 ms of a product, 3 ms of a broadcast with 0.1 ms of a cast beside it, 1 ms of nothing, 1 ms
// of a cast.
std::string broadcast_alone() {
  return kAdviceHeader + kernel_line("MatMul12", "MatMul", "AI_CORE", 0, "1000") + collective(1000, 3000) +
         kernel_line("Cast66", "Cast", "AI_VECTOR_CORE", 1500, "100") +
         kernel_line("Cast67", "Cast", "AI_VECTOR_CORE", 5000, "1000");
}

std::filesystem::path add_table(const ScratchDirectory& folder, const std::string& rows,
                                const std::string& home = "x_ascend_pt") {
  return folder.add(home + "/ASCEND_PROFILER_OUTPUT/kernel_details.csv", rows);
}

const Finding& finding_of(const Advice& advice, const std::string& cause) {
  const auto found = std::ranges::find(advice.findings, cause, &Finding::cause);
  INFO(advice_text(advice));
  REQUIRE(found != advice.findings.end());
  return *found;
}

}  // namespace

TEST_CASE("a collective that runs alone is a finding, and import and advise agree on its time") {
  const ScratchDirectory folder;
  add_table(folder, broadcast_alone());
  const Advice advice = advise(ProfiledJob(folder.path()), book());
  const Finding& exposed = finding_of(advice, "comm.exposed");
  CHECK(exposed.lost_ms == Approx(2.9));
  CHECK(exposed.operators == std::vector<std::string>{"hcom_broadcast"});
  CHECK_THAT(exposed.evidence.front().place.text, Contains("kernel_details.csv:3"));
  CHECK(&exposed == &advice.findings.front());
  const Profile profile = read_profile(folder.path());
  REQUIRE(profile.ranks.at(0).steps);
  CHECK(profile.ranks.at(0).steps->exposed == 2'900_us);
  CHECK(profile.ranks.at(0).operators.at("hcom_broadcast").total == 3'000_us);
}

TEST_CASE("time in which nothing runs on a device is a finding where its host was not recorded") {
  const ScratchDirectory folder;
  add_table(folder, broadcast_alone());
  const Advice advice = advise(ProfiledJob(folder.path()), book());
  const Finding& idle = finding_of(advice, "device.idle");
  CHECK(idle.lost_ms == Approx(1.0));
  REQUIRE(idle.evidence.size() == 2);
  CHECK(idle.evidence[1].value == Approx(1.0));
  CHECK_THAT(idle.evidence[1].what, Contains("before Cast"));
  CHECK_THAT(idle.evidence[1].place.text, Contains("kernel_details.csv:5"));
  const Profile profile = read_profile(folder.path());
  REQUIRE(profile.ranks.at(0).span);
  const KernelSpan& span = *profile.ranks.at(0).span;
  CHECK(span.last - span.first - span.covered == 1'000_us);
}

TEST_CASE("gaps are not told of kernels that are not in the order of their starts") {
  const ScratchDirectory folder;
  add_table(folder, kAdviceHeader + kernel_line("a", "a", "AI_CORE", 9000, "10") +
                        kernel_line("b", "b", "AI_CORE", 0, "10"));
  const ProfiledJob job(folder.path());
  CHECK_FALSE(job.idle_unexplained());
  CHECK(advise(job, book()).findings.empty());
  CHECK(std::ranges::any_of(job.missing(), [](const Missing& missing) {
    return missing.column == "kernel_details.csv: kernels in the order of their starts";
  }));
}

TEST_CASE("a collective of which communication.json tells the waits is a finding with its parts") {
  const ScratchDirectory folder;
  add_table(folder, broadcast_alone());
  folder.add(
      "x_ascend_pt/ASCEND_PROFILER_OUTPUT/communication.json",
      fmt::format(R"json({{"step1":{{"collective":{{"hcom_broadcast__445_0@g":)json"
                  R"json({{"Communication Time Info":{{"Start Timestamp(us)":{},"Elapse Time(ms)":3,)json"
                  R"json("Transit Time(ms)":1,"Wait Time(ms)":2}}}}}}}}}})json",
                  kProfileBegin + 1000));
  const ProfiledJob job(folder.path());
  CHECK(job.exchanges_split());
  const FullStep full = job.full(0);
  CHECK(std::ranges::count(full.operators, Lane::kCommunication, &OperatorRecord::lane) == 1);
  const Advice advice = advise(job, book());
  const Finding& exposed = finding_of(advice, "comm.exposed");
  CHECK(exposed.lost_ms == Approx(2.9));
  REQUIRE(exposed.evidence.size() == 3);  // as a whole, transferring, waiting
  CHECK_THAT(exposed.evidence[1].what, Contains("transferring"));
  CHECK(exposed.evidence[1].value == Approx(1));
  CHECK_THAT(exposed.evidence[2].what, Contains("waiting for other ranks"));
  CHECK(exposed.evidence[2].value == Approx(2));
  CHECK(exposed.missing.empty());
}

TEST_CASE("the rank that is shortest in a collective says what it costs, the others wait in it") {
  const ScratchDirectory folder;
  for (const int rank : {0, 1}) {
    const std::string home = fmt::format("node{}_ascend_pt", rank);
    folder.add(fmt::format("{}/profiler_info_{}.json", home, rank), "{}");
    const int late = rank == 1 ? 2000 : 0;
    add_table(folder,
              kAdviceHeader + kernel_line("MatMul12", "MatMul", "AI_CORE", 0, std::to_string(1000 + late)) +
                  collective(1000 + late, 3000 - late) +
                  kernel_line("Cast67", "Cast", "AI_CORE", 4000, "1000"),
              home);
  }
  const Finding exposed = finding_of(advise(ProfiledJob(folder.path()), book()), "comm.exposed");
  CHECK(exposed.lost_ms == Approx(1.0));
  CHECK(exposed.ranks == std::vector<std::uint32_t>{0, 1});
  CHECK_THAT(exposed.evidence.front().what, Contains("of rank 1"));
  CHECK_THAT(exposed.evidence.back().what, Contains("rank 0 is in them {} longer"));
  CHECK(exposed.evidence.back().value == Approx(2.0));
}

TEST_CASE("kernels are summed up by type, with their names below, and keep their types in a result") {
  const ScratchDirectory folder;
  add_table(folder, broadcast_alone());
  const Profile profile = read_profile(folder.path());
  CHECK(profile.by_type().at("Cast").count == 2);
  CHECK(profile.ranks.at(0).operators.at("Cast66").type == "Cast");
  const nlohmann::json report = profile_report(profile, kNone).json();
  CHECK(report["types"][0]["name"] == "hcom_broadcast");
  CHECK(report["operators"].size() == 4);
  for (const auto& [name, contents] : imported_files(profile)) folder.add("result/" + name, contents);
  CHECK(read_imported(folder.path() / "result").by_type().at("Cast").total == 1'100_us);
  const ProfiledJob job(folder.path() / "x_ascend_pt");
  CHECK(std::ranges::count(job.names(), "Cast") == 1);
}

TEST_CASE("a mixed kernel runs on the cores of both kinds") {
  const ScratchDirectory folder;
  add_table(folder, kAdviceHeader + kernel_line("Flash", "Flash", "MIX_AIC", 0, "100", "20,40,100,100") +
                        kernel_line("Reverse", "Reverse", "MIX_AIV", 100, "100", "40,20,100,50"));
  const Profile profile = read_profile(folder.path());
  const Names& names = profile.ranks.at(0).operators;
  CHECK(names.at("Flash").workers == 60);
  CHECK(names.at("Flash").run == 60 * 100_us);
  CHECK(names.at("Reverse").workers == 60);
  CHECK(names.at("Reverse").run == 20 * 100_us + 40 * 50_us);
  const nlohmann::json report = profile_report(profile, kNone).json();
  CHECK(report["operators"][0]["cores_busy"] == Approx(1));
  const ProfiledJob job(folder.path());
  CHECK(job.machine().aic == 20);
  CHECK(job.machine().aiv == 40);
}

TEST_CASE("a rank with kernels that have no duration is left out of that step, and named") {
  const ScratchDirectory folder;
  for (const int rank : {0, 1}) {
    const std::string home = fmt::format("node{}_ascend_pt", rank);
    folder.add(fmt::format("{}/profiler_info_{}.json", home, rank), "{}");
    add_table(folder,
              kAdviceHeader + kernel_line("a", "a", "AI_CORE", 0, "1000") +
                  kernel_line("b", "b", "AI_CORE", 1000, rank == 1 ? "N/A" : "1000"),
              home);
  }
  const ProfiledJob job(folder.path());
  CHECK(job.full(0).ranks == std::vector<std::uint32_t>{0});
  for (const OperatorRecord& record : job.full(0).operators) CHECK(record.rank == 0);
  CHECK(std::ranges::any_of(job.missing(), [](const Missing& missing) {
    return missing.column == "kernel_details.csv: durations of 1 kernels of rank 1 in step 1";
  }));
}

TEST_CASE("the framework's operators on hosts are seen, the outermost for those in it") {
  const ScratchDirectory folder;
  add_table(folder, broadcast_alone());
  const auto op = [](const char* name, int start, int length) {
    return fmt::format(R"json({{"ph":"X","name":"{}","cat":"cpu_op","ts":"{}.25","dur":{}}})json", name,
                       kProfileBegin + start, length);
  };
  folder.add("x_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json",
             "[" + op("aten::empty", 4100, 50) + "," + op("aten::_to_copy", 4090, 500) + "," +
                 op("aten::to", 4080, 600) + "," + op("aten::add", 4800, 100) + "]");
  const ProfiledJob job(folder.path());
  const FullStep full = job.full(0);
  REQUIRE(full.host.size() == 2);
  CHECK(full.host[0].count == 3);
  CHECK(full.host[0].length() == 600_us);
  const Finding idle = finding_of(advise(job, book()), "device.idle");
  REQUIRE(idle.evidence.size() == 3);
  CHECK_THAT(idle.evidence[2].what, Contains("operators of the framework"));
  CHECK(idle.evidence[2].value == Approx(0.7));
}

TEST_CASE("a time line of another recording is named, and not laid beside the kernels") {
  const ScratchDirectory folder;
  add_table(folder, broadcast_alone());
  folder.add(
      "x_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json",
      R"json([{"ph":"X","name":"aten::add","cat":"cpu_op","ts":"1704161511420306.491","dur":13}])json");
  const ProfiledJob job(folder.path());
  CHECK(job.full(0).host.empty());
  CHECK(std::ranges::any_of(job.missing(), [](const Missing& missing) {
    return missing.column.find("1 events are left out: their times are of another recording") !=
           std::string::npos;
  }));
}

TEST_CASE("a kernel that is listed again under another name counts once, in sums and in advice") {
  const ScratchDirectory folder;
  const std::string once = kernel_line("Flash", "FlashAttentionScore", "AI_CORE", 0, "400");
  add_table(folder, kAdviceHeader + once +
                        kernel_line("Flash_varlen", "FlashAttentionScore", "AI_CORE", 0, "400") +
                        kernel_line("Flash", "FlashAttentionScore", "AI_CORE", 500, "400"));
  CHECK(ProfiledJob(folder.path()).full(0).operators.size() == 2);
  const Profile profile = read_profile(folder.path());
  CHECK(profile.by_type().at("FlashAttentionScore").count == 2);
  REQUIRE(profile.notes.size() == 1);
  CHECK_THAT(profile.notes[0], Contains("1 rows repeat a kernel"));
}

TEST_CASE("kernels of times that lie far apart have no critical path, and the step says so") {
  const ScratchDirectory folder;
  add_table(folder, kAdviceHeader + kernel_line("MatMul1", "MatMul", "AI_CORE", 0, "5000") +
                        kernel_line("Add1", "Add", "AI_VECTOR_CORE", 2'000'000, "5000"));
  const Advice advice = advise(ProfiledJob(folder.path()), book());
  CHECK_FALSE(advice.path.has_value());
  CHECK(std::ranges::any_of(advice.missing, [](const Missing& missing) {
    return missing.column.find("10.0 of 2005.0 ms have a kernel") != std::string::npos;
  }));
}
