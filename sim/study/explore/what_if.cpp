#include "sim/study/explore/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "sim/core/error.h"
#include "sim/experiment/run_experiment.h"

namespace a3sim {
namespace {

constexpr double kTenPercent = 1.1, kTwice = 2, kTenth = 0.1;

bool is_count(const MachinePart* part) { return part->kind == MachinePart::Kind::kCount; }

// "AIC, 28 instead of 25 (+12 %)"
std::string name_in(const Experiment& experiment, const MachinePart& part) {
  if (!is_count(&part)) return part.name;
  const Hardware& now = experiment.hardware;
  const Hardware more = with_machine(experiment, changes_of(part, experiment, {kTenPercent})).hardware;
  std::uint32_t q = 0;
  while (q + 1 < now.workers.size() && more.workers[q] == now.workers[q]) ++q;
  const std::uint32_t before = now.workers[q].count, after = more.workers[q].count;
  return fmt::format("{}, {} instead of {} (+{:.0f} %)", now.workers[q].name, after, before,
                     100.0 * (after - before) / before);
}

// Returns the parts that the machine describes. Workers of both units are one part if they are one kind.
std::vector<const MachinePart*> parts_in(const Experiment& experiment) {
  std::vector<const MachinePart*> parts;
  for (const MachinePart& part : machine_parts()) {
    if (!part.is_described(experiment)) continue;
    const bool known = is_count(&part) && std::ranges::any_of(parts, is_count);
    if (!known || !experiment.hardware.workers.one_queue()) parts.push_back(&part);
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

Experiment with_cables_at(const Experiment& base, const std::string& plane_name, const std::string& level,
                          double factor) {
  Experiment changed = base;
  for (CablePlane& plane : changed.run.cables) {
    if (base.hardware.fabric.planes[plane.plane].name != plane_name) continue;
    CableDamage& cables = plane.damages.emplace_back();
    cables.factor = factor;
    const std::vector<Cable>& all = plane.layout->cables();
    for (std::uint32_t c = 0; c < all.size(); ++c)
      if (all[c].level == level) cables.cables.push_back(c);
  }
  return changed;
}

Variation cables_at(const WhatIf::CableLevel& level, double factor) {
  return {fmt::format("{} x {}", level.name, factor),
          {},
          [plane = level.plane, name = level.name, factor](const Experiment& base) {
            return with_cables_at(base, plane, name, factor);
          },
          true};
}

// The question as a list of variations, each with the place in the answer for what it comes to.
struct WhatIfQuestion {
  WhatIf answer;
  std::vector<Variation> variations;
  std::vector<WhatIf::Outcome*> to;

  void add(Variation variation, WhatIf::Outcome& place) {
    variations.push_back(std::move(variation));
    to.push_back(&place);
  }

  // With what does not matter to the experiment, and the largest gain first.
  WhatIf answered(const DifferenceTable& table, const Experiment& experiment) {
    answer.passes = table.passes;
    answer.now = table.base;
    for (std::size_t v = 0; v < to.size(); ++v) {
      const Difference& row = table.rows[v];
      if (!row.refused.empty()) throw RunError(row.name + ": " + row.refused);
      *to[v] = row.outcome;
    }
    WhatIf sorted = answer;
    for (WhatIf::Row& row : sorted.rows)
      if (!row.part->matters_to(options_of(experiment, false))) row.free = row.better = sorted.now;
    std::ranges::stable_sort(sorted.rows, std::greater{}, [&](const WhatIf::Row& row) {
      return std::pair(sorted.gain(row.better).median, sorted.gain(row.free ? *row.free : row.better).median);
    });
    return sorted;
  }
};

}  // namespace

MedianInterval WhatIf::gain(const Outcome& outcome) const {
  const MedianInterval longer = relative_difference(outcome.totals, now.totals);
  return {-longer.median, -longer.high, -longer.low};
}

WhatIf what_if(const Experiment& experiment, const JitterOptions& jitter, unsigned threads,
               const SeenWhatIf& seen) {
  const Variant now{experiment, experiment.work->prepare(experiment, threads)};
  // An L2 that holds what all tensors of a rank take twice has room for them in each of its sets, whatever the hash.
  const Improvement free = Improvement::to_free(2 * now.work->footprint().count);
  WhatIfQuestion question;
  for (const MachinePart* part : parts_in(experiment))
    question.answer.rows.push_back({part, name_in(experiment, *part), {}, {}});
  for (WhatIf::Row& row : question.answer.rows) {
    if (!row.part->matters_to(options_of(experiment, false))) continue;
    question.add(better_part(experiment, *row.part, {kTenPercent}, row.name + ", 10 % better"), row.better);
    if (is_count(row.part)) continue;
    row.free = WhatIf::Outcome{};
    question.add(better_part(experiment, *row.part, free, row.name + ", free"), *row.free);
  }
  question.answer.levels = levels_in(experiment);
  for (WhatIf::CableLevel& level : question.answer.levels) {
    question.add(cables_at(level, kTwice), level.twice);
    question.add(cables_at(level, kTenth), level.tenth);
  }
  DifferenceOptions how{.jitter = jitter, .threads = threads, .bounds = true};
  if (seen) {
    how.seen = [&](const DifferenceTable& so_far, std::uint32_t runs) {
      if (runs < jitter.draws()) seen(question.answered(so_far, experiment), runs);
    };
  }
  const DifferenceTable table = differences(now, question.variations, how);
  return question.answered(table, experiment);
}

}  // namespace a3sim
