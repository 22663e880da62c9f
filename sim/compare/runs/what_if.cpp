#include "sim/compare/runs/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "sim/core/error.h"
#include "sim/experiment/run/run_experiment.h"

namespace a3sim {
namespace {

constexpr double kTenPercent = 1.1, kTwice = 2, kTenth = 0.1;

bool is_count(const MachinePart* part) { return part->kind == MachinePart::Kind::kCount; }

// "AIC, 28 instead of 25 (+12 %)"
std::string name_in(const Experiment& experiment, const MachinePart& part) {
  if (!is_count(&part)) return part.name;
  const Hardware& now = experiment.hardware;
  const Hardware more = experiment.with_machine(changes_of(part, experiment, {kTenPercent})).hardware;
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
               const WhatIfSink& seen) {
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
  for (CableLevel& level : cable_levels(experiment))
    question.answer.levels.push_back({std::move(level), {}, {}});
  for (WhatIf::Level& level : question.answer.levels) {
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
