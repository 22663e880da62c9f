#include "sim/variation/difference_table.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <mutex>
#include <utility>

#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/core/progress.h"
#include "sim/core/progress_lines.h"
#include "sim/core/statistics.h"
#include "sim/experiment/run/run_outcome.h"

namespace a3sim {
namespace {

// A variant with the places for what it comes to.
struct Running {
  Variant variant;
  VariedOutcome* outcome;
  std::string* refused;                  // null: of the experiment itself, whose errors are thrown
  const Variation* variation = nullptr;  // gives the variant's experiment; null: it is made
};

void keep_passes(Experiment& experiment, const std::vector<std::string>& passes) {
  if (passes.empty()) return;
  std::erase_if(experiment.passes,
                [&](const Pass& pass) { return std::ranges::find(passes, pass.name) == passes.end(); });
}

void append_outcome(const Evaluated& evaluated, VariedOutcome& to) {
  to.passes.resize(evaluated.passes.size());
  for (std::size_t p = 0; p < to.passes.size(); ++p)
    std::ranges::copy(evaluated.latencies(p), std::back_inserter(to.passes[p]));
  std::ranges::copy(evaluated.totals(), std::back_inserter(to.totals));
}

void find_bounds(Running& running) {
  for (std::size_t p = 0; p < running.variant.passes(); ++p) {
    const Bounds bounds = running.variant.work->bounds(running.variant.experiment, p);
    for (std::uint32_t b = 0; b < kBounds; ++b) running.outcome->bounds[b] += bounds.time[b];
  }
}

class Evaluator {
 public:
  Evaluator(DifferenceTable& table, const DifferenceOptions& options) : table_(table), options_(options) {}

  // Makes variations of `base`, and prepares all.
  void prepare_all(std::vector<Running>& running, const Experiment& base) const {
    in_parallel(running.size(), options_.threads, [&](std::size_t i) {
      Running& one = running[i];
      guarded(one, [&] {
        Experiment& experiment = one.variant.experiment;
        if (one.variation) experiment = one.variation->of(base);
        if (one.variation) keep_passes(experiment, options_.passes);
        if (!one.variant.work) one.variant.work = experiment.work->prepare(experiment, 1);
        if (options_.bounds) find_bounds(one);
      });
    });
    drop_refused(running);
  }

  // Runs all in rounds. The first one is the experiment itself if `with_base`.
  void run(std::vector<Running>& running, bool with_base) {
    const std::uint32_t draws = options_.jitter.draws();
    for (std::uint32_t from = 0; from < draws && running.size() > (with_base ? 1 : 0);) {
      const std::uint32_t round = with_base || from == 0 ? options_.runs_at_a_time : draws;
      const std::uint32_t runs = std::min(round, draws - from);
      run_round(running, from, runs);
      from += runs;
      drop_refused(running);
      drop_ended(running, draws - from);
      tell(from);
    }
    const bool needed = options_.runs == RunsNeeded::kAll || !unchanged_.empty();
    if (with_base && needed && table_.base.totals.size() < draws) {
      const auto done = static_cast<std::uint32_t>(table_.base.totals.size());
      run_round(running, done, draws - done);
    }
    // A variation that changed nothing runs as the experiment does.
    for (VariedOutcome* same : unchanged_) fill(*same);
  }

 private:
  // Runs `work`, and notes an error where the variant has a place for it.
  template <class Work>
  static void guarded(const Running& one, const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      if (!one.refused || error.code() == ExitCode::kInterrupted) throw;
      *one.refused = error.what();
    }
  }

  static void drop_refused(std::vector<Running>& running) {
    std::erase_if(running, [](const Running& one) { return one.refused && !one.refused->empty(); });
  }

  void run_round(std::vector<Running>& running, std::uint32_t from, std::uint32_t runs) const {
    std::vector<Variant> variants;
    for (const Running& one : running) variants.push_back(one.variant);
    EvaluateOptions how{.jitter = options_.jitter,
                        .threads = options_.threads,
                        .one_machine = options_.one_machine,
                        .first_run = from,
                        .runs = runs};
    std::mutex noting;
    how.run = [&](std::size_t v, std::size_t p, const Draw& draw) {
      PassOutcome outcome;
      try {
        outcome = variants[v].work->run(variants[v].experiment, p, draw, Duration::max(), Record::kLatency);
      } catch (const Error& error) {
        if (!running[v].refused || error.code() == ExitCode::kInterrupted) throw;
        const std::scoped_lock lock(noting);
        if (running[v].refused->empty()) *running[v].refused = error.what();
      }
      return outcome;
    };
    const std::vector<Evaluated> done = evaluate(variants, how);
    for (std::size_t v = 0; v < running.size(); ++v)
      if (!running[v].refused || running[v].refused->empty()) append_outcome(done[v], *running[v].outcome);
  }

  void drop_ended(std::vector<Running>& running, std::uint32_t left) {
    const std::size_t before = running.size();
    std::erase_if(running, [&](const Running& one) {
      if (!one.refused) return false;  // the experiment itself
      if (is_unchanged(*one.outcome)) {
        unchanged_.push_back(one.outcome);
        return true;
      }
      return options_.runs == RunsNeeded::kUntilClear && one.outcome->totals.size() == kFewestRuns &&
             is_clear_by_far(one.outcome->totals, table_.base.totals);
    });
    // The progress line counts the runs that are left out.
    Progress("simulations").step((before - running.size()) * left * table_.passes.size());
  }

  bool is_unchanged(const VariedOutcome& outcome) const {
    if (outcome.passes.size() != table_.base.passes.size()) return false;
    for (std::size_t p = 0; p < outcome.passes.size(); ++p) {
      const Latencies &own = outcome.passes[p], &base = table_.base.passes[p];
      if (own.size() > base.size() || !std::equal(own.begin(), own.end(), base.begin())) return false;
    }
    return true;
  }

  void fill(VariedOutcome& outcome) const {
    outcome.passes = table_.base.passes;
    outcome.totals = table_.base.totals;
  }

  void tell(std::uint32_t runs) const {
    if (!options_.seen) return;
    for (VariedOutcome* same : unchanged_) fill(*same);
    options_.seen(table_, runs);
  }

  DifferenceTable& table_;
  const DifferenceOptions& options_;
  std::vector<VariedOutcome*> unchanged_;
};

// Runs a variant, and variations of the experiment. `shared`: those with the experiment's schedules have the variant's.
DifferenceTable run_all(Variant base, bool shared, const Experiment& experiment,
                        std::span<const Variation> variations, const DifferenceOptions& options) {
  DifferenceTable table;
  keep_passes(base.experiment, options.passes);
  prepare({&base, 1}, options.threads);
  const std::shared_ptr<const PreparedWork> work = base.work;
  for (std::size_t p = 0; p < work->passes(); ++p) table.passes.push_back(work->pass_name(p));
  table.rows.resize(variations.size());
  std::vector<Running> held{{std::move(base), &table.base, nullptr}}, in_turn;
  for (std::size_t v = 0; v < variations.size(); ++v) {
    Difference& row = table.rows[v];
    row.name = variations[v].name;
    const bool shares = shared && variations[v].same_schedules;
    (options.hold || shares ? held : in_turn)
        .push_back({{{}, shares ? work : nullptr}, &row.outcome, &row.refused, &variations[v]});
  }
  const Progress progress(kSimulationsInAll,
                          (1 + variations.size()) * (table.passes.size() * options.jitter.draws() + 1));
  Evaluator evaluator(table, options);
  evaluator.prepare_all(held, experiment);
  evaluator.run(held, true);
  while (!in_turn.empty()) {  // as many as run at a time
    const auto some = static_cast<std::ptrdiff_t>(std::min<std::size_t>(in_turn.size(), options.threads));
    std::vector<Running> next(std::make_move_iterator(in_turn.begin()),
                              std::make_move_iterator(in_turn.begin() + some));
    in_turn.erase(in_turn.begin(), in_turn.begin() + some);
    evaluator.prepare_all(next, experiment);
    evaluator.run(next, false);
  }
  return table;
}

}  // namespace

bool is_clear_by_far(const Latencies& a, const Latencies& b) {
  std::vector<double> differences;
  for (std::size_t run = 0; run < a.size(); ++run)
    differences.push_back(static_cast<double>((a[run] - b[run]).count()));
  const auto [low, high] = std::ranges::minmax(differences);
  return (low > 0 || high < 0) && std::min(std::abs(low), std::abs(high)) > high - low;
}

DifferenceTable differences(Variant base, std::span<const Variation> variations,
                            const DifferenceOptions& options) {
  const Experiment experiment = base.experiment;
  return run_all(std::move(base), true, experiment, variations, options);
}

DifferenceTable outcomes(const Experiment& experiment, std::span<const Variation> variations,
                         const DifferenceOptions& options) {
  std::vector<Difference> refused;
  for (std::size_t first = 0; first < variations.size(); ++first) {
    const Variation& base = variations[first];
    try {
      DifferenceTable table = run_all({base.of(experiment), nullptr}, base.same_schedules, experiment,
                                      variations.subspan(first + 1), options);
      table.rows.insert(table.rows.begin(), {base.name, table.base, {}});
      table.rows.insert(table.rows.begin(), refused.begin(), refused.end());
      return table;
    } catch (const InputError& error) {
      refused.push_back({base.name, {}, error.what()});
    }
  }
  return {{}, {}, std::move(refused)};
}

}  // namespace a3sim
