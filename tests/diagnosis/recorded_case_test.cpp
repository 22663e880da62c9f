#include "tests/diagnosis/recorded_case.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "sim/diagnosis/rules/advice.h"

namespace a3sim {
namespace {

Advice advice_of(const CaseObservation& observation) {
  static const RuleBook kRules = read_rules(std::filesystem::path(A3SIM_SOURCE_DIR) / "configs/advice");
  return advise(observation, kRules);
}

// Returns the factor by which steps would be shorter, or their mean throughput larger, without the lost
// time. Takes the time from steps longer than usual first, in proportion to their excess.
double factor_without(const RecordedCase& recorded_case, const CaseObservation& records, double lost_ms) {
  const double all = milliseconds(records.took());
  if (!recorded_case.by_throughput) return all / (all - lost_ms);
  const std::vector<double> lengths = records.step_lengths_ms();
  const double usual = *std::ranges::min_element(lengths);
  double excess = 0, before = 0, after = 0;
  for (const double length : lengths) excess += length - usual;
  const double part = std::min(1.0, lost_ms / excess);
  for (const double length : lengths) {
    before += 1 / length;
    after += 1 / (length - part * (length - usual));
  }
  return after / before;
}

// Returns the largest factor that removing the main cause allows.
double factor_of(const RecordedCase& recorded_case) {
  const CaseObservation records(recorded_case);
  const Advice advice = advice_of(records);
  const auto found = std::ranges::find(advice.findings, recorded_case.causes.front(), &Finding::cause);
  REQUIRE(found != advice.findings.end());
  const double lost = found->lost_ms * (found->last - found->first + 1) +
                      recorded_case.unseen * recorded_case.length_ms() * recorded_case.steps;
  const double hidden = recorded_case.shards > 1 ? 1 - 1.0 / recorded_case.shards : 1;
  return factor_without(recorded_case, records, lost * hidden);
}

TEST_CASE("each published diagnosis yields its causes, in their order, from its published symptoms") {
  for (const RecordedCase& recorded_case : recorded_cases()) {
    INFO(recorded_case.title);
    const Advice advice = advice_of(CaseObservation(recorded_case));
    std::vector<std::string> found;
    for (const Finding& finding : advice.findings)
      if (std::ranges::find(recorded_case.causes, finding.cause) != recorded_case.causes.end())
        found.push_back(finding.cause);
    CHECK(found == recorded_case.causes);
    REQUIRE_FALSE(advice.findings.empty());
    // What hides no communication costs more there than what makes it long.
    CHECK(advice.findings.front().cause ==
          (recorded_case.title == "VGG16, 8 NPUs" ? "parallel.overlap" : recorded_case.causes.front()));
  }
}

TEST_CASE("published factors lie within what is possible at most without the cause") {
  int published = 0;
  for (const RecordedCase& recorded_case : recorded_cases()) {
    if (recorded_case.published == 0) continue;
    INFO(recorded_case.title);
    CHECK(factor_of(recorded_case) >= recorded_case.published);
    ++published;
  }
  CHECK(published == 4);
}

TEST_CASE("jobs whose throughput was published are compared by the mean of their steps' throughputs") {
  // A mean of 53.33 of 60 TFLOP/s, and of 85 of 106: steps' lengths alone would give 1.48 and 3.1.
  for (const RecordedCase& recorded_case : recorded_cases()) {
    if (recorded_case.title == "MoE, 9000 NPUs")
      CHECK(factor_of(recorded_case) == Approx(60 / 53.33).epsilon(0.01));
    if (recorded_case.title == "18000 NPUs")
      CHECK(factor_of(recorded_case) == Approx(106.0 / 85).epsilon(0.01));
  }
}

TEST_CASE("a recorded case: slow steps are as many as it says, and longer by what the host took") {
  const CaseObservation job(
      RecordedCase{.title = "made",
                   .causes = {"host.gc"},
                   .ranks = 2,
                   .steps = 20,
                   .step = {{.name = "A", .from_ms = 2, .to_ms = 8, .cores = 0.5},
                            {.lane = Lane::kCommunication,
                             .name = "B",
                             .from_ms = 8,
                             .to_ms = 10,
                             .bytes = 100e6,
                             .uses = 0.5}},
                   .delays = {{.share = 0.25, .ranks = {1}, .kind = HostKind::kCollect, .length_ms = 6}}});
  std::uint32_t slow = 0;
  Duration before{};
  job.each_step([&](std::uint32_t step, std::span<const LightRecord> records) {
    REQUIRE(records.size() == 2);
    const Duration length = records[0].release - before;
    before = records[0].release;
    const bool is_slow = length == 16'000'000'000_ps;
    slow += is_slow;
    if (!is_slow) CHECK(length == 10'000'000'000_ps);
    CHECK((step % 4 == 3) == is_slow);
    CHECK(records[1].start - records[0].start == (is_slow ? 6'000'000'000_ps : Duration::zero()));
  });
  CHECK(slow == 5);
  CHECK(before == job.took());
  const FullStep full = job.full(3);
  REQUIRE(full.host.size() == 1);
  CHECK(full.host[0].rank == 1);
  CHECK(full.host[0].kind == HostKind::kCollect);
  // 100 MB at half of 100 GB/s are the 2 ms of B.
  REQUIRE(full.transfers.size() == 2);
  CHECK(full.transfers[0].end - full.transfers[0].start == 2'000'000'000_ps);
}

}  // namespace
}  // namespace a3sim
