#include "sim/study/explore/jitter.h"

#include <algorithm>

#include "sim/core/parallel.h"
#include "sim/core/rng.h"
#include "sim/experiment/compiled.h"
#include "sim/experiment/order_file.h"
#include "sim/experiment/run_experiment.h"
#include "sim/study/explore/machine_part.h"

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

enum What : std::uint64_t { kTask, kRate };  // is drawn

Duration apart(const RunResult& run) {
  const auto [first, last] = std::ranges::minmax(run.ranks, {}, &RankResult::end);
  return last.end - first.end;
}

struct JitteredRun {
  Duration total{}, ends_apart{};
};

JitteredRun run_all(const Experiment& experiment, const Compiled& compiled, const JitterOptions& options,
                    std::uint32_t run) {
  Experiment changed = experiment;
  changed.hardware = with_jitter(experiment.hardware, options, run);
  JitteredRun result;
  for (std::uint32_t p = 0; p < compiled.passes.size(); ++p) {
    TaskJitter hooks(compiled.passes[p].schedule, options, run, p);
    RunOptions how = options_of(experiment, false);
    how.hooks = &hooks;
    const RunResult of = run_pass(changed, compiled, p, how);
    result.total += of.makespan;
    result.ends_apart += apart(of);
  }
  return result;
}

// Runs in which nobody was faster count for all who were as fast.
void count_fastest(std::vector<JitteredOrder>& orders, std::uint32_t runs) {
  for (std::uint32_t run = 0; run < runs; ++run) {
    Duration best = Duration::max();
    for (const JitteredOrder& order : orders) best = std::min(best, order.totals[run]);
    for (JitteredOrder& order : orders) order.fastest += order.totals[run] == best;
  }
}

}  // namespace

TaskJitter::TaskJitter(const Schedule& schedule, const JitterOptions& options, std::uint32_t run,
                       std::uint32_t pass)
    : schedule_(schedule), spread_(options.durations), seed_(mixed({options.seed, kTask, run, pass})) {}

double TaskJitter::slowness(RankId rank, std::uint32_t task) {
  const TaskDescriptor& td = schedule_[index(rank)].tasks()[task];
  return factor(mixed({seed_, index(rank), td.op, td.task_index, td.gexpert, td.src, td.dst}), spread_);
}

Hardware with_jitter(const Hardware& hardware, const JitterOptions& options, std::uint32_t run) {
  constexpr const char* kParts[] = {
      "L2 reads", "L2 writes", "HBM", "link ports", "put rate of a worker", "host collective, rate"};
  Hardware changed = hardware;
  if (options.rates == 0) return changed;
  for (std::uint64_t i = 0; i < std::size(kParts); ++i)
    machine_part(kParts[i]).improve(changed, {factor(mixed({options.seed, kRate, run, i}), options.rates)});
  return changed;
}

std::vector<JitteredOrder> jitter(const Experiment& experiment, std::span<const OrderSpec> orders,
                                  const JitterOptions& options) {
  std::vector<Experiment> under(orders.size());
  std::vector<Compiled> compiled(orders.size());
  std::vector<JitteredOrder> result(orders.size());
  in_parallel(orders.size(), options.threads, [&](std::size_t o) {
    under[o] = with_order(experiment, orders[o]);
    compiled[o] = compile_all(under[o]);
  });
  for (std::size_t o = 0; o < orders.size(); ++o) {
    result[o].name = orders[o].name;
    result[o].totals.resize(options.runs);
    result[o].ends_apart.resize(options.runs);
  }
  const std::size_t each = std::size_t{options.runs} + 1;
  in_parallel(each * orders.size(), options.threads, [&](std::size_t i) {
    const std::size_t o = i / each;
    const auto run = static_cast<std::uint32_t>(i % each);
    JitterOptions how = options;
    if (run == options.runs) how.durations = how.rates = 0;
    const JitteredRun of = run_all(under[o], compiled[o], how, run);
    if (run == options.runs) {
      result[o].modelled = of.total;
    } else {
      result[o].totals[run] = of.total;
      result[o].ends_apart[run] = of.ends_apart;
    }
  });
  count_fastest(result, options.runs);
  return result;
}

}  // namespace a3sim
