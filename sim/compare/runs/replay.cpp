#include "sim/compare/runs/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/operators/moves_rows.h"
#include "sim/core/parallel.h"
#include "sim/core/statistics.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/runtime/run.h"

namespace a3sim {
namespace {

const Pass& pass_of(const Experiment& experiment, const CompiledPass& compiled) {
  const auto pass = std::ranges::find(experiment.passes, compiled.name, &Pass::name);
  if (pass == experiment.passes.end()) {
    std::string known;
    for (const Pass& p : experiment.passes) known += (known.empty() ? "" : ", ") + p.name;
    throw InputError(
        fmt::format("the schedules are of pass '{}'; the experiment has {}", compiled.name, known));
  }
  if (compiled.schedule.front().shape() != experiment.shape) {
    throw InputError(fmt::format(
        "the schedules of pass '{}' were compiled for another shape or group than the experiment's: compile "
        "them from it ('a3sim schedule compile')",
        compiled.name));
  }
  return *pass;
}

// True if the schedules agree in all that recompiling for another routing leaves as it is. Orders may
// differ.
bool is_alike(const Ssc& a, const Ssc& b) {
  const auto same_tensor = [](const TensorInfo& x, const TensorInfo& y) {
    return x.name == y.name && x.layout == y.layout && x.dtype == y.dtype && x.cols == y.cols &&
           x.external == y.external;
  };
  const auto same_operator = [](const OperatorInfo& x, const OperatorInfo& y) {
    return x.name == y.name && x.type == y.type && x.transposed == y.transposed && x.inputs == y.inputs &&
           x.outputs == y.outputs;
  };
  return std::ranges::equal(a.tensors(), b.tensors(), same_tensor) &&
         std::ranges::equal(a.operators(), b.operators(), same_operator);
}

bool same_kinds(const WorkerKinds& a, const WorkerKinds& b) {
  return std::ranges::equal(
      a, b, [](const WorkerKind& x, const WorkerKind& y) { return x.name == y.name && x.units == y.units; });
}

void check_alike(const CompiledPass& given, const CompiledPass& fresh) {
  const Ssc &a = given.schedule.front(), &b = fresh.schedule.front();
  if (!is_alike(a, b))
    throw InputError(fmt::format(
        "the schedules of pass '{}' are of another graph than the experiment's (its "
        "window, experiment.window, or the model): compile them from it ('a3sim schedule compile')",
        given.name));
  if (!same_kinds(a.kinds(), b.kinds())) {
    throw InputError(fmt::format(
        "the schedules of pass '{}' are for {}, and the experiment's machine has {}: compile them "
        "from it ('a3sim schedule compile')",
        given.name, a.kinds().text(), b.kinds().text()));
  }
  for (std::uint32_t queue = 0; queue < a.queues(); ++queue) {
    if (a.workers(queue) == b.workers(queue)) continue;
    throw InputError(
        fmt::format("the schedules of pass '{}' have {} workers of the {}, and the experiment {}: compile "
                    "them from it ('a3sim schedule compile')",
                    given.name, a.workers(queue), a.kinds()[queue].queue(), b.workers(queue)));
  }
}

// Counts puts to other ranks that move nothing under these counts.
std::uint64_t empty_puts(const Schedule& schedule, const RoutingCounts& counts) {
  const RowLayout layout(schedule.front().shape(), capacity_of(schedule), counts);
  std::vector<bool> puts;  // by operator
  for (const OperatorInfo& op : schedule.front().operators())
    puts.push_back(only_puts_rows(Operators::get(op.type)));
  std::uint64_t empty = 0;
  Work work;
  for (const Ssc& ssc : schedule) {
    const WorkContext context{layout, ssc.tensors(), ssc.operators(), ssc.tilings(), ssc.rank()};
    for (const TaskDescriptor& td : ssc.tasks()) {
      if (!puts[td.op] || td.dst == index(ssc.rank())) continue;
      work.clear();
      Operators::get(ssc.operators()[td.op].type)
          .work(context, {td, read_by(ssc.inputs(td)), ssc.outputs(td)}, work);
      empty += work.put_bytes == 0;
    }
  }
  return empty;
}

Duration lag_of(const RunResult& run) {
  std::vector<Duration> ends;
  for (const RankResult& rank : run.ranks) ends.push_back(rank.end);
  const auto middle = ends.begin() + static_cast<std::ptrdiff_t>((ends.size() - 1) / 2);
  std::ranges::nth_element(ends, middle);
  return *std::ranges::max_element(ends) - *middle;
}

}  // namespace

std::vector<Replayed> replay(const Experiment& experiment, std::span<const CompiledPass> compiled,
                             std::span<const NamedRouting> routings, unsigned threads) {
  std::vector<const Pass*> passes;
  for (const CompiledPass& one : compiled) passes.push_back(&pass_of(experiment, one));
  const RunOptions options = options_of(experiment, false);
  std::vector<Replayed> results(compiled.size() * routings.size());
  in_parallel(results.size(), threads, [&](std::size_t i) {
    const NamedRouting& routing = routings[i / compiled.size()];
    const CompiledPass& pass = compiled[i % compiled.size()];
    const Compiled given{routing.counts, {pass}};
    const Compiled fresh{
        routing.counts,
        {{pass.name, compile_pass(experiment, *passes[i % compiled.size()], routing.counts).schedule}}};
    check_alike(pass, fresh.passes.front());
    const RunResult replayed = run_pass(experiment, given, 0, options),
                    recompiled = run_pass(experiment, fresh, 0, options);
    results[i] = {routing.name,
                  pass.name,
                  replayed.makespan,
                  recompiled.makespan,
                  lag_of(replayed),
                  lag_of(recompiled),
                  empty_puts(pass.schedule, routing.counts),
                  bounds_of(experiment, fresh, 0, options)};
  });
  return results;
}

Report replay_report(std::span<const Replayed> results) {
  Report report;
  report.fact("schema_version", 1);
  Table& table = report.table(
      "replayed",
      {Column::words("routing"), Column::words("pass"), Column::milliseconds("replayed ms", "replayed_ps"),
       Column::milliseconds("recompiled ms", "recompiled_ps"), Column::signed_percent("replay costs", "cost"),
       Column::count("empty puts", "empty_puts"), Column::milliseconds("bound ms", "bound_ps"),
       Column::data("replayed_lag_ps"), Column::data("recompiled_lag_ps")});
  std::vector<double> costs;
  for (const Replayed& r : results) {
    table.add({r.routing, r.pass, r.replayed, r.recompiled, r.cost(), whole(r.empty_puts), r.bounds.largest(),
               r.replayed_lag, r.recompiled_lag});
    costs.push_back(r.cost());
  }
  if (costs.empty()) return report;
  report.say(fmt::format(
      "Replaying one schedule instead of recompiling costs {:+.1f} % (median), {:+.1f} % at worst.\n",
      100 * quantile(costs, 0.5), 100 * *std::ranges::max_element(costs)));
  return report;
}

}  // namespace a3sim
