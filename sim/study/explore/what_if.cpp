#include "sim/study/explore/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "sim/core/parallel.h"
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

// Runs every candidate in every run. A candidate that changes nothing in the first run, to the picosecond,
// is not run again.
void run(std::vector<Candidate>& candidates, const JitterOptions& jitter, unsigned threads) {
  std::vector<Variant> variants;
  for (Candidate& candidate : candidates) variants.push_back(std::move(candidate.variant));
  prepare(variants, threads);
  in_parallel(variants.size(), threads, [&](std::size_t c) { find_bounds(variants[c], *candidates[c].to); });
  const auto first = evaluate(variants, {.jitter = jitter, .threads = threads, .runs = 1});
  for (std::size_t c = 0; c < candidates.size(); ++c) append(first[c], *candidates[c].to);
  const WhatIf::Outcome& now = *candidates.front().to;
  const std::vector<Latencies> of_first = now.passes;
  std::vector<Variant> used;
  std::vector<WhatIf::Outcome*> to;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (c > 0 && candidates[c].to->passes == of_first) continue;
    used.push_back(std::move(variants[c]));
    to.push_back(candidates[c].to);
  }
  const auto others = evaluate(used, {.jitter = jitter, .threads = threads, .first_run = 1});
  for (std::size_t u = 0; u < used.size(); ++u) append(others[u], *to[u]);
  for (const Candidate& candidate : candidates) {
    if (std::ranges::find(to, candidate.to) != to.end()) continue;
    candidate.to->passes = now.passes;
    candidate.to->totals = now.totals;
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

}  // namespace

MedianInterval WhatIf::gain(const Outcome& outcome) const {
  const MedianInterval longer = relative_difference(outcome.totals, now.totals);
  return {-longer.median, -longer.high, -longer.low};
}

WhatIf what_if(const Experiment& experiment, const JitterOptions& jitter, unsigned threads) {
  std::vector<Variant> now{{experiment, nullptr}};
  prepare(now, threads);
  // An L2 twice as large as all tensors of a rank has room for them in each of its sets, whatever the hash.
  const Improvement free = Improvement::to_free(2 * now.front().work->footprint().count);
  WhatIf result;
  const PreparedWork& work = *now.front().work;
  for (std::size_t p = 0; p < work.passes(); ++p) result.passes.push_back(work.pass_name(p));
  for (const MachinePart* part : parts_in(experiment))
    result.rows.push_back({part, name_in(experiment, *part), {}, {}});
  std::vector<Candidate> candidates{{&result.now, now.front()}};
  for (WhatIf::Row& row : result.rows) {
    if (!row.part->matters_to(options_of(experiment, false))) continue;
    candidates.push_back(improved(now.front(), *row.part, {kTenPercent}, row.better));
    if (row.part->kind == MachinePart::Kind::kCount) continue;
    row.free = WhatIf::Outcome{};
    candidates.push_back(improved(now.front(), *row.part, free, *row.free));
  }
  result.levels = levels_in(experiment);
  for (WhatIf::CableLevel& level : result.levels) {
    candidates.push_back(at_rate(now.front(), level, 2, level.twice));
    candidates.push_back(at_rate(now.front(), level, 0.1, level.tenth));
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
