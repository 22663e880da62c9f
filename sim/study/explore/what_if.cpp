#include "sim/study/explore/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "sim/core/parallel.h"
#include "sim/core/progress.h"
#include "sim/core/progress_lines.h"
#include "sim/experiment/evaluate.h"

namespace a3sim {
namespace {

constexpr double kTenPercent = 1.1;

// A variant of the machine, with the place for its latencies.
struct Candidate {
  WhatIf::Outcome* to;
  Variant variant;
};

// Improves a part. Parts that are counted make another machine, for which work is prepared anew.
Candidate improved(const Variant& now, const MachinePart& part, const Improvement& by, WhatIf::Outcome& to) {
  Experiment better = now.experiment;
  part.improve(better, by);
  const Hardware hardware = std::exchange(better.hardware, now.experiment.hardware);
  const bool anew = part.kind == MachinePart::Kind::kCount;
  return {&to, {with_hardware(better, hardware), anew ? nullptr : now.work}};
}

void find_bounds(const Variant& variant, WhatIf::Outcome& to) {
  for (std::size_t p = 0; p < variant.passes(); ++p) {
    const Bounds bounds = variant.work->bounds(variant.experiment, p);
    for (std::uint32_t b = 0; b < kBounds; ++b) to.bounds[b] += bounds.time[b];
  }
}

void append(const Evaluated& evaluation, WhatIf::Outcome& to) {
  to.passes.resize(evaluation.passes.size());
  for (std::size_t p = 0; p < to.passes.size(); ++p) {
    const Latencies latencies = evaluation.latencies(p);
    to.passes[p].insert(to.passes[p].end(), latencies.begin(), latencies.end());
  }
  const Latencies totals = evaluation.totals();
  to.totals.insert(to.totals.end(), totals.begin(), totals.end());
}

// Of candidates that change nothing in the first run, to the picosecond, the others are as the machine is.
struct CandidatesInRuns {
  std::vector<Candidate> candidates;
  std::vector<Variant> used;
  std::vector<WhatIf::Outcome*> to;  // by what is used

  // What so many runs came to, and the machine's as it is for what is not used.
  void take(std::span<const Evaluated> runs) const {
    for (std::size_t u = 0; u < to.size(); ++u) {
      to[u]->passes.clear();
      to[u]->totals.clear();
      append(runs[u], *to[u]);
    }
    const WhatIf::Outcome& now = *candidates.front().to;
    for (const Candidate& candidate : candidates) {
      if (std::ranges::find(to, candidate.to) != to.end()) continue;
      candidate.to->passes = now.passes;
      candidate.to->totals = now.totals;
    }
  }
};

// Every candidate in every run; `seen` after each.
void run(CandidatesInRuns& in, const JitterOptions& jitter, unsigned threads,
         const std::function<void(std::uint32_t)>& seen) {
  std::vector<Variant> variants;
  for (Candidate& candidate : in.candidates) variants.push_back(std::move(candidate.variant));
  prepare(variants, threads);
  in_parallel(variants.size(), threads,
              [&](std::size_t c) { find_bounds(variants[c], *in.candidates[c].to); });
  const std::size_t passes = variants.front().passes();
  Progress progress(kSimulationsInAll, variants.size() * passes * jitter.draws());
  const EvaluateOptions how{.jitter = jitter, .threads = threads, .runs = 1};
  const auto first = evaluate(variants, how);
  for (std::size_t c = 0; c < variants.size(); ++c) append(first[c], *in.candidates[c].to);
  const std::vector<Latencies> now = in.candidates.front().to->passes;
  std::vector<Evaluated> runs;
  for (std::size_t c = 0; c < variants.size(); ++c) {
    if (c > 0 && in.candidates[c].to->passes == now) continue;
    in.used.push_back(std::move(variants[c]));
    in.to.push_back(in.candidates[c].to);
    runs.push_back(first[c]);
  }
  progress.expect((variants.size() + in.used.size() * (jitter.draws() - 1)) * passes);
  seen(1);
  for (std::uint32_t r = 1; r < jitter.draws(); ++r) {
    EvaluateOptions next = how;
    next.first_run = r;
    const auto done = evaluate(in.used, next);
    for (std::size_t u = 0; u < done.size(); ++u) {
      for (std::size_t p = 0; p < done[u].passes.size(); ++p)
        runs[u].passes[p].push_back(done[u].passes[p].front());
    }
    in.take(runs);
    seen(r + 1);
  }
}

std::string name_in(const Experiment& experiment, const MachinePart& part) {
  if (part.kind != MachinePart::Kind::kCount) return std::string(part.name);
  Experiment better = experiment;
  part.improve(better, {kTenPercent});
  const Hardware &hardware = experiment.hardware, &more = better.hardware;
  std::uint32_t q = 0;
  while (q + 1 < hardware.workers.size() && more.workers[q] == hardware.workers[q]) ++q;
  const std::uint32_t before = hardware.workers[q].count, after = more.workers[q].count;
  return fmt::format("{}, {} instead of {} (+{:.0f} %)", hardware.workers[q].name, after, before,
                     100.0 * (after - before) / before);
}

// Returns the parts that the machine describes. Workers of both units are one part if they are one kind.
std::vector<const MachinePart*> parts_in(const Experiment& experiment) {
  const Hardware& hardware = experiment.hardware;
  std::vector<const MachinePart*> parts;
  const auto counts = [](const MachinePart* part) { return part->kind == MachinePart::Kind::kCount; };
  for (const MachinePart& part : machine_parts()) {
    if (!part.is_described(experiment)) continue;
    if (!counts(&part) || !hardware.workers.one_queue() || std::ranges::none_of(parts, counts))
      parts.push_back(&part);
  }
  return parts;
}

std::vector<WhatIf::CableLevel> levels_in(const Experiment& experiment) {
  std::vector<WhatIf::CableLevel> levels;
  for (const CablePlane& plane : experiment.run.cables) {
    const std::string& name = experiment.hardware.fabric.planes[plane.plane].name;
    for (const Cable& cable : plane.layout->cables()) {
      const auto known = std::ranges::find_if(levels, [&](const WhatIf::CableLevel& level) {
        return level.plane == name && level.name == cable.level;
      });
      if (known == levels.end())
        levels.push_back({name, cable.level, 1, {}, {}});
      else
        ++known->cables;
    }
  }
  return levels;
}

Candidate at_rate(const Variant& now, const WhatIf::CableLevel& level, double factor, WhatIf::Outcome& to) {
  Variant changed = now;
  for (CablePlane& plane : changed.experiment.run.cables) {
    if (now.experiment.hardware.fabric.planes[plane.plane].name != level.plane) continue;
    CableDamage& cables = plane.damages.emplace_back();
    cables.factor = factor;
    const std::vector<Cable>& all = plane.layout->cables();
    for (std::uint32_t c = 0; c < all.size(); ++c)
      if (all[c].level == level.name) cables.cables.push_back(c);
  }
  return {&to, std::move(changed)};
}

// With what does not matter to the experiment, and the largest gain first.
WhatIf in_order(WhatIf result, const Experiment& experiment) {
  for (WhatIf::Row& row : result.rows) {
    if (!row.part->matters_to(options_of(experiment, false))) row.free = row.better = result.now;
  }
  const auto gain = [&](const WhatIf::Outcome& outcome) { return result.gain(outcome).median; };
  std::ranges::stable_sort(result.rows, std::greater{}, [&](const WhatIf::Row& row) {
    return std::pair(gain(row.better), gain(row.free ? *row.free : row.better));
  });
  return result;
}

}  // namespace

MedianInterval WhatIf::gain(const Outcome& outcome) const {
  const MedianInterval longer = relative_difference(outcome.totals, now.totals);
  return {-longer.median, -longer.high, -longer.low};
}

WhatIf what_if(const Experiment& experiment, const JitterOptions& jitter, unsigned threads,
               const SeenWhatIf& seen) {
  std::vector<Variant> now{{experiment, nullptr}};
  prepare(now, threads);
  // An L2 that holds what all tensors of a rank take twice has room for them in each of its sets, whatever the hash.
  const Improvement free = Improvement::to_free(2 * now.front().work->footprint().count);
  WhatIf result;
  const PreparedWork& work = *now.front().work;
  for (std::size_t p = 0; p < work.passes(); ++p) result.passes.push_back(work.pass_name(p));
  for (const MachinePart* part : parts_in(experiment))
    result.rows.push_back({part, name_in(experiment, *part), {}, {}});
  CandidatesInRuns in{{{&result.now, now.front()}}, {}, {}};
  for (WhatIf::Row& row : result.rows) {
    if (!row.part->matters_to(options_of(experiment, false))) continue;
    in.candidates.push_back(improved(now.front(), *row.part, {kTenPercent}, row.better));
    if (row.part->kind == MachinePart::Kind::kCount) continue;
    row.free = WhatIf::Outcome{};
    in.candidates.push_back(improved(now.front(), *row.part, free, *row.free));
  }
  result.levels = levels_in(experiment);
  for (WhatIf::CableLevel& level : result.levels) {
    in.candidates.push_back(at_rate(now.front(), level, 2, level.twice));
    in.candidates.push_back(at_rate(now.front(), level, 0.1, level.tenth));
  }
  run(in, jitter, threads, [&](std::uint32_t runs) {
    if (seen && runs < jitter.draws()) seen(in_order(result, experiment), runs);
  });
  return in_order(std::move(result), experiment);
}

}  // namespace a3sim
