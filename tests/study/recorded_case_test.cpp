#include "sim/study/published/recorded_case.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "sim/core/error.h"
#include "sim/diagnosis/rules/advice.h"
#include "sim/study/published/comparison.h"

namespace a3sim {
namespace {

using Catch::Matchers::Contains;

const std::filesystem::path kCaseConfigs = std::filesystem::path(A3SIM_SOURCE_DIR) / "configs";

RecordedCase case_of(const std::string& text) {
  Diagnostics diagnostics;
  RecordedCase recorded_case = read_recorded_case(Config::parse(text, "case.yaml", {}, diagnostics));
  diagnostics.throw_if_any();
  return recorded_case;
}

const std::string kSmall = R"(case: made
source: here
causes: [host.gc]
ranks: 2
steps: 20
machine: {operations: 1e12, hbm: 1 TB/s, port: 1 GB/s, startup: 0 us}
step:
  - {compute: A, from: 2 ms, to: 8 ms, cores: 0.5}
  - {communication: B, from: 8 ms, to: 10 ms, bytes: 1 MB, uses: 0.5}
slow:
  - {share: 0.25, ranks: [1], host: gc, length: 6 ms}
)";

TEST_CASE("each published diagnosis yields its causes, in their order, from its published symptoms") {
  const RuleBook rules = read_rules(kCaseConfigs / "advice");
  const std::vector<std::string> names = recorded_cases(kCaseConfigs);
  REQUIRE(names.size() >= 10);
  for (const std::string& name : names) {
    INFO(name);
    const RecordedCase recorded_case = read_recorded_case(kCaseConfigs / "cases" / (name + ".yaml"));
    const Advice advice = advise(CaseObservation(recorded_case), rules);
    std::vector<std::string> found;
    for (const Finding& finding : advice.findings)
      if (std::ranges::find(recorded_case.causes, finding.cause) != recorded_case.causes.end())
        found.push_back(finding.cause);
    CHECK(found == recorded_case.causes);
    REQUIRE_FALSE(advice.findings.empty());
    // What hides no communication costs more there than what makes it long.
    CHECK(advice.findings.front().cause ==
          (name == "vgg16" ? "parallel.overlap" : recorded_case.causes.front()));
  }
}

TEST_CASE("a recorded case: slow steps are as many as it says, and longer by what the host took") {
  const CaseObservation job(case_of(kSmall));
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
  // 1 MB at half of 1 GB/s is the 2 ms of B.
  REQUIRE(full.transfers.size() == 2);
  CHECK(full.transfers[0].end - full.transfers[0].start == 2'000'000'000_ps);
}

TEST_CASE(
    "published factors lie within what is possible at most, and throughput is compared where the paper "
    "does") {
  const Scenario scenario{.configs = kCaseConfigs};
  const PublishedTable table = read_published_table(kCaseConfigs, "hermes");
  std::size_t bounds = 0;
  for (const Comparison& one : compare(table, predict(table, scenario).points)) {
    INFO(one.point.coordinates.dump());
    CHECK(one.point.at_most);
    if (one.reference) CHECK(one.point.value >= one.reference->in("x"));
    bounds += one.reference.has_value();
    // A mean of 53.33 of 60 TFLOP/s, and of 85 of 106: steps' lengths alone would give 1.48 and 3.1.
    if (one.point.coordinates["case"] == "MoE, 9000 NPUs")
      CHECK(one.point.value == Approx(60 / 53.33).epsilon(0.01));
    if (one.point.coordinates["case"] == "18000 NPUs")
      CHECK(one.point.value == Approx(106.0 / 85).epsilon(0.01));
  }
  CHECK(bounds == 4);
}

TEST_CASE("a recorded case: what is wrong with it is said with its place") {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = kSmall;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  CHECK_THROWS_WITH(case_of(with("host.gc]", "host.cg]")), Contains("case.yaml:3") && Contains("host.cg"));
  CHECK_THROWS_WITH(case_of(with("to: 8 ms", "to: 1 ms")), Contains("expected a date behind"));
  CHECK_THROWS_WITH(case_of(with("ranks: [1]", "ranks: [2]")), Contains("below 2"));
  CHECK_THROWS_WITH(case_of(with("share", "shares")), Contains("shares"));
}

}  // namespace
}  // namespace a3sim
