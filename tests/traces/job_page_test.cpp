#include "sim/diagnosis/pages/job_page.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/core/atomic_file.h"
#include "sim/core/error.h"
#include "sim/diagnosis/pages/step_map.h"
#include "tests/scratch_directory.h"
#include "tests/traces/made_observation.h"
#include "traces/import/imported_timeline.h"

using namespace a3sim;
using Catch::Contains;

namespace {

// What a page says, without what it keeps packed.
nlohmann::json said_by(const Page& page) {
  const std::string html = page.html("a3sim");
  const std::string begin = "id=\"a3sim-page\">";
  const std::size_t from = html.find(begin) + begin.size();
  return nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from));
}

OperatorRecord kernel_from_to(std::uint32_t rank, double from, double to, Lane lane) {
  OperatorRecord record;
  record.rank = rank;
  record.op = lane == Lane::kCommunication ? 1 : 0;
  record.lane = lane;
  record.core = CoreKind::kCube;
  record.start = made_ms(from);
  record.end = made_ms(to);
  return record;
}

// Two of rank 0's kernels overlap; an exchange begins when a kernel ends.
FullStep step_with_overlap() {
  FullStep step;
  step.step = 3;
  step.operators = {kernel_from_to(0, 5, 7, Lane::kCompute), kernel_from_to(0, 6, 8, Lane::kCompute),
                    kernel_from_to(0, 8, 9, Lane::kCompute), kernel_from_to(1, 7, 9, Lane::kCommunication)};
  return step;
}

// Steps 4 to 6 of ten take 13 ms, the others 10.
MadeObservation job_with_slow_steps() {
  return MadeObservation(2, 10, [](std::uint32_t step, std::uint32_t rank) {
    MadeObservation::Own own;
    if (rank == 1 && step >= 4 && step < 7) own.work += 3;
    return own;
  });
}

Advice advice_of_slow_steps() {
  Advice advice;
  advice.ranks = 2;
  advice.steps = 10;
  advice.slow = 3;
  advice.slow_steps = {4, 5, 6};
  advice.usual_ms = 10;
  return advice;
}

}  // namespace

TEST_CASE("The map of steps sums what slow steps took above the usual one", "[job_page]") {
  const MadeObservation job = job_with_slow_steps();
  const Advice advice = advice_of_slow_steps();
  const StepMap map(job, advice);
  constexpr int kSteps = 10, kSlow = 3;
  CHECK(map.took_ms() == Approx(kSteps * 10.0 + kSlow * 3.0));
  CHECK(map.lost_ms() == Approx(kSlow * 3.0));
  CHECK(map.slow_ms() == Approx(13));
}

TEST_CASE("Measures that nobody saw are not on the map of steps", "[job_page]") {
  const MadeObservation job = job_with_slow_steps();
  const Advice advice = advice_of_slow_steps();
  Page page("job", "");
  StepMap(job, advice).add_to(page);
  const nlohmann::json section = said_by(page)["sections"][0];
  CHECK(section["kind"] == "job");
  CHECK(section["steps"]["rows"] == 10);
  CHECK(section["cells"]["rows"] == 20);
  CHECK(section["measures"][0]["name"] == "own work");
  for (const nlohmann::json& measure : section["measures"]) CHECK(measure["name"] != "host late");
}

TEST_CASE("Kernels that overlap have a lane each, one behind the other they share one", "[job_page]") {
  MadeObservation job = job_with_slow_steps();
  Page page("job", "");
  const ObservedRun run{"job", &job, {{"step 3", step_with_overlap()}}};
  CHECK(add_observed(page, "Timeline", std::span(&run, 1)) == 0);
  const nlohmann::json pass = said_by(page)["sections"][0]["runs"][0]["passes"][0];
  CHECK(pass["recorded"] == true);
  CHECK(pass["makespan_ps"] == 4 * kMsOfMade);  // from the first kernel on
  CHECK(pass["kinds"].dump() == R"([{"count":2,"name":"compute"},{"count":1,"name":"exchanges"}])");
}

TEST_CASE("Records beyond the most lanes are counted", "[job_page]") {
  MadeObservation job = job_with_slow_steps();
  FullStep step;
  constexpr std::size_t kLanes = 12, kMore = 3;
  for (std::size_t i = 0; i < kLanes + kMore; ++i)
    step.operators.push_back(kernel_from_to(0, 1, 2, Lane::kCompute));
  Page page("job", "");
  const ObservedRun run{"job", &job, {{"step 0", step}}};
  CHECK(add_observed(page, "Timeline", std::span(&run, 1)) == kMore);
}

TEST_CASE("A page of a job has its answer, steps, findings and a timeline", "[job_page]") {
  MadeObservation job = job_with_slow_steps();
  job.full_records.push_back(step_with_overlap());
  Advice advice = advice_of_slow_steps();
  Finding& finding = advice.findings.emplace_back();
  finding.cause = "compute.clock";
  finding.ranks = {1};
  finding.first = 4;
  finding.last = 6;
  finding.lost_ms = 3;
  finding.share = 0.3;
  finding.explains = 1;
  finding.add({"clock, of the nominal", "", 0.77, 0.97, "operators.csv:3"});
  finding.remedies.push_back({"cool it"});
  Page page("job", "");
  add_job(page, job, advice, "job");
  std::vector<std::string> kinds;
  nlohmann::json findings;
  const nlohmann::json said = said_by(page);
  for (const nlohmann::json& section : said["sections"]) {
    kinds.push_back(section["kind"]);
    if (section["kind"] == "findings") findings = section["findings"];
  }
  CHECK(kinds == std::vector<std::string>{"blocks", "job", "findings", "runs", "blocks"});
  CHECK(findings[0]["parts"].dump() == R"([{"first":4,"last":6,"ranks":[1]}])");
  CHECK(findings[0]["pass"] == "steps 4 to 6");
  CHECK_THAT(findings[0]["lost"].get<std::string>(), Contains("3.000 ms per step (30.0 %)"));
}

TEST_CASE("Kernels of an imported profile are read back as they were written", "[job_page]") {
  MadeObservation job = job_with_slow_steps();
  FullStep step = step_with_overlap();
  step.operators.front().wait = made_ms(0.25);
  job.full_records.push_back(step);
  const ScratchDirectory scratch;
  const std::filesystem::path file = scratch.path() / "kernels.csv";
  write_file_atomically(file, kernels_csv(job));
  const ImportedTimeline timeline(file);
  CHECK(timeline.ranks() == 2);
  REQUIRE(timeline.full_steps() == std::vector<std::uint32_t>{3});
  const FullStep read = timeline.full(3);
  REQUIRE(read.operators.size() == step.operators.size());
  for (std::size_t i = 0; i < read.operators.size(); ++i) {
    CHECK(read.operators[i].start == step.operators[i].start - made_ms(5));  // since the first kernel
    CHECK(read.operators[i].end == step.operators[i].end - made_ms(5));
    CHECK(read.operators[i].lane == step.operators[i].lane);
    CHECK(timeline.names().at(read.operators[i].op) == job.names().at(step.operators[i].op));
  }
  CHECK(read.operators.front().wait == made_ms(0.25));
  write_file_atomically(file, kernels_csv(job) + "3,0,A,compute,AI_CORE,7,6,0\n");
  CHECK_THROWS_WITH(ImportedTimeline(file), Contains("ends before it starts"));
}
