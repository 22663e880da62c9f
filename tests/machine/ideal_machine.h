#pragma once

#include <stdexcept>
#include <vector>

#include "sim/device/cost.h"

namespace a3sim {

inline constexpr Hertz kOneGigahertz{1'000'000'000};
inline constexpr Duration kCycle = 1_ns;
inline constexpr std::uint32_t kFractal = 16, kElement = 2;
inline constexpr std::uint32_t kMacsPerCycle = kFractal * kFractal * kFractal;
inline constexpr double kFast = 1e12;

// Returns a machine on which all that a test does not set is too fast to matter.
inline Hardware ideal_machine() {
  Hardware hardware{};
  hardware.clock = kOneGigahertz;
  hardware.workers = aic_and_aiv(64, 64);
  hardware.cube.macs_per_cycle_16 = kMacsPerCycle;
  hardware.cube.macs_per_cycle_32 = kMacsPerCycle / 4;
  hardware.cube.macs_per_cycle_8 = kMacsPerCycle * 2;
  hardware.cube.l1_to_l0a = hardware.cube.l1_to_l0b = kFast;
  hardware.cube.gm_to_l1 = hardware.cube.gm_to_l1_miss = hardware.cube.l0c_to_gm = kFast;
  Hardware::Vector& vector = hardware.vector;
  vector.simple_fp32 = vector.convert = vector.transcendental = kFast;
  vector.gm_to_ub = vector.gm_to_ub_miss = vector.ub_to_gm = kFast;
  vector.ub = 192_KiB;
  hardware.memory.l2_line_read = {1'000'000'000'000'000'000};
  hardware.memory.hbm_read = {2'000'000'000'000};
  hardware.memory.hbm_write = {1'000'000'000'000};
  return hardware;
}

// Returns a program without costs of its own.
inline Program ideal_program() {
  Program program;
  program.vector_tile = 1_KiB;
  return program;
}

inline const Program kIdealProgram = ideal_program();

inline Work matmul(std::uint32_t m, std::uint32_t n, std::uint32_t k) {
  Work work;
  work.kind = WorkKind::kCube;
  work.gemms = {{m, n, k, 0, 0, 0}};
  work.a_pitch = work.b_pitch = kL2Line;  // aligned
  return work;
}

inline std::int64_t cycles(Duration time) {
  return (time + kCycle - 1_ps) / kCycle;
}  // rounds a rest of kFast up

// Returns the first portion that has work.
inline TaskPortion first_portion(const Work& work, const Hardware& hardware) {
  TaskPortions portions;
  TaskPortion portion;
  portions.start(work, hardware);
  if (!portions.next(portion)) throw std::logic_error("work without a portion");
  return portion;
}

// Returns all portions of a task, with every read a hit.
inline std::vector<PortionJob> jobs_of(const CostModel& cost, const Work& work) {
  std::vector<PortionJob> jobs;
  TaskPortions portions;
  TaskPortion portion;
  portions.start(work, cost.hardware());
  while (portions.next(portion)) jobs.push_back(cost.job(work, portion, {}));
  return jobs;
}

inline double bytes(const std::vector<PortionJob>& jobs, Resource resource) {
  double sum = 0;
  for (const PortionJob& job : jobs) sum += job.memory.bytes[static_cast<std::size_t>(resource)];
  return sum;
}

}  // namespace a3sim
