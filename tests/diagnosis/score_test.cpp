#include "bench/score/score.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/score/isolation.h"
#include "sim/core/error.h"
#include "sim/diagnosis/jobs/monitor.h"
#include "sim/diagnosis/locate/rank_step.h"
#include "sim/diagnosis/observe/file_observation.h"
#include "sim/diagnosis/rules/advice_report.h"
#include "tests/scratch_directory.h"

namespace a3sim {
namespace {

const std::filesystem::path kConfigs = std::filesystem::path(A3SIM_SOURCE_DIR) / "configs";
const std::filesystem::path kAnswers = std::filesystem::path(A3SIM_SOURCE_DIR) / "bench/score/answers.yaml";

// A small job that was recorded in a directory.
void record(const std::filesystem::path& directory, const std::string& faults, unsigned threads,
            const std::string& name = "small") {
  const std::vector<std::string> sets{"model.tokens=512", "experiment.pass=forward",
                                      "experiment.name=" + name,
                                      "noise={durations: 2 %, rates: 1 %, seed: 5}", "faults=" + faults};
  const JobSpec spec = load_job(kConfigs / "experiments/ep4.yaml", sets, {});
  MonitorOptions options;
  options.steps = 24;
  options.threads = threads;
  monitor(spec, options, [&](std::string_view file, std::string_view contents) {
    std::filesystem::create_directories((directory / file).parent_path());
    std::ofstream(directory / file, std::ios::binary) << contents;
  });
  std::ofstream(directory / "resolved.yaml") << spec.experiment.resolved;
}

ScoredJob score_of(const std::filesystem::path& job, const std::vector<Answer>& answers) {
  return score(FileObservation(job), job / "truth.json", read_rules(kConfigs / "advice"), answers);
}

std::string advice_on(const std::filesystem::path& directory) {
  return advice_json(advise(FileObservation(directory), read_rules(kConfigs / "advice"))).dump();
}

TEST_CASE("advice follows from records alone: no truth, no name, no number of threads") {
  const ScratchDirectory scratch;
  const std::string faults = "[{kind: clock, ranks: [2], factor: 0.8, steps: [12, 23]}]";
  record(scratch.path() / "one", faults, 1);
  record(scratch.path() / "two", faults, 2, "another");
  const std::string before = advice_on(scratch.path() / "one");
  CHECK(before.find("compute.clock") != std::string::npos);
  CHECK(advice_on(scratch.path() / "two") == before);
  std::filesystem::remove(scratch.path() / "one/truth.json");
  CHECK(advice_on(scratch.path() / "one") == before);
}

TEST_CASE("a score knows a fault that was found from one that was not") {
  const ScratchDirectory scratch;
  record(scratch.path() / "job", "[{kind: clock, ranks: [1], factor: 0.8, steps: [12, 23]}]", 1);
  std::vector<Answer> answers = read_answers(kAnswers);
  const ScoredJob right = score_of(scratch.path() / "job", answers);
  REQUIRE(right.faults.size() == 1);
  CHECK(right.faults[0].found);
  CHECK(right.faults[0].placed);
  CHECK(right.faults[0].slowdown > 0.03);
  CHECK(right.faults[0].delay <= 2);
  REQUIRE(right.findings.size() == 1);
  CHECK(right.findings[0].right);
  CHECK_FALSE(right.findings[0].healthy);
  CHECK(right.false_slow == 0);
  // A finding of twelve steps is not right about a fault of two of them.
  const std::filesystem::path truth = scratch.path() / "job/truth.json";
  nlohmann::ordered_json shorter = nlohmann::ordered_json::parse(std::ifstream(truth));
  const nlohmann::ordered_json whole = shorter;
  shorter["faults"][0]["steps"] = {22, 23};
  std::ofstream(truth) << shorter;
  CHECK_FALSE(score_of(scratch.path() / "job", answers).findings.at(0).right);
  std::ofstream(truth) << whole;
  for (Answer& answer : answers) answer.causes = {"io.read"};
  const ScoredJob wrong = score_of(scratch.path() / "job", answers);
  CHECK_FALSE(wrong.faults[0].found);
  CHECK_FALSE(wrong.findings.at(0).right);
}

TEST_CASE("a fault that full queues hide for a while begins when it is felt") {
  const ScratchDirectory scratch;
  record(scratch.path() / "job",
         "[{kind: load, ranks: all, read: 100 us, process: 4 ms, fetch: 100 us, workers: 1, queue: 8, steps: "
         "[8, 23]}]",
         1);
  const ScoredJob job = score_of(scratch.path() / "job", read_answers(kAnswers));
  REQUIRE(job.faults.size() == 1);
  CHECK(job.faults[0].found);
  CHECK(job.faults[0].felt >= 8 + 4);
  CHECK(job.faults[0].delay <= 2);
}

TEST_CASE("what a fault costs is measured by the same job without it") {
  const ScratchDirectory scratch;
  const std::filesystem::path job = scratch.path() / "job";
  // A start that is late by less than the rank waits for its batches costs nothing.
  record(job,
         "[{kind: load, ranks: [1], read: 100 us, process: 9 ms, fetch: 100 us, workers: 1, queue: 2, steps: "
         "[2, 23]}, {kind: start, ranks: [1], late: 1 ms, steps: [12, 17]}, {kind: config, steps: [20, 21], "
         "set: {routing: {kind: sampled, seed: 3, skew: 0.5}}}]",
         1);
  const std::vector<Answer> answers = read_answers(kAnswers);
  CHECK_FALSE(score_of(job, answers).isolated);
  isolate_faults(job, 1);
  const std::vector<Truth> truths = read_truth(job / "truth.json");
  const std::vector<StepsWithout> without = read_isolated(job, truths, 24);
  REQUIRE(without.size() == 3);
  std::vector<double> took;
  RankSteps steps(4);
  FileObservation(job).each_step([&](std::uint32_t, std::span<const LightRecord> records) {
    steps.add(records);
    took.push_back(steps.took());
  });
  for (std::size_t s = 0; s < 12; ++s) CHECK(without[1][s] == took[s]);
  for (std::size_t s = 0; s < 2; ++s) CHECK(without[0][s] == took[s]);
  const ScoredJob scored = score_of(job, answers);
  CHECK(scored.isolated);
  REQUIRE(scored.faults.size() == 3);
  CHECK(scored.faults[0].slowdown > 0.5);
  CHECK(std::abs(scored.faults[1].slowdown) < 0.01);
  CHECK_THROWS_AS(read_isolated(job, {truths.front()}, 24), InputError);
}

TEST_CASE("each kind of faults has an answer") {
  const std::vector<Answer> answers = read_answers(kAnswers);
  for (const auto& [kind, item] : FaultKinds::all()) {
    INFO(kind);
    CHECK(std::ranges::any_of(
        answers, [&](const Answer& answer) { return answer.kind == kind && answer.with.empty(); }));
  }
}

}  // namespace
}  // namespace a3sim
