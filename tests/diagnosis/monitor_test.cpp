#include "sim/diagnosis/jobs/monitor.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "sim/core/error.h"
#include "sim/diagnosis/observe/file_observation.h"
#include "sim/experiment/run/run_experiment.h"
#include "tests/experiment/small_experiment.h"
#include "tests/scratch_directory.h"

namespace a3sim {
namespace {

using Sets = std::vector<std::string>;

const std::filesystem::path& small_file() {
  static const std::filesystem::path kFile = configs_folder() / "experiments" / "ep4.yaml";
  return kFile;
}

Sets with(const Sets& more) {
  Sets sets{"parallel.ep=4", "model.tokens=96",          "model.hidden=256", "model.intermediate=128",
            "model.top_k=2", "model.experts_per_rank=3", "cut.chunk=16",     "cut.task_rows=16"};
  sets.insert(sets.end(), more.begin(), more.end());
  return sets;
}

JobSpec job_of(const Sets& more, const std::string& inject = "") {
  if (inject.empty()) return load_job(small_file(), with(more), {});
  const ScratchDirectory scratch;
  return load_job(small_file(), with(more), scratch.add("inject.yaml", inject));
}

std::vector<JobStep> steps_of(const JobSpec& spec, std::uint32_t count, unsigned threads = 2,
                              bool record = false) {
  std::vector<JobStep> steps;
  Job job(spec, threads);
  job.run(count, record, [&](JobStep&& step) {
    // The job's configurations end with it.
    for (JobStep::Pass& pass : step.passes) pass.run.variant = nullptr;
    steps.push_back(std::move(step));
  });
  return steps;
}

// How long each took, from the release before; the first from its first start.
std::vector<Duration> times_of(const std::vector<JobStep>& steps) {
  std::vector<Duration> times;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const Duration begin = s > 0 ? steps[s - 1].passes.back().release
                                 : std::ranges::min(steps[0].light, {}, &LightRecord::start).start;
    times.push_back(steps[s].passes.back().release - begin);
  }
  return times;
}

Duration run_time(const Sets& more) {
  const std::vector<PassResult> passes = run_experiment(small(more), false);
  return total_of(passes);
}

std::string fault(const std::string& entry) { return "faults: [{" + entry + "}]\n"; }

// What the third of three steps takes under a fault.
Duration step_time(const Sets& more, const std::string& entry) {
  return times_of(steps_of(job_of(more, fault(entry)), 3)).back();
}

const PassWork& work_of(const JobStep& step, std::size_t pass) { return *step.passes[pass].ran.work; }

using Files = std::map<std::string, std::string, std::less<>>;
Files files_of(const JobSpec& spec, const MonitorOptions& options) {
  Files files;
  monitor(spec, options,
          [&](std::string_view name, std::string_view contents) { files[std::string(name)] = contents; });
  return files;
}

TEST_CASE("without faults and noise every step takes what a run takes, to the picosecond") {
  for (const std::string execution : {"static", "dynamic", "kernel", "fused"}) {
    CAPTURE(execution);
    const Sets more{"experiment.execution=" + execution};
    for (const Duration time : times_of(steps_of(job_of(more), 4))) CHECK(time == run_time(more));
  }
  const Sets collectives{"experiment.communication=collective"};
  for (const Duration time : times_of(steps_of(job_of(collectives), 3))) CHECK(time == run_time(collectives));
}

TEST_CASE("a slower clock, memory or port of all ranks is the machine with these values") {
  CHECK(step_time({}, "kind: clock, ranks: all, factor: 0.5") ==
        run_time({"ranks.clock={0: 0.5, 1: 0.5, 2: 0.5, 3: 0.5}"}));
  CHECK(step_time({}, "kind: hbm, ranks: all, factor: 0.5") ==
        run_time({"hardware.memory.hbm_read=771 GB/s", "hardware.memory.hbm_write=705 GB/s"}));
}

TEST_CASE("faults of one rank slow the step, and only in their window") {
  const Duration usual = run_time({});
  for (const std::string entry :
       {"kind: clock, ranks: [3], factor: 0.3", "kind: hbm, ranks: [3], factor: 0.05",
        "kind: port, ranks: [1], factor: 0.02", "kind: path, from: 3, to: 1, factor: 0.02",
        "kind: traffic, ranks: [1], rate: 195 GB/s", "kind: resend, ranks: [2], chance: 0.5, timeout: 1 ms",
        "kind: start, ranks: [2], late: 3 ms", "kind: config, set: {cut.chunk: 4}",
        "kind: sync, ranks: all, length: 1 ms"}) {
    CAPTURE(entry);
    const std::vector<Duration> times = times_of(steps_of(job_of({}, fault(entry + ", steps: [1, 2]")), 5));
    CHECK(times[0] == usual);
    CHECK(times[1] != usual);
    CHECK(times[4] == usual);
  }
}

TEST_CASE("who starts 3 ms late makes all end 3 ms later where they meet first") {
  const Sets kernels{"experiment.execution=kernel"};
  CHECK(step_time(kernels, "kind: start, ranks: [2], late: 3 ms") == run_time(kernels) + 3000_us);
}

TEST_CASE("an operator's tasks take three times their own time") {
  const auto records = [](const std::string& inject) {
    JobSpec spec = job_of({}, inject);
    std::vector<JobStep> steps;
    Job job(spec, 1);
    std::vector<Duration> times;
    job.run(1, true, [&](JobStep&& step) {
      const PassWork& work = work_of(step, 0);
      for (const PassWork::Task& task : work.ranks[1])
        if (work.operators[task.op].name == "SwiGLU") times.push_back(task.run);
    });
    return times;
  };
  const std::vector<Duration> usual = records(""),
                              slow = records(fault("kind: operator, ranks: [1], name: SwiGLU, factor: 3"));
  REQUIRE(usual.size() == slow.size());
  REQUIRE(!usual.empty());
  for (std::size_t t = 0; t < usual.size(); ++t)
    CHECK(seconds(slow[t]) ==
          Approx(3 * seconds(usual[t])).epsilon(0.02));  // steps find other lines in the L2
}

TEST_CASE("recording takes the time that it is said to take, of ranks that are recorded") {
  const Sets costs{"hosts.recording.light=20 us", "hosts.recording.full=300 us"};
  const Duration usual = run_time({});
  CHECK(times_of(steps_of(job_of(costs), 3)).back() == usual + 20_us);
  CHECK(times_of(steps_of(job_of(costs), 3, 2, true)).back() == usual + 320_us);
  // Of one rank: no more than that.
  const JobSpec spec = job_of(costs);
  Job job(spec, 2);
  const std::vector<std::uint32_t> recorded{2};
  std::vector<JobStep> steps;
  job.run(
      3, false, [&](JobStep&& step) { steps.push_back(std::move(step)); },
      [&](std::uint32_t step) { return step == 1 ? std::span(recorded) : std::span<const std::uint32_t>(); });
  const std::vector<Duration> times = times_of(steps);
  CHECK(times[1] > usual + 20_us);
  CHECK(times[1] <= usual + 320_us);
  CHECK(times[2] == usual + 20_us);
}

TEST_CASE("launches that are slower than kernels make a step as long as its launches") {
  const Sets kernels{"experiment.execution=kernel"};
  const JobSpec spec = job_of(kernels, fault("kind: launch, ranks: all, add: 5 ms"));
  const std::vector<JobStep> steps = steps_of(spec, 3);
  const auto launches = std::ranges::count_if(steps[2].host, [](const HostRecord& record) {
    return record.kind == HostKind::kLaunch && record.rank == 0;
  });
  CHECK(times_of(steps)[2] == launches * (5000_us + spec.hosts.launch));
  for (const LightRecord& record : steps[2].light) CHECK(record.late > 5000);
}

TEST_CASE("batches that come every 40 ms make steps of 40 ms, and the queues say where they wait") {
  const std::vector<JobStep> steps = steps_of(
      job_of({},
             fault("kind: load, ranks: all, read: 5 ms, process: 40 ms, fetch: 1 ms, workers: 1, queue: 4")),
      12);
  CHECK(times_of(steps).back() == 40'000_us);
  const auto& fill = steps.back().light.front().fill;
  CHECK(fill[static_cast<std::size_t>(Fill::kDevice)] == 0);
  CHECK(fill[static_cast<std::size_t>(Fill::kHost)] == 0);
  CHECK(fill[static_cast<std::size_t>(Fill::kData)] == 100);
}

TEST_CASE("a configuration that another one replaces takes what that takes") {
  CHECK(step_time({}, "kind: config, set: {cut.chunk: 4}") == run_time({"cut.chunk=4"}));
}

TEST_CASE("light records: times in order, own work, and for whom a rank waited") {
  const JobSpec spec = job_of({}, fault("kind: clock, ranks: [3], factor: 0.2"));
  for (const JobStep& step : steps_of(spec, 2)) {
    REQUIRE(step.light.size() == 8);  // four ranks, two passes
    for (const LightRecord& record : step.light) {
      CHECK(record.start <= record.arrival);
      CHECK(record.arrival <= record.release);
      CHECK(record.longest <= record.waited);
      CHECK(record.waited <= record.arrival - record.start);
      CHECK(record.late == 0);
      if (record.rank != 3) CHECK(record.whom == 3);
      CHECK(record.release == step.passes[record.pass].release);
    }
    const auto own = [&](std::uint32_t rank) {
      const LightRecord& record = step.light[rank * 2];
      return record.arrival - record.start - record.waited;
    };
    for (const std::uint32_t rank : {0, 1, 2}) CHECK(own(3) > 1.3 * own(rank));
  }
}

TEST_CASE("the work of light records is that of the tasks") {
  const JobSpec spec = job_of({});
  Job job(spec, 1);
  job.run(1, true, [&](JobStep&& step) {
    for (const LightRecord& record : step.light) {
      double operations = 0, bytes = 0;
      Duration busy{};
      for (const PassWork::Task& task : work_of(step, record.pass).ranks[record.rank]) {
        operations += task.operations;
        bytes += task.sent_bytes;
        busy += task.end - task.start;
      }
      CHECK(record.operations == operations);
      CHECK(record.bytes == bytes);
      CHECK(record.aic_busy + record.aiv_busy == Approx(microseconds(busy)));
      CHECK(record.rows == 96 * 2);  // balanced: as many come as are sent
    }
  });
}

// A union of stretches, by a flag a nanosecond.
TEST_CASE("a rank's waiting and transfers are those of its tasks, walked through") {
  const JobSpec spec = job_of({}, fault("kind: port, ranks: [1], factor: 0.05"));
  Job job(spec, 1);
  job.run(1, true, [&](JobStep&& step) {
    const PassWork& work = work_of(step, 0);
    std::vector<std::vector<bool>> sends(work.ranks.size(),
                                         std::vector<bool>(step.passes[0].ran.makespan / 1_ns + 1));
    for (const TransferRecord& put : work.transfers)
      for (auto ns = put.start / 1_ns; ns < put.end / 1_ns; ++ns)
        sends[put.src][static_cast<std::size_t>(ns)] = sends[put.dst][static_cast<std::size_t>(ns)] = true;
    for (std::uint32_t rank = 0; rank < work.ranks.size(); ++rank) {
      const auto busy = static_cast<double>(std::ranges::count(sends[rank], true));
      CHECK(1e3 * step.light[rank * 2].transfer == Approx(busy).epsilon(0.01));
    }
  });
}

TEST_CASE("records are the same bytes whatever the threads and the order of faults") {
  const std::string noise = "noise: {durations: 2 %, rates: 1 %, seed: 7}\n";
  const std::string one = "{kind: clock, ranks: [3], factor: 0.7, steps: [3, 6]}",
                    two = "{kind: resend, ranks: [1], chance: 0.1, timeout: 200 us}",
                    three = "{kind: port, ranks: [0], factor: 0.2, period: 50 us, duty: 40 %, steps: [2, 5]}",
                    four = "{kind: pause, ranks: all, every: 3, at: 10 us, length: 2 ms, phase: rank}";
  for (const std::string execution : {"static", "kernel"}) {
    const Sets more{"experiment.execution=" + execution};
    const JobSpec spec =
        job_of(more, noise + "faults: [" + one + ", " + two + ", " + three + ", " + four + "]\n");
    const JobSpec turned =
        job_of(more, noise + "faults: [" + four + ", " + three + ", " + two + ", " + one + "]\n");
    for (const Recording recording :
         {Recording::kLight, Recording::kNext, Recording::kSame, Recording::kFull}) {
      Files files = files_of(spec, {8, recording, 1, {}});
      CHECK(files == files_of(spec, {8, recording, 3, {}}));
      Files others = files_of(turned, {8, recording, 2, {}});
      files.erase("truth.json");
      others.erase("truth.json");
      CHECK(files == others);
    }
  }
}

TEST_CASE("noise differs from step to step and by its seed, and a fault does not change what is drawn") {
  const auto times = [](int seed) {
    return times_of(
        steps_of(job_of({}, "noise: {durations: 2 %, rates: 1 %, seed: " + std::to_string(seed) + "}"), 4));
  };
  CHECK(times(1) == times(1));
  CHECK(times(1) != times(2));
  CHECK(times(1)[0] != times(1)[1]);
}

TEST_CASE("what is written is read back, and the truth is not needed for it") {
  const JobSpec spec = job_of(
      {}, "noise: {durations: 2 %}\nfaults: [{kind: clock, ranks: [2], factor: 0.5, steps: [4, 6]}]\n");
  const ScratchDirectory scratch;
  for (const auto& [name, contents] : files_of(spec, {12, Recording::kNext, 2, {}}))
    if (name != "truth.json") scratch.add(name, contents);
  const FileObservation observed(scratch.path());
  CHECK(observed.ranks() == 4);
  CHECK(observed.passes() == std::vector<std::string>{"forward", "backward"});
  std::vector<LightRecord> light;
  for (const JobStep& step : steps_of(spec, 12))
    light.insert(light.end(), step.light.begin(), step.light.end());
  std::size_t next = 0;
  observed.each_step([&](std::uint32_t step, std::span<const LightRecord> records) {
    REQUIRE(records.size() == 8);
    for (const LightRecord& record : records) {
      CHECK(record.step == step);
      CHECK(observed.place_of(record).text == "light.bin:" + std::to_string(next));
      const LightRecord& expected = light[next++];
      CHECK(std::ranges::equal(std::as_bytes(std::span(&record, 1)), std::as_bytes(std::span(&expected, 1))));
    }
  });
  CHECK(next == light.size());
  CHECK(observed.reference().size() == 8);
  REQUIRE(!observed.full_steps().empty());
  CHECK(observed.full_steps().front() == 5);  // behind the first slow one
  const FullStep full = observed.full(5);
  CHECK(std::ranges::find(full.ranks, 2U) != full.ranks.end());
  CHECK(full.ranks.size() < 4);
  for (const OperatorRecord& op : full.operators) CHECK(op.clock == Approx(op.rank == 2 ? 0.5 : 1));
  const auto slow = std::ranges::find(full.operators, 2U, &OperatorRecord::rank);
  CHECK(observed.place_of(*slow).text ==
        "full/5/operators.csv:" + std::to_string(slow - full.operators.begin() + 2));
  CHECK(full.transfers.size() > 10);
  for (const TransferRecord& put : full.transfers) CHECK(observed.machine().planes[put.plane].port > 0);
}

// Eight ranks with cables between them, so that every kind of fault has something to be wrong.
std::filesystem::path job_with_cables(const ScratchDirectory& scratch) {
  return scratch.add("job.yaml",
                     fmt::format("include: ['{0}/experiments/ep8.yaml', '{0}/topologies/two_to_one.yaml']\n",
                                 configs_folder().string()));
}

TEST_CASE("every shipped file of faults is read, for a job of eight ranks") {
  const ScratchDirectory scratch;
  const std::filesystem::path job = job_with_cables(scratch);
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(configs_folder() / "faults")) {
    if (file.path().extension() != ".yaml") continue;
    CAPTURE(file.path().string());
    const JobSpec spec = load_job(job, {}, file.path());
    CHECK(!spec.injection.faults.empty());
    ++files;
  }
  CHECK(files >= FaultKinds::all().size());
}

TEST_CASE("every kind's example is a fault that is read and runs") {
  for (const auto& [name, item] : FaultKinds::all()) {
    CAPTURE(name);
    const std::string entry(item.object->example);
    const ScratchDirectory scratch;
    const JobSpec spec =
        load_job(job_with_cables(scratch), {}, scratch.add("f.yaml", "faults: [" + entry + "]\n"));
    REQUIRE(spec.injection.faults.size() == 1);
    CHECK(spec.injection.faults.front().kind == name);
  }
}

std::string refused(const std::string& inject) {
  const ScratchDirectory scratch;
  try {
    load_job(small_file(), with({}), scratch.add("f.yaml", inject));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("what is wrong with faults is said with its place and what was expected") {
  const std::pair<std::string, std::string> cases[] = {
      {"kind: clok, ranks: all",
       "f.yaml:1:17: faults.0.kind: unknown fault 'clok'; known: allocate, cable, clock, compile, config, "
       "hbm, "
       "launch, load, log, operator, path, pause, port, resend, start, sync, traffic; did you mean 'clock'?"},
      {"kind: clock, ranks: [4], factor: 0.5",
       "'4' is no rank of the job: expected numbers from 0 to 3, or 'all'"},
      {"kind: clock, factor: 0.5", "expected 'all' or a list of ranks"},
      {"kind: clock, ranks: all, factor: 0", "faults.0.factor: 0 is out of range"},
      {"kind: clock, ranks: all, factor: 0.5, steps: [5, 2]", "expected [first, last], both inclusive"},
      {"kind: port, ranks: all, factor: 0.5, plane: hcs", "no plane is called 'hcs'; did you mean 'hccs'?"},
      {"kind: port, ranks: all, factor: 0.5, duty: 30 %", "needs a 'period'"},
      {"kind: port, ranks: all, factor: 0.5, period: 1 ms, duty: 30", "expected a percentage"},
      {"kind: path, from: 1, to: 1, factor: 0.5", "a path leads to another rank"},
      {"kind: operator, ranks: all, name: Swiglu, factor: 2",
       "no operator is called 'Swiglu'; did you mean 'SwiGLU'?"},
      {"kind: pause, ranks: all, length: 2 ms, phase: x", "expected a number of steps, or 'rank'"},
      {"kind: config, set: {}", "missing; expected keys of the configuration"},
      {"kind: start, ranks: all, lte: 2 ms", "faults.0.lte: unknown key; did you mean 'late'?"},
  };
  for (const auto& [entry, message] : cases) CHECK_THAT(refused(fault(entry)), Catch::Contains(message));
  CHECK_THAT(refused("noise: {durations: 2}\n"),
             Catch::Contains("noise.durations: '2': expected a percentage"));
}

}  // namespace
}  // namespace a3sim
