#include "traces/import/profiled_job.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "sim/diagnosis/jobs/monitor.h"
#include "sim/diagnosis/observe/file_observation.h"
#include "sim/diagnosis/rules/advice.h"
#include "tests/few.h"
#include "tests/scratch_directory.h"
#include "traces/formats/trace_format.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

const fs::path kConfigFolder = fs::path(A3SIM_SOURCE_DIR) / "configs";

void write(const fs::path& path, std::string_view contents) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << contents;
}

// A small job, recorded in full, and the profiles that it is exported as.
void record_profiled(const fs::path& directory, const std::string& faults,
                     Recording recording = Recording::kFull, std::uint32_t steps = 18) {
  const std::vector<std::string> sets{"model.tokens=512", "experiment.pass=forward",
                                      "noise={durations: 2 %, rates: 1 %, seed: 5}", "faults=" + faults};
  const JobSpec spec = load_job(kConfigFolder / "experiments/ep4.yaml", sets, {});
  MonitorOptions options;
  options.steps = steps;
  options.recording = recording;
  monitor(spec, options, [&](std::string_view file, std::string_view contents) {
    write(directory / "job" / file, contents);
  });
}

// Returns the findings but those that a job without faults has as well: how far kernels are from what their pipes could do,
// and exchanges that nothing hides.
std::vector<Finding> of_faults(const Advice& advice) {
  std::vector<Finding> findings;
  for (const Finding& finding : advice.findings)
    if (finding.cause != "compute.underused" && finding.cause != "comm.exposed") findings.push_back(finding);
  return findings;
}

void export_job(const fs::path& directory) {
  for (const OutputFile& file : TraceFormats::get("ascend").write_job(FileObservation(directory / "job")))
    write(directory / "profiles" / file.path, file.contents);
}

}  // namespace

TEST_CASE("profiles of a job: the cause and the place are those that its own records give") {
  const RuleBook rules = read_rules(kConfigFolder / "advice");
  for (const char* fault :
       few(2, {"kind: clock, ranks: [2], factor: 0.8", "kind: hbm, ranks: [1], factor: 0.4",
               "kind: port, ranks: [3], side: egress, factor: 0.2", "kind: path, from: 1, to: 0, factor: 0.1",
               "kind: launch, ranks: [1], add: 22 ms",
               "kind: pause, ranks: [2], every: 3, at: 0 ms, length: 40 ms",
               "kind: operator, name: GMM1, ranks: all, factor: 1.5"})) {
    INFO(fault);
    const ScratchDirectory scratch;
    record_profiled(scratch.path(), std::string("[{") + fault + ", steps: [9, 17]}]");
    export_job(scratch.path());
    const Advice direct = advise(FileObservation(scratch.path() / "job"), rules);
    const ProfiledJob job(scratch.path() / "profiles");
    const Advice profiled = advise(job, rules);
    REQUIRE_FALSE(direct.findings.empty());
    REQUIRE_FALSE(profiled.findings.empty());
    const Finding &a = direct.findings.front(), &b = profiled.findings.front();
    CHECK(a.cause == b.cause);
    CHECK(a.ranks == b.ranks);
    CHECK(a.links == b.links);
    CHECK(a.operators == b.operators);
    CHECK(a.first == b.first);
    CHECK(a.last == b.last);
    CHECK(b.lost_ms == Approx(a.lost_ms).epsilon(0.1));
    REQUIRE_FALSE(b.evidence.empty());
    CHECK(b.evidence.front().place.text.find("sim_") == 0);
    // Nothing but the machine is missing, so that the causes that need it cannot be told.
    REQUIRE(profiled.missing.size() == 1);
    CHECK(profiled.missing.front().column.find("--machine") != std::string::npos);
  }
}

TEST_CASE(
    "profiles of a job that is slow from its first step: hosts, ports and paths, without a step to compare "
    "with") {
  struct Slow {
    const char *fault, *cause;
    std::vector<std::uint32_t> ranks;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> links{};
  };
  const std::vector<std::uint32_t> all{0, 1, 2, 3};
  const RuleBook rules = read_rules(kConfigFolder / "advice");
  for (const Slow& slow :
       few(2, {Slow{"kind: compile, ranks: [1], every: 1, at: 0 ms, length: 20 ms", "host.compile", {1}},
               Slow{"kind: log, ranks: all, every: 1, at: 0 ms, length: 20 ms", "host.environment", all},
               Slow{"kind: launch, ranks: [1], add: 22 ms", "host.dispatch", {1}},
               Slow{"kind: load, ranks: all, read: 5 ms, process: 40 ms, fetch: 1 ms, workers: 1, queue: 4",
                    "io.process", all},
               Slow{"kind: port, ranks: [3], side: egress, factor: 0.3", "comm.link", {3}},
               Slow{"kind: port, ranks: [2], side: ingress, factor: 0.3", "comm.link", {2}},
               Slow{"kind: path, from: 1, to: 0, factor: 0.2", "comm.link", {}, {{1, 0}}}})) {
    INFO(slow.fault);
    const ScratchDirectory scratch;
    record_profiled(scratch.path(), std::string("[{") + slow.fault + "}]", Recording::kFull, 4);
    export_job(scratch.path());
    const Advice advice = advise(ProfiledJob(scratch.path() / "profiles"), rules);
    const std::vector<Finding> findings = of_faults(advice);
    REQUIRE(findings.size() == 1);
    const Finding& finding = findings.front();
    CHECK(finding.cause == slow.cause);
    CHECK(finding.ranks == slow.ranks);
    CHECK(finding.links == slow.links);
    CHECK(finding.steady);
  }
  const ScratchDirectory scratch;
  record_profiled(scratch.path(), "[]", Recording::kFull, 4);
  export_job(scratch.path());
  CHECK(of_faults(advise(ProfiledJob(scratch.path() / "profiles"), rules)).empty());
}

TEST_CASE("profiles of a job: operators, transfers and times are its own") {
  const ScratchDirectory scratch;
  record_profiled(scratch.path(), "[{kind: clock, ranks: [2], factor: 0.8, steps: [9, 17]}]");
  export_job(scratch.path());
  const FileObservation direct(scratch.path() / "job");
  const ProfiledJob job(scratch.path() / "profiles",
                        [&](std::uint32_t, std::uint32_t) { return direct.machine(); });
  CHECK(job.missing().empty());
  REQUIRE(job.full_steps() == direct.full_steps());
  const FullStep a = direct.full(12), b = job.full(12);
  REQUIRE(a.transfers.size() == b.transfers.size());
  std::size_t compared = 0;
  for (const OperatorRecord& record : a.operators) {
    for (const OperatorRecord& other : b.operators) {
      if (record.rank != other.rank || direct.names()[record.op] != job.names()[other.op] ||
          record.lane != other.lane)
        continue;
      ++compared;
      constexpr double kRounded = 2e6;  // ps: profiles say nanoseconds, and means over cores
      CHECK(std::abs(static_cast<double>((record.end - record.start - other.end + other.start).count())) <
            kRounded);
      if (record.lane != Lane::kCompute) continue;
      CHECK(static_cast<double>(other.run.count()) ==
            Approx(static_cast<double>(record.run.count())).epsilon(1e-3));
      CHECK(static_cast<double>(other.clock) == Approx(static_cast<double>(record.clock)).epsilon(1e-3));
      CHECK(other.hbm_bytes == Approx(record.hbm_bytes).epsilon(1e-3));
      if (record.core == CoreKind::kCube) CHECK(other.operations == Approx(record.operations).epsilon(1e-3));
    }
  }
  CHECK(compared == a.operators.size());
}

TEST_CASE("profiles of a job: without steps in full of all ranks there is nothing to export") {
  const ScratchDirectory scratch;
  record_profiled(scratch.path(), "[]", Recording::kLight);
  CHECK_THROWS_WITH(export_job(scratch.path()), Catch::Matchers::Contains("--record full"));
}

}  // namespace a3sim
