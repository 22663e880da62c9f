#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include "sim/core/rng.h"
#include "sim/diagnosis/jobs/full_records.h"
#include "sim/diagnosis/jobs/job.h"
#include "sim/diagnosis/locate/episodes.h"
#include "sim/diagnosis/observe/file_observation.h"
#include "sim/diagnosis/observe/full_csv.h"
#include "sim/diagnosis/observe/job_file.h"
#include "sim/diagnosis/observe/light_file.h"
#include "sim/experiment/config/configs_folder.h"

// Measures the processor time of steps, and what recording adds: light records, full ones of all ranks, and
// of two. `bench_monitor DIR RANKS STEPS` only writes light records of a made job of that size, as 'a3sim
// run --steps' would. Without arguments, also writes and reads one of 1,000 ranks and 10,000 steps.
namespace {

using namespace a3sim;

double processor_time() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double peak_mb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void print_cost_of_recording(std::uint32_t ep) {
  constexpr int kRepeats = 5;
  const JobSpec spec =
      load_job(configs_folder() / "experiments" / fmt::format("ep{}.yaml", ep), {"noise.durations=2 %"}, {});
  Job job(spec, 1);
  const ObservedMachine machine = machine_seen(spec.experiment);
  const std::vector<std::string>&passes = spec.names.passes, &names = spec.names.operators;
  std::vector<std::uint32_t> all;
  for (std::uint32_t rank = 0; rank < ep; ++rank) all.push_back(rank);
  double run = 1e9, tasks = 1e9, light = 1e9, full = 1e9, two = 1e9;
  std::size_t bytes = 0;
  for (int i = 0; i < kRepeats; ++i) {
    for (const bool record : {false, true}) {
      const double start = processor_time();
      job.run(1, record, [&](JobStep&& step) {
        const double ran = processor_time();
        (record ? tasks : run) = std::min(record ? tasks : run, ran - start);
        bytes += light_file(step.light, {}).size();
        light = std::min(light, processor_time() - ran);
        if (!record) return;
        const auto write = [&](std::span<const std::uint32_t> ranks) {
          const double begin = processor_time();
          const FullStep full_step = full_records(step, ranks, names);
          bytes += operators_csv(full_step, names, passes).size() +
                   transfers_csv(full_step, names, passes, machine).size() + host_csv(full_step).size();
          return processor_time() - begin;
        };
        full = std::min(full, write(all));
        two = std::min(two, write(std::span(all).first(2)));
      });
    }
  }
  const double recorded = std::max(0.0, tasks - run);
  fmt::print("EP{:<3} a step {:.0f} ms; light records {:.3f} % more, full {:.1f} % (two ranks {:.1f} %)\n",
             ep, 1e3 * run, 100 * light / run, 100 * (recorded + full) / run, 100 * (recorded + two) / run);
  if (bytes == 0) return;
}

// Writes a made job: steps of about 30 ms; one rank in a hundred is slow for twenty of each thousand steps.
void write_made(const std::filesystem::path& path, std::uint32_t ranks, std::uint32_t steps) {
  constexpr double kStep = 30e9, kNoise = 0.01, kSlow = 1.1;  // picoseconds
  LightHeader header;
  header.ranks = ranks;
  header.passes = header.groups = 1;
  header.steps = steps;
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&header), sizeof header);
  LightChecksum checksum;
  Duration time{};
  std::vector<LightRecord> records(ranks);
  for (std::uint32_t step = 0; step < steps; ++step) {
    Rng rng(7, step);
    Duration last{};
    std::uint32_t last_rank = 0;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      LightRecord& record = records[rank] = {};
      const bool slow = step % 1000 >= 500 && step % 1000 < 520 && rank == step / 1000 * 97 % ranks;
      const double took = kStep * (1 + kNoise * (2 * rng.uniform() - 1)) * (slow ? kSlow : 1);
      record.step = step;
      record.rank = rank;
      record.start = time;
      record.arrival = time + Duration(static_cast<std::int64_t>(took));
      record.operations = 1e13;
      record.bytes = 7e8;
      record.rows = 32768;
      record.aic_busy = static_cast<float>(20e-6 * took);
      record.aiv_busy = static_cast<float>(10e-6 * took);
      record.transfer = static_cast<float>(0.3e-6 * took);
      record.late = 0;
      record.fill = {100, 100, 100};
      if (record.arrival > last) {
        last = record.arrival;
        last_rank = rank;
      }
    }
    for (LightRecord& record : records) {
      record.release = last;
      record.whom = record.rank == last_rank ? kNone : last_rank;
    }
    time = last;
    checksum.add(records);
    out.write(reinterpret_cast<const char*>(records.data()),
              static_cast<std::streamsize>(records.size() * sizeof(LightRecord)));
  }
  header.records = std::uint64_t{ranks} * steps;
  header.checksum = checksum.value();
  out.seekp(0);
  out.write(reinterpret_cast<const char*>(&header), sizeof header);
}

void write_directory(const std::filesystem::path& directory, std::uint32_t ranks, std::uint32_t steps) {
  constexpr std::uint32_t kRanksOfNode = 16;
  JobFile job;
  job.name = "made";
  job.version = "0";
  job.ranks = ranks;
  job.steps = steps;
  job.passes = {"step"};
  job.groups.emplace_back();
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    job.groups[0].push_back(rank);
    job.nodes.push_back(rank / kRanksOfNode);
  }
  std::filesystem::create_directories(directory);
  std::ofstream(directory / ".a3sim") << "monitor\n" << kJobJson << '\n' << kLightBin << '\n';
  std::ofstream(directory / kJobJson) << job_json(job);
  write_made(directory / kLightBin, ranks, steps);
}

void print_reading() {
  constexpr std::uint32_t kRanks = 1000, kSteps = 10'000;
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "a3sim-bench-light";
  double start = processor_time();
  write_directory(path, kRanks, kSteps);
  fmt::print("{} ranks, {} steps: {:.0f} MB written in {:.1f} s", kRanks, kSteps,
             static_cast<double>(std::filesystem::file_size(path / kLightBin)) / 1e6,
             processor_time() - start);
  start = processor_time();
  Duration waited{};
  LightFile(path / kLightBin).each_step([&](std::uint32_t, std::span<const LightRecord> records) {
    for (const LightRecord& record : records) waited += record.release - record.arrival;
  });
  fmt::print(", read and checked in {:.2f} s; {:.0f} MB of memory{}\n", processor_time() - start, peak_mb(),
             waited > Duration::zero() ? "" : "!");
  start = processor_time();
  const Located located = locate(FileObservation(path), read_locate_limits(configs_folder() / kLocateFile));
  fmt::print("located: {} episodes in {:.2f} s; {:.0f} MB of memory\n", located.episodes.size(),
             processor_time() - start, peak_mb());
  std::filesystem::remove_all(path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4) {
    write_directory(argv[1], static_cast<std::uint32_t>(std::stoul(argv[2])),
                    static_cast<std::uint32_t>(std::stoul(argv[3])));
    return 0;
  }
  print_reading();
  for (const std::uint32_t ep : {4, 8}) print_cost_of_recording(ep);
}
