#pragma once

#include "scheduler/ssc/ssc.h"
#include "sim/device/hardware.h"
#include "sim/device/program.h"

namespace a3sim {

inline constexpr Duration kOverhead = 100_ns, kVisible = 200_ns, kHop = 900_ns, kStartup = 300_ns,
                          kFence = 225_ns;
inline constexpr Duration kDispatch = 2360_ns;      // per task, by the dynamic scheduler
inline constexpr std::uint32_t kRowBytes = 64'000;  // a row is read in kRowTime
inline constexpr Duration kRowTime = 1_us;
inline constexpr BytesPerSecond kPort{100'000'000'000}, kPutRate{10'000'000'000};

// Returns a machine at 1 GHz on which one worker reads a row of kRowBytes in kRowTime. All else takes no
// time; memory never limits.
inline Hardware small_machine() {
  constexpr double kFast = 1e18;
  constexpr BytesPerSecond kEndless{1'000'000'000'000'000};
  Hardware hardware{};
  hardware.name = "small";
  hardware.workers = aic_and_aiv(4, 4);
  hardware.clock = {1'000'000'000};
  hardware.cube.macs_per_cycle_16 = 4096;
  hardware.cube.macs_per_cycle_32 = 1024;
  hardware.cube.macs_per_cycle_8 = 8192;
  hardware.cube.l1_to_l0a = hardware.cube.l1_to_l0b = kFast;
  hardware.cube.gm_to_l1 = hardware.cube.gm_to_l1_miss = hardware.cube.l0c_to_gm = kFast;
  hardware.vector = {kFast, kFast, kFast, 0, 64, kFast, 64};
  hardware.vector.ub = 192_KiB;
  hardware.memory = {192_MiB, 24, kEndless, kEndless, 65536_MiB, kEndless, kEndless, kEndless};
  hardware.fabric = {
      {{"plane", kPort, kPort, kPort}}, {{"near", kNone, 0, kHop}}, kPutRate, kPutRate, kStartup, 1, kFence};
  return hardware;
}

// Returns a program for it whose kernel launches take no time.
inline Program small_program() {
  Program program;
  program.name = "small";
  program.tasks = {kOverhead, kDispatch, {}};
  program.signals = {kVisible, {}};
  program.vector_tile = 1_KiB;
  program.collective = {100_us, 1_us, kPort, {}};
  return program;
}

// Builds a schedule of one rank with vector tasks that only read `rows` rows each.
class VectorSchedule {
 public:
  explicit VectorSchedule(std::uint32_t workers) {
    parts_.shape = {0, 0, 0, 0, 0, 1, DataType::kBf16};
    parts_.graph = parts_.order = "test";
    parts_.kinds = aic_and_aiv(0, workers);
    parts_.queues.resize(parts_.kinds.size());
    constexpr std::uint32_t kCols = kRowBytes / 2, kRows = 1000;
    parts_.tensors = {{"in", Layout::kPlain, DataType::kBf16, kRows, kCols, true},
                      {"out", Layout::kPlain, DataType::kBf16, kRows, kCols, false}};
    parts_.operators = {{"Add", "Add", 0, false, {TensorId{0}, TensorId{0}}, {TensorId{1}}}};
    parts_.worker_sets = {{1, 0, workers}};
  }

  // Appends a task that waits for `waits` (kNone: nothing) and triggers `triggers`.
  VectorSchedule& task(std::uint32_t rows, std::uint32_t waits, std::uint32_t triggers) {
    TaskDescriptor td{};
    td.task_type = 101;
    td.queue_type = kAivQueue;
    td.num_inputs = 1;
    td.num_outputs = 1;
    td.dependent_event = waits;
    td.trigger_event = triggers;
    td.first_region = static_cast<std::uint32_t>(parts_.regions.size());
    td.task_index = static_cast<std::uint32_t>(parts_.tasks.size());
    td.tiling_data_position = kNone;
    td.expert = kNoExpert;
    td.gexpert = kNone;
    parts_.regions.push_back({0, 0, row_, row_ + rows, 0, 1, 0});
    parts_.regions.push_back({1, 0, row_, row_ + rows, 0, 1, 0});
    row_ += rows;
    parts_.queues[1].push_back(static_cast<std::uint32_t>(parts_.tasks.size()));
    parts_.tasks.push_back(td);
    return *this;
  }

  VectorSchedule& event(std::uint32_t threshold, bool done = false) {
    parts_.events.push_back({threshold, done ? 1U : 0U});
    return *this;
  }

  SscParts& parts() { return parts_; }
  Schedule schedule() {
    std::vector<std::uint32_t> of_op(parts_.operators.size(), 0);
    for (TaskDescriptor& td : parts_.tasks) td.task_index = of_op[td.op]++;
    for (TaskDescriptor& td : parts_.tasks) td.task_split_num = of_op[td.op];
    return {Ssc::build(parts_)};
  }

 private:
  SscParts parts_;
  std::uint32_t row_ = 0;  // each task has its own rows
};

}  // namespace a3sim
