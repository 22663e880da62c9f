#include "sim/experiment/run/evaluate.h"

#include <algorithm>
#include <iterator>
#include <ranges>

#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/experiment/run/bounds.h"
#include "sim/experiment/run/evaluate_by_run.h"
#include "sim/experiment/run/run_outcome.h"

namespace a3sim {
namespace {

// Returns every pass of every variant.
std::vector<EqualPasses::Pass> all_passes(std::span<const Variant> variants) {
  std::vector<EqualPasses::Pass> passes;
  for (std::size_t v = 0; v < variants.size(); ++v) {
    for (std::size_t p = 0; p < variants[v].passes(); ++p) passes.push_back({v, p});
  }
  return passes;
}

// Returns one entry per variant, then pass: the least time of the variant's other passes in any draw. Bounds
// hold for the modelled machine; a draw may make tasks and rates faster by the spread.
std::vector<Latencies> least_of_others(std::span<const Variant> variants, const JitterOptions& jitter,
                                       unsigned threads) {
  const JitterOptions drawn = Draw{jitter, 0}.options();
  const double fastest = (1 - drawn.durations) / (1 + drawn.rates);
  std::vector<Latencies> others(variants.size());
  in_parallel(variants.size(), threads, [&](std::size_t v) {
    Latencies least;
    Duration all{};
    for (std::size_t p = 0; p < variants[v].passes(); ++p) {
      const Duration bound = variants[v].work->bounds(variants[v].experiment, p).largest();
      least.emplace_back(static_cast<std::int64_t>(static_cast<double>(bound.count()) * fastest));
      all += least.back();
    }
    for (const Duration own : least) others[v].push_back(all - own);
  });
  return others;
}

std::uint32_t runs_of(const EvaluateOptions& options) {
  const std::uint32_t draws = options.jitter.draws();
  return options.first_run >= draws ? 0 : std::min(options.runs, draws - options.first_run);
}

void append_outcomes(Evaluated more, Evaluated& to) {
  to.passes.resize(more.passes.size());
  for (std::size_t p = 0; p < more.passes.size(); ++p)
    std::ranges::move(more.passes[p], std::back_inserter(to.passes[p]));
}

}  // namespace

void prepare(std::span<Variant> variants, unsigned threads, std::vector<std::string>* refused) {
  if (refused) refused->assign(variants.size(), {});
  in_parallel(variants.size(), threads, [&](std::size_t v) {
    Variant& variant = variants[v];
    if (variant.work) return;
    try {
      variant.work = variant.experiment.work->prepare(variant.experiment, 1);
    } catch (const InputError& error) {
      if (!refused) throw;
      (*refused)[v] = error.what();
    }
  });
}

EqualPasses::EqualPasses(std::span<const Variant> variants) : first_(variants.size()) {
  for (const auto& [v, p] : all_passes(variants)) {
    std::size_t first = 0;
    while (first < v && (first_[first].size() <= p || first_[first][p] != first ||
                         !variants[first].work->same(*variants[v].work, p)))
      ++first;
    first_[v].push_back(first);
    if (first == v) to_run_.push_back({v, p});
  }
  std::ranges::stable_sort(to_run_, std::ranges::greater(), &Pass::pass);
}

std::optional<std::size_t> EqualPasses::same_as(std::size_t variant) const {
  if (first_[variant].empty()) return std::nullopt;
  const std::span before(first_.data(), variant);
  const auto found = std::ranges::find(before, first_[variant]);
  if (found == before.end()) return std::nullopt;
  return static_cast<std::size_t>(found - before.begin());
}

Latencies Evaluated::latencies(std::size_t pass) const {
  Latencies latencies;
  for (const PassOutcome& outcome : passes[pass]) latencies.push_back(outcome.latency);
  return latencies;
}

Latencies Evaluated::totals() const {
  Latencies totals;
  for (const std::vector<PassOutcome>& pass : passes) {
    totals.resize(pass.size());
    for (std::size_t run = 0; run < pass.size(); ++run) totals[run] += pass[run].latency;
  }
  return totals;
}

Latencies Evaluated::ends_apart() const {
  Latencies apart;
  for (const std::vector<PassOutcome>& pass : passes) {
    apart.resize(pass.size());
    for (std::size_t run = 0; run < pass.size(); ++run) apart[run] += pass[run].ends_apart;
  }
  return apart;
}

bool Evaluated::stopped() const {
  return std::ranges::any_of(
      passes, [](const auto& pass) { return std::ranges::any_of(pass, &PassOutcome::stopped); });
}

std::vector<Evaluated> evaluate(std::span<const Variant> variants, const EvaluateOptions& options) {
  const std::optional<EqualPasses> equal =
      options.one_machine ? std::optional<EqualPasses>(variants) : std::nullopt;
  const std::vector<EqualPasses::Pass> to_run = equal ? equal->to_run() : all_passes(variants);
  const std::uint32_t runs = runs_of(options);
  const std::vector<Latencies> others = options.limits.empty()
                                            ? std::vector<Latencies>{}
                                            : least_of_others(variants, options.jitter, options.threads);
  std::vector<Evaluated> results(variants.size());
  for (std::size_t v = 0; v < variants.size(); ++v)
    results[v].passes.assign(variants[v].passes(), std::vector<PassOutcome>(runs));
  const std::size_t beside = options.beside.size();
  in_parallel(beside + to_run.size() * runs, options.threads, [&](std::size_t job) {
    if (job < beside) return options.beside[job]();
    const auto& [v, p] = to_run[(job - beside) / runs];
    const auto run = static_cast<std::uint32_t>((job - beside) % runs);
    const Draw draw{options.jitter, options.first_run + run};
    if (options.run) {
      results[v].passes[p][run] = options.run(v, p, draw);
    } else {
      const Duration limit = options.limits.empty() ? Duration::max() : options.limits[run] - others[v][p];
      results[v].passes[p][run] =
          variants[v].work->run(variants[v].experiment, p, draw, limit, Record::kLatency);
    }
  });
  if (!equal) return results;
  for (std::size_t v = 0; v < variants.size(); ++v) {
    for (std::size_t p = 0; p < variants[v].passes(); ++p)
      results[v].passes[p] = results[equal->first(v, p)].passes[p];
  }
  return results;
}

std::vector<Evaluated> evaluate_by_run(std::span<const Variant> variants, const EvaluateOptions& options,
                                       const RunsSink& seen) {
  std::vector<Evaluated> so_far(variants.size());
  const std::uint32_t runs = runs_of(options);
  EvaluateOptions one = options;
  one.runs = 1;
  for (std::uint32_t run = 0; run < runs; ++run) {
    one.first_run = options.first_run + run;
    if (!options.limits.empty()) one.limits = {options.limits[run]};
    std::vector<Evaluated> done = evaluate(variants, one);
    for (std::size_t v = 0; v < variants.size(); ++v) append_outcomes(std::move(done[v]), so_far[v]);
    one.beside.clear();
    if (seen) seen(so_far, run + 1);
  }
  return so_far;
}

}  // namespace a3sim
