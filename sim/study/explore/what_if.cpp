#include "sim/study/explore/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

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

// An experiment with its schedules, and where its latencies go.
struct Candidate {
  WhatIf::Outcome* to;
  Experiment experiment;
  std::shared_ptr<const Compiled> compiled;  // none: to be compiled
};

Candidate improved(const Experiment& experiment, const std::shared_ptr<const Compiled>& compiled,
                   const MachinePart& part, const Improvement& by, WhatIf::Outcome& to) {
  Hardware hardware = experiment.hardware;
  part.improve(hardware, by);
  const bool recompiled = part.kind == MachinePart::Kind::kCount;
  return {&to, with_hardware(experiment, hardware), recompiled ? nullptr : compiled};
}

void find_bounds(const Candidate& of) {
  const RunOptions options = options_of(of.experiment, false);
  for (std::size_t p = 0; p < of.compiled->passes.size(); ++p) {
    const Bounds bounds = bounds_of(of.experiment, *of.compiled, p, options);
    for (std::uint32_t b = 0; b < kBounds; ++b) of.to->bounds[b] += bounds.time[b];
  }
}

// Every candidate in every run.
void run(std::vector<Candidate>& candidates, const JitterOptions& jitter, unsigned threads) {
  in_parallel(candidates.size(), threads, [&](std::size_t c) {
    Candidate& of = candidates[c];
    if (!of.compiled) of.compiled = std::make_shared<const Compiled>(compile_all(of.experiment));
    find_bounds(of);
    of.to->passes.assign(of.compiled->passes.size(), Latencies(jitter.draws()));
    of.to->totals.resize(jitter.draws());
  });
  const auto run_one = [&](const Candidate& of, std::uint32_t run) {
    for (std::size_t p = 0; p < of.compiled->passes.size(); ++p) {
      of.to->passes[p][run] = run_jittered(of.experiment, *of.compiled, p, jitter, run, false).makespan;
      of.to->totals[run] += of.to->passes[p][run];
    }
  };
  in_parallel(candidates.size(), threads, [&](std::size_t c) { run_one(candidates[c], 0); });
  // What changes nothing in one run, to the picosecond, is not used in the others either.
  const WhatIf::Outcome& now = *candidates.front().to;
  std::vector<const Candidate*> used;
  for (const Candidate& of : candidates) {
    if (of.to == &now || of.to->passes != now.passes) used.push_back(&of);
  }
  const std::size_t more = jitter.draws() - 1;
  in_parallel(used.size() * more, threads,
              [&](std::size_t i) { run_one(*used[i / more], static_cast<std::uint32_t>(1 + i % more)); });
  for (const Candidate& of : candidates) {
    if (std::ranges::find(used, &of) != used.end()) continue;
    of.to->passes = now.passes;
    of.to->totals = now.totals;
  }
}

std::string name_in(const Hardware& hardware, const MachinePart& part) {
  if (part.kind != MachinePart::Kind::kCount) return std::string(part.name);
  Hardware more = hardware;
  part.improve(more, {kTenPercent});
  std::uint32_t q = 0;
  while (q + 1 < hardware.workers.size() && more.workers[q] == hardware.workers[q]) ++q;
  const std::uint32_t before = hardware.workers[q].count, after = more.workers[q].count;
  return fmt::format("{}, {} instead of {} (+{:.0f} %)", hardware.workers[q].name, after, before,
                     100.0 * (after - before) / before);
}

// The parts of a machine; the workers of both units are one part where they are one kind.
std::vector<const MachinePart*> parts_in(const Hardware& hardware) {
  std::vector<const MachinePart*> parts;
  const auto counts = [](const MachinePart* part) { return part->kind == MachinePart::Kind::kCount; };
  for (const MachinePart& part : machine_parts()) {
    if (!counts(&part) || !hardware.workers.one_queue() || std::ranges::none_of(parts, counts))
      parts.push_back(&part);
  }
  return parts;
}

}  // namespace

MedianInterval WhatIf::gain(const Outcome& outcome) const {
  const MedianInterval longer = relative_difference(outcome.totals, now.totals);
  return {-longer.median, -longer.high, -longer.low};
}

WhatIf what_if(const Experiment& experiment, const JitterOptions& jitter, unsigned threads) {
  const auto compiled = std::make_shared<const Compiled>(compile_all(experiment));
  const Improvement free = Improvement::to_free(everything(*compiled));
  WhatIf result;
  for (const MachinePart* part : parts_in(experiment.hardware))
    result.rows.push_back({part, name_in(experiment.hardware, *part), {}, {}});
  std::vector<Candidate> candidates{{&result.now, experiment, compiled}};
  for (WhatIf::Row& row : result.rows) {
    if (!row.part->matters_to(options_of(experiment, false))) continue;
    candidates.push_back(improved(experiment, compiled, *row.part, {kTenPercent}, row.better));
    if (row.part->kind == MachinePart::Kind::kCount) continue;
    row.free = WhatIf::Outcome{};
    candidates.push_back(improved(experiment, compiled, *row.part, free, *row.free));
  }
  run(candidates, jitter, threads);
  for (WhatIf::Row& row : result.rows) {
    if (!row.part->matters_to(options_of(experiment, false))) row.free = row.better = result.now;
  }
  const auto gain = [&](const WhatIf::Outcome& outcome) { return result.gain(outcome).median; };
  std::ranges::stable_sort(result.rows, std::greater{}, [&](const WhatIf::Row& row) {
    return std::pair(gain(row.better), gain(row.free ? *row.free : row.better));
  });
  return result;
}

}  // namespace a3sim
