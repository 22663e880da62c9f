#include "traces/import/kineto.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/diagnosis/rules/advice.h"
#include "sim/diagnosis/rules/advice_report.h"
#include "tests/scratch_directory.h"
#include "traces/formats/gzip.h"
#include "traces/import/imported_timeline.h"
#include "traces/import/profile.h"
#include "traces/import/profiled_job.h"

namespace a3sim {
namespace {

using Catch::Matchers::Contains;

// Two products, an exchange of 1,024 bf16 elements that the second one hides for 2 us, and what is no kernel.
std::string time_line(const std::string& rank) {
  return R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "X"}],
"distributedInfo": {"backend": "nccl", "rank": )" +
         rank + R"(, "world_size": 2},
"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 9, "tid": 9, "ts": 1742490378358139.000, "dur": 50.0},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1742490378358140.250, "dur": 10.5, "args": {"device": 0, "stream": 7}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1742490378358152.750, "dur": 9.5, "args": {"device": 0, "stream": 7}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 20, "ts": "1742490378358160.250", "dur": 6.0,
 "args": {"device": 0, "stream": 20, "Collective name": "allreduce", "In msg nelems": 1024, "Out msg nelems": 1024, "Group size": 2, "dtype": "BFloat16"}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH", "pid": 0, "tid": 7, "ts": 1742490378358166.250, "dur": 1.0, "args": {"device": 0}},
{"ph": "s", "cat": "ac2g", "name": "ac2g", "pid": 0, "tid": 7, "ts": 1742490378358140.250}
]})";
}

constexpr std::int64_t kUs = 1'000'000;

TEST_CASE("Kernels and exchanges of PyTorch's profiler are read with their sizes, one file a rank") {
  const ScratchDirectory folder;
  folder.add("traces/b.json", time_line("1"));
  folder.add("traces/a.json", time_line("0"));
  const Profile profile = read_profile(folder / "traces");
  REQUIRE(profile.ranks.size() == 2);
  const RankProfile& rank = profile.ranks.at(1);
  CHECK(rank.operators.size() == 2);
  const Occurrences& gemm = rank.operators.at("gemm");
  CHECK(gemm.count == 2);
  CHECK(gemm.total == Duration(20 * kUs));
  CHECK(rank.exchanges.at("allreduce").total == Duration(6 * kUs));
  CHECK(rank.packets.at(2048).count == 1);
  REQUIRE(rank.steps);
  // From 140.25 to 167.25; kernels take 10.5 + 9.5 + 1; of the exchange 160.25..166.25 products hide 160.25..162.25.
  CHECK(rank.steps->length == Duration(27 * kUs));
  CHECK(rank.steps->computing == Duration(21 * kUs));
  CHECK(rank.steps->communication == Duration(6 * kUs));
  CHECK(rank.steps->exposed == Duration(4 * kUs));
}

TEST_CASE(
    "What PyTorch's profiler saw on devices is shown kernel by kernel, exchanges on a lane of their own") {
  const ScratchDirectory folder;
  folder.add("traces/b.json", time_line("1"));
  folder.add("traces/a.json", time_line("0"));
  const ImportedTimeline shown(folder.add("kernels.csv", kineto_kernels_csv(folder / "traces")));
  REQUIRE(shown.full_steps().size() == 1);
  CHECK(shown.ranks() == 2);
  const FullStep step = shown.full(shown.full_steps().front());
  REQUIRE(step.operators.size() == 8);
  const OperatorRecord& first = step.operators.front();
  CHECK(shown.names().at(first.op) == "gemm");
  CHECK((first.rank == 0 && first.start == Duration::zero() && first.end == Duration(10 * kUs + kUs / 2)));
  const OperatorRecord& exchange = step.operators[6];
  CHECK(shown.names().at(exchange.op) == "allreduce");
  CHECK((exchange.rank == 1 && exchange.lane == Lane::kCommunication));
  CHECK((exchange.start == Duration(20 * kUs) && exchange.end == Duration(26 * kUs)));
}

TEST_CASE("A Kineto time line is a watched job, whose parts add up to each rank's step") {
  const ScratchDirectory folder;
  folder.add("traces/b.json", time_line("1"));
  folder.add("traces/a.json", time_line("0"));
  const ProfiledJob job(folder / "traces");
  CHECK(job.ranks() == 2);
  const ProfiledTime& time = *job.profiled_time();
  REQUIRE(time.steps.size() == 2);
  for (const StepTime& step : time.steps) {
    CHECK(step.length == Duration(27 * kUs));
    CHECK(step.computing == Duration(21 * kUs));
    CHECK(step.hidden == Duration(2 * kUs));
    CHECK(step.transferring == Duration(4 * kUs));  // all ranks enter the exchange at one time: none waits
    CHECK(step.free == Duration(2 * kUs));          // between the products
  }
  REQUIRE(time.exchanges.size() == 2);
  CHECK(time.exchanges.front().bytes == 2048);
  job.each_step([](std::uint32_t, std::span<const LightRecord> records) { CHECK(records.size() == 2); });
  CHECK(is_job_profile(folder / "traces"));
  folder.add("traces/c.json", time_line("0"));
  CHECK_THROWS_WITH(ProfiledJob(folder / "traces"), Contains("c.json: rank 0 is of an earlier file"));
}

TEST_CASE(
    "Steps of a Kineto time line are those that the device saw, and what runs between them counts in none") {
  const ScratchDirectory folder;
  const std::string step =
      R"({"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#4", "pid": 0, "tid": 7, "ts": 1742490378358140.000, "dur": 11.0, "args": {"device": 0}},
{"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#5", "pid": 0, "tid": 7, "ts": 1742490378358152.000, "dur": 14.25, "args": {"device": 0}},
)";
  std::string text = time_line("0");
  text.insert(text.find("[\n") + 2, step);
  const ProfiledJob job(folder.add("a.json", text));
  REQUIRE(job.full_steps().size() == 2);
  CHECK(job.number_of(0) == 4);
  CHECK(job.full(0).operators.size() == 1);
  CHECK(job.full(1).operators.size() == 2);  // the copy begins behind the step's end
}

TEST_CASE("A Kineto time line that is damaged says so, and others are left to their own readers") {
  const ScratchDirectory folder;
  const std::string whole = time_line("0");
  CHECK_THROWS_WITH(read_profile(folder.add("cut.json", whole.substr(0, whole.size() / 2))),
                    Contains("cut.json"));
  CHECK_THROWS_WITH(read_profile(folder.add("empty.json", R"({"deviceProperties": [], "traceEvents": []})")),
                    Contains("nothing that ran on a device"));
  std::string without_time = whole;
  without_time.replace(without_time.find("1742490378358152.750"), 20, "\"soon\"");
  const Profile read = read_profile(folder.add("without_time.json", without_time));
  CHECK(read.ranks.at(0).operators.at("gemm").count == 1);
  REQUIRE(read.notes.size() == 1);
  CHECK_THAT(read.notes.front(), Contains("1 events without a start"));
  CHECK_FALSE(is_kineto(
      folder.add("cycles.json", R"({"megaKernelCycleTrace": {}, "traceEvents": [{"cat": "kernel"}]})")));
}

TEST_CASE("advice on a trace of PyTorch's profiler names that profiler, not Ascend's") {
  const ScratchDirectory folder;
  folder.add("traces/a.json", time_line("0"));
  folder.add("traces/b.json", time_line("1"));
  const ProfiledJob job(folder / "traces");
  const Advice advice = advise(job, read_rules(std::filesystem::path(A3SIM_SOURCE_DIR) / "configs/advice"));
  const std::string text = advice_text(advice);
  INFO(text);
  REQUIRE_FALSE(advice.findings.empty());
  CHECK_THAT(text, Contains("trace all ranks"));
  for (const char* other : {"profiler_level", "aic_metrics", "torch_npu", "NPU", "HCCL", "ASCEND"})
    CHECK_THAT(text, !Contains(other));
}

}  // namespace
}  // namespace a3sim
