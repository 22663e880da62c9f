#include "sim/experiment/draws.h"

#include <initializer_list>
#include <map>
#include <string_view>
#include <utility>

#include "sim/core/rng.h"
#include "sim/experiment/machine_part.h"

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
  constexpr const char* kParts[] = {
      "L2 reads", "L2 writes", "HBM", "link ports", "put rate of a worker", "host collective, rate"};
  Experiment changed = experiment;
  if (options.rates == 0) return changed;
  for (std::uint64_t i = 0; i < std::size(kParts); ++i)
    machine_part(kParts[i]).improve(changed, {factor(mixed({options.seed, kRate, run, i}), options.rates)});
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
