#include "sim/experiment/run/draws.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <string_view>
#include <utility>

#include "sim/core/rng.h"
#include "sim/experiment/experiment.h"

namespace a3sim {
namespace {

// The output function of SplitMix64 (Steele, Lea, Flood 2014): neighbouring numbers become unrelated ones.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::uint64_t mixed(std::initializer_list<std::uint64_t> numbers) {
  std::uint64_t state = 0;
  for (const std::uint64_t number : numbers) state = mixed(state + 0x9e3779b97f4a7c15 + mixed(number));
  return state;
}

double factor(std::uint64_t seed, double spread) { return 1 + spread * (2 * Rng(seed).uniform() - 1); }

enum Drawn : std::uint64_t { kTask, kRate };

std::int64_t multiplied(std::int64_t amount, double by) {
  constexpr double kMost = 1e18;  // what a configuration may state
  return static_cast<std::int64_t>(std::clamp(std::round(static_cast<double>(amount) * by), 1.0, kMost));
}

template <class... Rates>
void multiply(double by, Rates&... rates) {
  ((rates.count = multiplied(rates.count, by)), ...);
}

// Returns a number for a name, the same on every platform (FNV-1a).
std::uint64_t number_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

TaskJitter::TaskJitter(const Schedule& schedule, const JitterOptions& options, std::uint32_t run,
                       std::uint32_t pass)
    : schedule_(schedule), spread_(options.durations), seed_(mixed({options.seed, kTask, run, pass})) {}

double TaskJitter::slowness(RankId rank, std::uint32_t task) {
  const TaskDescriptor& td = schedule_[index(rank)].tasks()[task];
  return factor(mixed({seed_, index(rank), td.op, td.task_index, td.gexpert, td.src, td.dst}), spread_);
}

Experiment with_jitter(const Experiment& experiment, const JitterOptions& options, std::uint32_t run) {
  Experiment changed = experiment;
  if (options.rates == 0) return changed;
  std::uint64_t drawn = 0;
  const auto next = [&] { return factor(mixed({options.seed, kRate, run, drawn++}), options.rates); };
  Hardware::MemorySystem& memory = changed.hardware.memory;
  Hardware::Fabric& fabric = changed.hardware.fabric;
  const double reads = next();
  multiply(reads, memory.l2_read, memory.l2_line_read);
  if (memory.in_flight > 0_B) multiply(reads, memory.in_flight);
  multiply(next(), memory.l2_write);
  multiply(next(), memory.hbm_read, memory.hbm_write);
  const double ports = next(), puts = next();
  for (Hardware::Fabric::Plane& plane : fabric.planes)
    multiply(ports, plane.egress, plane.ingress, plane.read);
  multiply(puts, fabric.put_per_worker, fabric.put_stream, fabric.pull_per_worker);
  for (Duration* const time : {&fabric.put_row, &fabric.put_piece})
    if (*time > Duration::zero()) *time = Duration(multiplied(time->count(), 1 / puts));
  multiply(next(), changed.program.collective.rate);
  return changed;
}

StreamJitter::StreamJitter(const StreamProgram& program, const JitterOptions& options, std::uint32_t run,
                           std::uint32_t pass) {
  std::map<std::pair<std::uint32_t, std::string_view>, std::uint64_t> before;  // by rank and name
  for (const StreamTask& task : program.tasks) {
    const std::uint32_t rank = index(task.rank);
    const std::uint64_t seed =
        mixed({options.seed, kTask, run, pass, rank, number_of(task.name), before[{rank, task.name}]++});
    factors_.push_back(factor(seed, options.durations));
  }
}

double StreamJitter::slowness(RankId, std::uint32_t task) { return factors_[task]; }

}  // namespace a3sim
