#include "sim/study/explore/what_if.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/parallel.h"
#include "sim/experiment/compiled.h"
#include "sim/experiment/run_experiment.h"

namespace a3sim {
namespace {

constexpr double kTenPercent = 1.1;

// An L2 that holds what all tensors of a rank take twice has room for them in each of its sets, whatever the
// hash.
std::int64_t everything(const Compiled& compiled) {
  std::uint64_t most = 1;
  for (const CompiledPass& pass : compiled.passes) {
    for (const Ssc& ssc : pass.schedule) {
      std::uint64_t bytes = 0;
      for (const TensorInfo& tensor : ssc.tensors()) bytes += tensor.bytes();
      most = std::max(most, bytes);
    }
  }
  return static_cast<std::int64_t>(2 * most);
}

// The experiment with more workers, that run tasks if those there are do; products are cut for as many as
// there are, where they were.
Experiment with_workers_of(const Experiment& experiment, const Hardware& hardware) {
  Experiment changed = experiment;
  changed.hardware = hardware;
  const std::uint32_t cubes = experiment.workers[0];
  changed.workers[0] += hardware.workers.cube - experiment.hardware.workers.cube;
  changed.workers[1] += hardware.workers.vector - experiment.hardware.workers.vector;
  if (experiment.cut.shares == cubes) changed.cut.shares = changed.workers[0];
  return changed;
}

WhatIf::Outcome outcome_of(const Experiment& experiment, const Compiled& compiled) {
  WhatIf::Outcome outcome;
  const RunOptions options = options_of(experiment, false);
  for (std::size_t p = 0; p < compiled.passes.size(); ++p) {
    outcome.passes.push_back(run_pass(experiment, compiled, p, options).makespan);
    const Bounds bounds = bounds_of(experiment, compiled, p, options);
    for (std::uint32_t b = 0; b < kBounds; ++b) outcome.bounds[b] += bounds.time[b];
  }
  outcome.total = total_of(outcome.passes);
  return outcome;
}

WhatIf::Outcome improved(const Experiment& experiment, const Compiled& compiled, const MachinePart& part,
                         const Improvement& by) {
  Hardware hardware = experiment.hardware;
  part.improve(hardware, by);
  if (part.kind == MachinePart::Kind::kCount) {
    const Experiment changed = with_workers_of(experiment, hardware);
    return outcome_of(changed, compile_all(changed));
  }
  Experiment changed = experiment;
  changed.hardware = hardware;
  return outcome_of(changed, compiled);
}

std::string name_in(const Hardware& hardware, const MachinePart& part) {
  if (part.kind != MachinePart::Kind::kCount) return std::string(part.name);
  Hardware more = hardware;
  part.improve(more, {kTenPercent});
  const bool cube = more.workers.cube != hardware.workers.cube;
  const std::uint32_t before = cube ? hardware.workers.cube : hardware.workers.vector;
  const std::uint32_t after = cube ? more.workers.cube : more.workers.vector;
  return fmt::format("{}, {} instead of {}", part.name, after, before);
}

}  // namespace

double WhatIf::gain(const Outcome& outcome) const {
  return now.total > Duration::zero() ? 1 - seconds(outcome.total) / seconds(now.total) : 0;
}

WhatIf what_if(const Experiment& experiment, unsigned threads) {
  const Compiled compiled = compile_all(experiment);
  const Improvement free = Improvement::to_free(everything(compiled));
  WhatIf result;
  for (const MachinePart& part : machine_parts())
    result.rows.push_back({&part, name_in(experiment.hardware, part), {}, {}});
  in_parallel(2 * result.rows.size() + 1, threads, [&](std::size_t i) {
    if (i == 0) {
      result.now = outcome_of(experiment, compiled);
      return;
    }
    WhatIf::Row& row = result.rows[(i - 1) / 2];
    if (!row.part->matters_to(options_of(experiment, false))) return;
    if (i % 2 == 1) {
      row.better = improved(experiment, compiled, *row.part, {kTenPercent});
    } else if (row.part->kind != MachinePart::Kind::kCount) {
      row.free = improved(experiment, compiled, *row.part, free);
    }
  });
  for (WhatIf::Row& row : result.rows) {
    if (!row.part->matters_to(options_of(experiment, false))) row.free = row.better = result.now;
  }
  std::ranges::stable_sort(result.rows, [](const WhatIf::Row& a, const WhatIf::Row& b) {
    if (a.better.total != b.better.total) return a.better.total < b.better.total;
    const auto free = [](const WhatIf::Row& row) { return row.free ? row.free->total : row.better.total; };
    return free(a) < free(b);
  });
  return result;
}

}  // namespace a3sim
