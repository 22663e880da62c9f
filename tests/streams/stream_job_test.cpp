#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "sim/diagnosis/jobs/monitor.h"
#include "sim/diagnosis/observe/file_observation.h"
#include "sim/diagnosis/rules/advice.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/streams/first_batch.h"
#include "tests/scratch_directory.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kSteps = 16, kFirst = 8;  // steps of a job, and the first that is slow

const std::vector<std::string> kEven{"routing={kind: balanced}"};

JobSpec stream_job(const std::string& faults = "[]", std::vector<std::string> set = {}) {
  set.insert(set.begin(), {"network.backend=native", "experiment.seeds=1", "experiment.micro_batches=1",
                           "noise={durations: 1 %, rates: 0.5 %, seed: 7}", "faults=" + faults});
  return load_job(configs_folder() / "experiments" / "feplb.yaml", set, {});
}

using RecordFiles = std::map<std::string, std::string>;

RecordFiles recorded(const JobSpec& spec, std::uint32_t steps, unsigned threads) {
  RecordFiles files;
  MonitorOptions options{steps, Recording::kNext, threads, {}};
  options.limits = read_locate_limits(configs_folder() / kLocateFile);
  monitor(spec, options,
          [&](std::string_view name, std::string_view contents) { files[std::string(name)] = contents; });
  return files;
}

Advice advice_on(const std::string& faults, const std::vector<std::string>& set = {}) {
  const ScratchDirectory scratch;
  for (const auto& [name, contents] : recorded(stream_job(faults, set), kSteps, 2))
    if (name != "truth.json") scratch.add(name, contents);
  return advise(FileObservation(scratch.path()), read_rules(configs_folder() / "advice"));
}

// The most costly finding of a job with this fault in its later steps, where it must begin.
Finding found(const std::string& fault, const std::vector<std::string>& set = {}) {
  const Advice advice = advice_on("[{" + fault + ", steps: [8, 15]}]", set);
  REQUIRE(!advice.findings.empty());
  CHECK(advice.findings.front().first == kFirst);
  return advice.findings.front();
}

}  // namespace

TEST_CASE("a step of streams without faults and noise is the run, task by task to the picosecond") {
  const JobSpec spec = stream_job();
  Job job(spec, 1);
  const JobStep step = job.reference();
  const FirstBatch first(spec.experiment);
  REQUIRE(step.passes.size() == 2);
  for (std::size_t p = 0; p < 2; ++p) {
    StreamPass alone = first.write(spec.experiment, p);
    first.run(alone, spec.experiment, nullptr);
    const PassWork& ran = *step.passes[p].ran.work;
    CHECK(step.passes[p].ran.makespan == alone.result.makespan);
    std::vector<std::size_t> next(ran.ranks.size());
    for (std::size_t t = 0; t < alone.program.tasks.size(); ++t) {
      const StreamTask& task = alone.program.tasks[t];
      if (task.units > 0 && alone.program.kinds[task.kind].host) continue;
      const StreamRecord& record = alone.result.records[t];
      REQUIRE(next[index(task.rank)] < ran.ranks[index(task.rank)].size());
      const PassWork::Task& same = ran.ranks[index(task.rank)][next[index(task.rank)]++];
      CHECK(ran.operators[same.op].name == task.name);
      CHECK(same.asked == record.asked.time_since_epoch());
      CHECK(same.start == record.start.time_since_epoch());
      CHECK(same.end == record.end.time_since_epoch());
    }
    for (std::size_t rank = 0; rank < next.size(); ++rank) {
      CHECK(next[rank] == ran.ranks[rank].size());
      CHECK(step.light[rank * 2 + p].bytes == static_cast<double>(alone.result.sent[rank]));
    }
  }
}

TEST_CASE("light records of streams: own time and waits end when a rank is through, bytes are those sent") {
  const JobSpec spec = stream_job();
  Job job(spec, 1);
  const JobStep step = job.reference();
  for (const LightRecord& record : step.light) {
    CHECK(record.start <= record.arrival);
    CHECK(record.arrival <= record.release);
    CHECK(record.waited <= record.arrival - record.start);
    CHECK(record.longest <= record.waited);
    double sent = 0;
    for (const TransferRecord& transfer : step.passes[record.pass].ran.work->transfers)
      if (transfer.src == record.rank) sent += transfer.bytes;
    CHECK(record.bytes == sent);
    CHECK(record.rows > 0);
    CHECK(record.whom != record.rank);
  }
}

TEST_CASE("a job of streams in which nothing is wrong has no finding but its own routing") {
  const Advice even = advice_on("[]", kEven);
  CHECK(even.slow == 0);
  CHECK(even.findings.empty());
  const Advice skewed = advice_on("[]");
  CHECK(skewed.slow == 0);
  REQUIRE(skewed.findings.size() == 1);
  CHECK(skewed.findings.front().cause == "load.imbalance");
  // Ranks with more rows take longer in all of their kernels: that is no memory that is slow.
  for (const Finding& info : skewed.infos) CHECK(info.cause != "compute.hbm");
}

TEST_CASE("what is injected into a job of streams is found where it is") {
  const Finding clock = found("kind: clock, ranks: [3], factor: 0.8");
  CHECK(clock.cause == "compute.clock");
  CHECK(clock.ranks == std::vector<std::uint32_t>{3});

  const Finding hbm = found("kind: hbm, ranks: [5], factor: 0.4");
  CHECK(hbm.cause == "compute.hbm");
  CHECK(hbm.ranks == std::vector<std::uint32_t>{5});

  const Finding port = found("kind: port, ranks: [1], side: egress, factor: 0.3");
  CHECK(port.cause == "comm.link");
  CHECK(port.ranks == std::vector<std::uint32_t>{1});
  CHECK(port.side == "egress");

  const Finding path = found("kind: path, from: 3, to: 6, factor: 0.05");
  CHECK(path.cause == "comm.link");
  CHECK(path.links == std::vector<std::pair<std::uint32_t, std::uint32_t>>{{3, 6}});

  const Finding slow = found("kind: operator, ranks: [2], name: GMM1, factor: 1.5", kEven);
  CHECK(slow.operators == std::vector<std::string>{"GMM1"});
  CHECK(slow.ranks == std::vector<std::uint32_t>{2});

  const Finding late = found("kind: start, ranks: [4], late: 3 ms");
  CHECK(late.ranks == std::vector<std::uint32_t>{4});
}

TEST_CASE("records of streams are the same bytes whatever the threads, and twice") {
  const std::string faults =
      "[{kind: clock, ranks: [3], factor: 0.8, steps: [2, 3]}, {kind: resend, ranks: [1], chance: 0.2, "
      "timeout: "
      "100 us}, {kind: port, ranks: [0], factor: 0.4, period: 900 us, duty: 40 %, steps: [4, 5]}, "
      "{kind: pause, ranks: all, every: 3, at: 10 us, length: 30 ms, phase: rank}]";
  const JobSpec spec = stream_job(faults);
  const RecordFiles once = recorded(spec, 6, 1);
  CHECK(once == recorded(spec, 6, 1));
  CHECK(once == recorded(spec, 6, 3));
}

TEST_CASE("another configuration in some steps is that of a run with it") {
  const JobSpec spec = stream_job("[{kind: config, set: {experiment.method: none}, steps: [1, 1]}]",
                                  {"noise={durations: 0 %}"}),
                other = stream_job("[]", {"noise={durations: 0 %}", "experiment.method=none"});
  std::vector<Duration> took;
  Job(spec, 1).run(3, false, [&](JobStep&& step) { took.push_back(step.passes[0].ran.makespan); });
  CHECK(took[0] == took[2]);
  CHECK(took[1] == Job(other, 1).reference().passes[0].ran.makespan);
  CHECK(took[1] != took[0]);
}

TEST_CASE("a rank's clock changes its kernels and nobody else's") {
  const JobSpec spec = stream_job("[]", {"ranks.clock={2: 0.5}"}), usual = stream_job();
  const StreamPass slow = FirstBatch(spec.experiment).write(spec.experiment, 0),
                   same = FirstBatch(usual.experiment).write(usual.experiment, 0);
  REQUIRE(slow.program.tasks.size() == same.program.tasks.size());
  for (std::size_t t = 0; t < same.program.tasks.size(); ++t) {
    const StreamTask &a = slow.program.tasks[t], &b = same.program.tasks[t];
    CHECK((a.name == b.name && a.rank == b.rank && a.after == b.after));
    if (a.rank != RankId{2}) CHECK(a.job.ideal == b.job.ideal);
    if (a.rank == RankId{2} && a.matrix) CHECK(seconds(a.job.ideal) > 1.5 * seconds(b.job.ideal));
    CHECK(a.hold == b.hold);  // what a host and a copy engine do has no such clock
  }
}

}  // namespace a3sim
