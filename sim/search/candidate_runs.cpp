#include "sim/search/candidate_runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "scheduler/runtime_files/runtime_schedule.h"
#include "scheduler/verify/verify.h"
#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/experiment/config/order_file.h"
#include "sim/experiment/run/compiled.h"
#include "sim/experiment/run/equal_schedules.h"
#include "sim/experiment/run/run_outcome.h"
#include "sim/search/search_store.h"
#include "sim/sweep/point.h"

namespace a3sim {
namespace {

// Returns a hash of all values but those that only compiling reads, without which equal schedules run the same.
std::size_t hash_of_machine(const Experiment& experiment) {
  std::string text;
  for (const auto& [path, value] : experiment.values) {
    if (path.starts_with("cut.") || path.starts_with("bucket.") || path.starts_with("order.")) continue;
    text += fmt::format("{}={}\n", path, value);
  }
  return std::hash<std::string>()(text);
}

std::string joined(const std::vector<std::string>& settings) {
  return fmt::format("{}", fmt::join(settings, "\n"));
}

std::string text_of_jitter(const JitterOptions& jitter) {
  return fmt::format("{} {} {} {}", jitter.runs, jitter.seed, jitter.durations, jitter.rates);
}

// Splits the list of outcomes into those of each candidate.
std::vector<std::vector<CandidateOutcome>> by_scenario(std::vector<CandidateOutcome> outcomes,
                                                       std::size_t scenarios) {
  std::vector<std::vector<CandidateOutcome>> by_candidate(outcomes.size() / scenarios);
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    by_candidate[i / scenarios].push_back(std::move(outcomes[i]));
  return by_candidate;
}

}  // namespace

Latencies CandidateOutcome::totals() const {
  Latencies totals;
  for (const Latencies& pass : passes) {
    totals.resize(pass.size());
    for (std::size_t draw = 0; draw < pass.size(); ++draw) totals[draw] += pass[draw];
  }
  return totals;
}

std::vector<std::string> CandidateRuns::settings_of(const Job& job) const {
  std::vector<std::string> settings;
  if (job.candidate) settings = problem_.settings(*job.candidate);
  settings.insert(settings.end(), job.scenario->settings.begin(), job.scenario->settings.end());
  return settings;
}

// Reads the configurations that jobs share, each once; an order does not change them.
void CandidateRuns::read_bases(std::span<const Job> jobs) {
  constexpr std::size_t kMostKept = 256;
  std::map<std::string, std::vector<std::string>> wanted;
  for (const Job& job : jobs) {
    std::vector<std::string> settings = settings_of(job);
    std::string key = joined(settings);
    if (!bases_.contains(key)) wanted.emplace(std::move(key), std::move(settings));
  }
  if (bases_.size() + wanted.size() > kMostKept) {
    bases_.clear();
    for (const Job& job : jobs) {
      std::vector<std::string> settings = settings_of(job);
      wanted.emplace(joined(settings), std::move(settings));
    }
  }
  std::vector<std::pair<const std::vector<std::string>*, Base*>> to_read;
  for (const auto& [key, settings] : wanted) to_read.emplace_back(&settings, &bases_[key]);
  in_parallel(to_read.size(), threads_, [&](std::size_t i) {
    const auto& [settings, base] = to_read[i];
    try {
      base->experiment = std::make_shared<const Experiment>(problem_.experiment().with(*settings));
      base->machine = hash_of_machine(*base->experiment);
    } catch (const InputError& error) {
      base->refused = error.what();
    }
  });
}

Experiment CandidateRuns::experiment_of(const Job& job, const Experiment& base) const {
  if (job.order) return with_order(base, job.order->order);
  return with_order(base,
                    job.candidate ? problem_.order(*job.candidate) : problem_.starts()[job.start].order);
}

Experiment CandidateRuns::experiment(const Candidate& candidate, const SearchScenario& scenario) const {
  const Job job{&candidate, 0, &scenario, {}, nullptr};
  return experiment_of(job, problem_.experiment().with(settings_of(job)));
}

Experiment CandidateRuns::start_experiment(std::size_t start, const SearchScenario& scenario) const {
  const Job job{nullptr, start, &scenario, {}, nullptr};
  return experiment_of(job, problem_.experiment().with(settings_of(job)));
}

std::string CandidateRuns::why_unsound(const Candidate& candidate, const SearchScenario& scenario) const {
  const Experiment made = experiment(candidate, scenario);
  std::string why;
  made.work->check(made, [&](const std::string& pass, const Findings& findings) {
    if (why.empty() && !findings.errors.empty()) why = fmt::format("{}: {}", pass, findings.errors.front());
  });
  return why;
}

std::string CandidateRuns::why_no_runtime_files(const Candidate& candidate,
                                                const SearchScenario& scenario) const {
  const Experiment made = experiment(candidate, scenario);
  const auto work = made.work->prepare(made, threads_);
  if (!work->schedules()) return made.name + ": it has no schedules";
  try {
    for (const CompiledPass& pass : work->schedules()->passes)
      static_cast<void>(runtime_config_of(pass.schedule.front()));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

CandidateRuns::RunKey CandidateRuns::run_key(const PreparedWork& work, std::size_t pass,
                                             const Job& job) const {
  const Compiled* const compiled = work.schedules();
  const std::size_t machine = bases_.at(joined(settings_of(job))).machine;
  return {fmt::format("{} {:016x} {}", pass, machine, text_of_jitter(job.scenario->jitter)),
          compiled ? schedule_hash(compiled->passes[pass].schedule) : 0};
}

// Returns an empty text for a candidate that is refused, and for work without schedules, whose runs cannot be told apart.
std::string CandidateRuns::schedules_of(const Job& job) const {
  const Base& base = bases_.at(joined(settings_of(job)));
  if (!base.experiment) return {};
  try {
    const Experiment experiment = experiment_of(job, *base.experiment);
    if (!experiment.work->why_no_schedules().empty()) return {};
    const auto work = experiment.work->prepare(experiment, 1);
    std::string text;
    for (std::size_t pass = 0; pass < work->passes(); ++pass) {
      if (!work->schedules()) return {};
      const auto [machine, hash] = run_key(*work, pass, job);
      text += fmt::format("{}\n{:016x}\n", machine, hash);
    }
    return text;
  } catch (const InputError&) {
    return {};
  }
}

std::vector<std::string> CandidateRuns::schedules_of(std::span<const Candidate> candidates,
                                                     std::span<const SearchStage> stages) {
  std::vector<std::string> schedules(candidates.size());
  for (const SearchStage& stage : stages) {
    std::vector<std::size_t> left;
    std::vector<Job> jobs;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (!schedules[i].empty()) continue;
      left.push_back(i);
      jobs.push_back({&candidates[i], 0, &stage.scenarios.front(), {}, nullptr});
    }
    read_bases(jobs);
    in_parallel(jobs.size(), threads_, [&](std::size_t i) { schedules[left[i]] = schedules_of(jobs[i]); });
  }
  return schedules;
}

std::optional<Latencies> CandidateRuns::run_pass(const Experiment& experiment, const PreparedWork& work,
                                                 std::size_t pass, const Job& job, Duration limit) {
  const RunKey key = run_key(work, pass, job);
  if (work.schedules()) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = ran_.find(key); found != ran_.end()) return found->second;
  }
  Latencies latencies;
  for (std::uint32_t draw = 0; draw < job.scenario->jitter.draws(); ++draw) {
    const PassOutcome outcome =
        work.run(experiment, pass, {job.scenario->jitter, draw}, limit, Record::kLatency);
    if (outcome.stopped) return std::nullopt;
    latencies.push_back(outcome.latency);
  }
  const std::scoped_lock lock(mutex_);
  ran_[key] = latencies;
  return latencies;
}

CandidateOutcome CandidateRuns::run_job(const Job& job) {
  CandidateOutcome outcome;
  const Base& base = bases_.at(joined(settings_of(job)));
  if (!base.experiment) return {base.refused, {}, 0, false};
  try {
    const Experiment experiment = experiment_of(job, *base.experiment);
    outcome.vector_workers = experiment.workers.count(CoreUnit::kVector);
    const bool limited = outcome.vector_workers >= job.limit.vector_workers;
    Duration left = limited ? job.limit.total : Duration::max();
    const auto work = experiment.work->prepare(experiment, 1);
    for (std::size_t pass = 0; pass < work->passes(); ++pass) {
      const std::optional<Latencies> latencies = run_pass(experiment, *work, pass, job, left);
      if (left < Duration::max() && latencies) left -= latencies->front();
      if (!latencies || left < Duration::zero()) return {{}, {}, outcome.vector_workers, true};
      outcome.passes.push_back(*latencies);
    }
  } catch (const InputError& error) {
    outcome.refused = error.what();
  }
  return outcome;
}

// Returns what the store has of a job, or nullopt.
std::optional<CandidateOutcome> CandidateRuns::find(const Job& job, const ToRecord& of_job) const {
  const JitterOptions& jitter = job.scenario->jitter;
  CandidateOutcome outcome{{}, {}, of_job.experiment->workers.count(CoreUnit::kVector), false};
  const bool limited = outcome.vector_workers >= job.limit.vector_workers;
  if (job.order) {
    std::optional<StoredOrder> known = store_->find_order(of_job.point, job.order->name, jitter);
    if (!known) return std::nullopt;
    if (known->passes.empty()) {
      if (!limited || job.limit.total > known->longer_than) return std::nullopt;
      outcome.stopped = true;
      return outcome;
    }
    outcome.passes = std::move(known->passes);
  } else {
    std::optional<std::vector<Latencies>> known = store_->find(of_job.point, *of_job.experiment, jitter);
    if (!known) return std::nullopt;
    outcome.passes = std::move(*known);
  }
  if (limited && outcome.totals().front() > job.limit.total) {
    outcome.passes.clear();
    outcome.stopped = true;
  }
  return outcome;
}

// Takes the outcome from the store, or else runs it, to be recorded there.
CandidateOutcome CandidateRuns::run_or_find(const Job& job, ToRecord& to_record) {
  if (!store_ || !job.candidate) return run_job(job);
  try {
    std::vector<std::string> settings = settings_of(job);
    settings.push_back("order=" + problem_.order_line(*job.candidate));
    to_record.experiment = std::make_shared<const Experiment>(problem_.experiment().with(settings));
  } catch (const InputError& error) {
    return {error.what(), {}, 0, false};
  }
  to_record.point = point_id(portable(*to_record.experiment));
  if (const std::optional<CandidateOutcome> known = find(job, to_record)) {
    to_record.point.clear();
    return *known;
  }
  return run_job(job);
}

void CandidateRuns::record(const Job& job, const ToRecord& to_record, const CandidateOutcome& outcome) {
  if (to_record.point.empty() || !outcome.refused.empty()) return;
  if (job.order) {
    store_->record_order(to_record.point, *to_record.experiment, job.order->name, job.scenario->jitter,
                         {outcome.passes, outcome.stopped ? job.limit.total : Duration::zero()});
  } else if (!outcome.stopped) {
    store_->record(to_record.point, *to_record.experiment, job.scenario->jitter, outcome.passes);
  }
}

std::vector<CandidateOutcome> CandidateRuns::run_jobs(std::span<const Job> jobs) {
  read_bases(jobs);
  std::vector<CandidateOutcome> outcomes(jobs.size());
  std::vector<ToRecord> to_record(jobs.size());
  in_parallel(jobs.size(), threads_,
              [&](std::size_t i) { outcomes[i] = run_or_find(jobs[i], to_record[i]); });
  for (std::size_t i = 0; i < jobs.size(); ++i) record(jobs[i], to_record[i], outcomes[i]);
  return outcomes;
}

std::vector<std::vector<CandidateOutcome>> CandidateRuns::run(std::span<const Candidate> candidates,
                                                              const SearchStage& stage,
                                                              const StageLimit& limit) {
  std::vector<Job> jobs;
  for (const Candidate& candidate : candidates) {
    for (const SearchScenario& scenario : stage.scenarios)
      jobs.push_back({&candidate, 0, &scenario, limit, nullptr});
  }
  return by_scenario(run_jobs(jobs), stage.scenarios.size());
}

std::vector<std::vector<CandidateOutcome>> CandidateRuns::run_orders(const Candidate& candidate,
                                                                     std::span<const NamedOrder> orders,
                                                                     const SearchStage& stage,
                                                                     const StageLimit& limit) {
  std::vector<Job> jobs;
  for (const NamedOrder& order : orders) {
    for (const SearchScenario& scenario : stage.scenarios)
      jobs.push_back({&candidate, 0, &scenario, limit, &order});
  }
  return by_scenario(run_jobs(jobs), stage.scenarios.size());
}

std::size_t CandidateRuns::runs() const {
  std::size_t runs = 0;
  for (const auto& [key, latencies] : ran_) runs += latencies.size();
  return runs;
}

std::vector<std::vector<CandidateOutcome>> CandidateRuns::run_starts(std::span<const std::size_t> starts,
                                                                     const SearchStage& stage,
                                                                     std::span<const Duration> limits) {
  std::vector<Job> jobs;
  for (const std::size_t start : starts) {
    for (std::size_t s = 0; s < stage.scenarios.size(); ++s)
      jobs.push_back(
          {nullptr, start, &stage.scenarios[s], {limits.empty() ? Duration::max() : limits[s], 0}, nullptr});
  }
  return by_scenario(run_jobs(jobs), stage.scenarios.size());
}

}  // namespace a3sim
