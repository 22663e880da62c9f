#include "sim/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "sim/core/error.h"
#include "sim/core/parallel.h"
#include "sim/describe/idle_keys.h"
#include "sim/experiment/run/compiled.h"
#include "sim/experiment/step/least_step_time.h"
#include "sim/sweep/best_points.h"
#include "sim/sweep/database.h"
#include "sim/sweep/point.h"
#include "sim/sweep/tried_cost.h"
#include "sim/sweep/worker_pool.h"

namespace a3sim {
namespace {

// Computes points one after the other, and shares schedules between neighbours.
class PointRun {
 public:
  explicit PointRun(const SweepSpec& spec) : spec_(spec), reader_(spec) {}

  // Returns the configuration and the metrics as bytes for another process. Throws what the simulation
  // throws, and InputError if the point is no longer `id`, because a file has changed.
  std::string compute(const SweepPosition& position, const std::string& id) {
    const SweepPoint point = reader_.resolve(position);
    if (point.id != id) throw InputError("its configuration was changed while the sweep ran: start it again");
    nlohmann::json answer{{"config", point.config.resolved}, {"files", point.config.files}};
    for (const PointMetric& m : measured(point.experiment, spec_.metrics, &cache_))
      answer["metrics"].push_back({m.pass, m.name, m.value, m.unit});
    std::string bytes;
    nlohmann::json::to_cbor(answer, nlohmann::detail::output_adapter<char>(bytes));
    return bytes;
  }

  // Returns the latency that the point cannot beat, in whole picoseconds.
  std::string least(const SweepPosition& position) {
    return std::to_string(least_step_time(reader_.resolve(position).experiment).count());
  }

 private:
  const SweepSpec& spec_;
  PointReader reader_;
  CompileCache cache_;
};

// Reads the result of compute() into the record of its point.
void read_answer(const std::string& bytes, SweepRecord& record) {
  const nlohmann::json json = nlohmann::json::from_cbor(bytes);
  record.config = {json.at("config"), json.at("files")};
  for (const nlohmann::json& m : json.at("metrics"))
    record.metrics.push_back({m.at(0), m.at(1), m.at(2), m.at(3)});
}

using Known = std::map<std::string, KnownPoint>;

// True if a point needs no run: it has all that the sweep asks for, or it failed and is not to be tried
// again.
bool is_settled(const SweepPlan& plan, const Known& known, std::size_t position, bool retry_failed) {
  const auto found = known.find(plan.ids[position]);
  if (found == known.end()) return false;
  if (!found->second.error.empty()) return !retry_failed;
  for (std::size_t m = 0; m < plan.spec.metrics.size(); ++m) {
    if (plan.has_metric[position][m] && !found->second.metrics.contains(plan.spec.metrics[m])) return false;
  }
  return true;
}

struct Wanted {
  std::vector<std::uint64_t> positions;  // the first position of each point to run
  std::size_t points = 0, known = 0;
};

Wanted wanted_of(const SweepPlan& plan, const Known& known, const SweepOptions& options) {
  Wanted wanted;
  std::set<std::string> seen;
  for (std::size_t p = 0; p < plan.ids.size(); ++p) {
    if (!seen.insert(plan.ids[p]).second || !options.shard.has(seen.size() - 1)) continue;
    ++wanted.points;
    if (is_settled(plan, known, p, options.retry_failed)) {
      ++wanted.known;
    } else {
      wanted.positions.push_back(p);
    }
  }
  return wanted;
}

// Returns all failures in the database, with those of this run.
std::vector<SweepOutcome::Failure> failures_of(const SweepPlan& plan, const Known& known,
                                               const std::map<std::string, std::string>& failed) {
  std::vector<SweepOutcome::Failure> failures;
  std::set<std::string> seen;
  for (std::size_t p = 0; p < plan.ids.size(); ++p) {
    if (!seen.insert(plan.ids[p]).second) continue;
    std::string error;
    if (const auto now = failed.find(plan.ids[p]); now != failed.end()) error = now->second;
    if (const auto before = known.find(plan.ids[p]); error.empty() && before != known.end())
      error = before->second.error;
    if (!error.empty()) failures.push_back({describe(plan.spec, plan.positions[p]), error});
  }
  return failures;
}

SweepRecord record_of(const SweepPlan& plan, const WorkDone& work) {
  SweepRecord record;
  record.id = plan.ids[work.number];
  record.error = work.reply.error;
  record.seconds = work.seconds;
  record.memory = work.reply.memory;
  if (record.error.empty())
    read_answer(work.reply.answer, record);
  else
    record.config = PointReader(plan.spec).resolve(plan.positions[work.number]).config;
  return record;
}

// Asks a worker for what a point cannot beat, instead of its run.
constexpr std::uint64_t kLeast = std::uint64_t{1} << 63;

Worker::Work work_of(const SweepPlan& plan) {
  // Each process has one; its points share what it keeps.
  return [run = std::make_shared<PointRun>(plan.spec), &plan,
          last = std::string()](std::uint64_t position) mutable {
    if ((position & kLeast) != 0) return run->least(plan.positions[position & ~kLeast]);
    if (plan.taskflows[position] != last) Worker::begin_afresh();  // points of one taskflow are alike enough
    last = plan.taskflows[position];
    return run->compute(plan.positions[position], plan.ids[position]);
  };
}

// Runs some of the positions, recorded or not.
std::vector<WorkDone> try_points(const SweepPlan& plan, const std::vector<std::uint64_t>& positions,
                                 const SweepOptions& options) {
  std::vector<WorkDone> done;
  OrderOfWork order(positions, plan.taskflows, 1);
  WorkerPool pool(1, work_of(plan), options.limits);
  pool.run([&](unsigned worker) { return order.next(worker); },
           [&](WorkDone&& work) { done.push_back(std::move(work)); }, [] {});
  return done;
}

// Returns what the points cannot beat, in ms. A point whose bound is refused has none: its run says why.
std::vector<BestPoints::Bounded> bounds_of(const SweepPlan& plan, const Wanted& wanted,
                                           const SweepOptions& options, WorkerPool& pool) {
  constexpr double kMilliseconds = 1e-9;  // of a picosecond
  std::vector<BestPoints::Bounded> bounds;
  OrderOfWork order(wanted.positions, plan.taskflows, options.jobs);
  const auto next = [&](unsigned worker) -> std::optional<std::uint64_t> {
    const std::optional<std::uint64_t> point = order.next(worker);
    return point ? std::optional(*point | kLeast) : std::nullopt;
  };
  const auto done = [&](WorkDone&& work) {
    const double least =
        work.reply.error.empty() ? kMilliseconds * static_cast<double>(std::stoll(work.reply.answer)) : 0;
    bounds.push_back({work.number & ~kLeast, least});
  };
  pool.run(next, done, [&] { options.progress({wanted.positions.size(), 0, 0}); });
  std::ranges::sort(bounds, {}, &BestPoints::Bounded::point);
  return bounds;
}

// Runs the points that may be among the best. Returns how many cannot.
std::size_t run_best(const SweepPlan& plan, const Wanted& wanted, const Known& known,
                     const SweepOptions& options, WorkerPool& pool,
                     const std::function<void(const SweepRecord&)>& record, SweepProgress& progress) {
  std::vector<double> latencies;
  for (const std::string& id : std::set<std::string>(plan.ids.begin(), plan.ids.end()))
    if (const auto found = known.find(id); found != known.end()) latencies.push_back(found->second.latency);
  BestPoints best(plan.spec.best, bounds_of(plan, wanted, options, pool), latencies);
  std::map<std::uint64_t, SweepRecord> ended;
  const auto done = [&](WorkDone&& work) {
    const SweepRecord& one = ended[work.number] = record_of(plan, work);
    const auto latency = std::ranges::find_if(
        one.metrics, [](const PointMetric& m) { return m.pass == "total" && m.name == "latency"; });
    const double value =
        latency == one.metrics.end() ? std::numeric_limits<double>::infinity() : latency->value;
    for (const std::uint64_t point : best.settle(work.number, value)) record(ended.at(point));
  };
  const auto tick = [&] {
    progress.wanted = best.open();
    options.progress(progress);
  };
  pool.run([&](unsigned) { return best.next(); }, done, tick);
  return wanted.positions.size() - best.settled();
}

constexpr std::size_t kMostErrors = 20;

// The part of a position that a plan needs, or why its configuration is refused.
struct ResolvedPosition {
  std::string id, taskflow, refused;
  std::vector<bool> has_metric{};  // one per metric of the sweep
};

// An error in one value occurs at each of its points. Returns the error without the point.
std::string without_place(const std::string& error) { return error.substr(0, error.find(" (at ")); }

ResolvedPosition resolve_position(PointReader& reader, const SweepSpec& spec, const SweepPosition& position) {
  try {
    SweepPoint point = reader.resolve(position);
    ResolvedPosition resolved{std::move(point.id), std::move(point.taskflow), {}, {}};
    for (const std::string& name : spec.metrics)
      resolved.has_metric.push_back(!metrics_had(point.experiment, std::span(&name, 1)).empty());
    return resolved;
  } catch (const InputError& error) {
    return {{}, {}, error.what(), {}};
  }
}

// Resolves all positions. If refusals are errors, resolves them in order, and only up to the last error that
// is told.
std::vector<ResolvedPosition> resolve_all(const SweepSpec& spec, const std::vector<SweepPosition>& positions,
                                          unsigned threads) {
  std::vector<ResolvedPosition> resolved(positions.size());
  PointReader reader(spec);
  if (spec.leave_out_refused) {
    in_parallel(positions.size(), threads,
                [&](std::size_t p) { resolved[p] = resolve_position(reader, spec, positions[p]); });
    return resolved;
  }
  std::set<std::string> errors;
  for (std::size_t p = 0; p < positions.size() && errors.size() < kMostErrors; ++p) {
    resolved[p] = resolve_position(reader, spec, positions[p]);
    if (!resolved[p].refused.empty()) errors.insert(without_place(resolved[p].refused));
    if (errors.size() == kMostErrors) resolved.resize(p + 1);
  }
  return resolved;
}

}  // namespace

OrderOfWork::OrderOfWork(const std::vector<std::uint64_t>& points, const std::vector<std::string>& taskflows,
                         unsigned workers)
    : of_worker_(workers, 0) {
  std::map<std::string, std::size_t> group_of;
  for (const std::uint64_t point : points) {
    const auto [found, is_new] = group_of.emplace(taskflows[point], groups_.size());
    if (is_new) groups_.emplace_back();
    groups_[found->second].points.push_back(point);
  }
  of_worker_.assign(workers, groups_.size());
}

std::optional<std::uint64_t> OrderOfWork::next(unsigned worker) {
  std::size_t& own = of_worker_[worker];
  if (own == groups_.size() || groups_[own].left() == 0) {
    while (first_ < groups_.size() && groups_[first_].begun) ++first_;
    own =
        first_ < groups_.size()
            ? first_
            : static_cast<std::size_t>(std::ranges::max_element(groups_, {}, &Group::left) - groups_.begin());
  }
  if (own == groups_.size() || groups_[own].left() == 0) return std::nullopt;
  Group& group = groups_[own];
  group.begun = true;
  return group.points[group.given++];
}

// Returns KEY of "FILE:LINE:COLUMN: KEY: what is wrong".
std::string refused_key(const std::string& error) {
  const std::size_t begin = error.find(": ");
  const std::size_t end = begin == std::string::npos ? begin : error.find(": ", begin + 2);
  return end == std::string::npos ? "" : error.substr(begin + 2, end - begin - 2);
}

// Returns the keys of axes that have no effect at any position. Mostly the first position uses them all.
std::set<std::string> idle_everywhere(const SweepSpec& spec, const std::vector<SweepPosition>& positions) {
  std::set<std::string> idle;
  for (const SweepAxis& axis : spec.axes) {
    for (const SweepValue& value : axis.values)
      for (const Override& setting : value.settings) idle.insert(setting.key);
  }
  PointReader reader(spec);
  for (const SweepPosition& position : positions) {
    if (idle.empty()) break;
    std::set<std::string> here;
    for (const IdleKey& key : idle_keys(reader.resolve(position).experiment)) here.insert(key.path);
    std::erase_if(idle, [&](const std::string& key) { return !here.contains(key); });
  }
  return idle;
}

// Refuses an axis that changes nothing at any point: it would only repeat points.
void refuse_idle_axes(const SweepSpec& spec, const std::vector<SweepPosition>& positions) {
  for (const std::string& key : idle_everywhere(spec, positions)) {
    for (const SweepAxis& axis : spec.axes) {
      for (const SweepValue& value : axis.values) {
        const auto setting = std::ranges::find(value.settings, key, &Override::key);
        if (setting == value.settings.end()) continue;
        throw InputError(IdleKey{setting->mark, key}.text() + " An axis of it repeats points.");
      }
    }
  }
}

SweepPlan plan_sweep(SweepSpec spec, unsigned threads) {
  SweepPlan plan;
  std::vector<SweepPosition> positions = positions_of(spec);
  const std::vector<ResolvedPosition> resolved = resolve_all(spec, positions, threads);
  std::vector<std::string> errors;
  std::set<std::string> seen;
  for (std::size_t p = 0; p < resolved.size(); ++p) {
    const ResolvedPosition& position = resolved[p];
    if (position.refused.empty()) {
      plan.positions.push_back(std::move(positions[p]));
      plan.has_metric.push_back(position.has_metric);
      plan.ids.push_back(position.id);
      plan.taskflows.push_back(position.taskflow);
      continue;
    }
    if (seen.insert(without_place(position.refused)).second && errors.size() < kMostErrors)
      errors.push_back(position.refused);
    SweepPlan::Refusal& refusal = plan.refused[refused_key(position.refused)];
    if (refusal.positions++ == 0) refusal.why = position.refused.substr(0, position.refused.find('\n'));
  }
  if (spec.leave_out_refused && !plan.positions.empty()) errors.clear();
  if (!errors.empty()) throw InputError(fmt::format("{}", fmt::join(errors, "\n")));
  refuse_idle_axes(spec, plan.positions);
  plan.spec = std::move(spec);
  return plan;
}

SweepOutcome run_sweep(const SweepPlan& plan, const SweepOptions& options) {
  SweepDatabase database(options.database);
  database.begin(plan.spec, plan.positions, plan.ids);
  Known known = database.known();
  const Wanted wanted = wanted_of(plan, known, options);
  SweepOutcome outcome{.points = wanted.points, .known = wanted.known};
  std::map<std::string, std::string> failed;
  SweepProgress progress{.wanted = wanted.positions.size()};
  const auto record = [&](const SweepRecord& one) {
    database.record(one);
    if (one.error.empty()) {
      ++outcome.done;
    } else {
      ++outcome.failed;
      failed[one.id] = one.error;
    }
    progress.done = outcome.done;
    progress.failed = outcome.failed;
  };
  const auto tick = [&] { options.progress(progress); };
  try {
    WorkerPool pool(options.jobs, work_of(plan), options.limits);
    if (plan.spec.best > 0) {
      outcome.left_out = run_best(plan, wanted, known, options, pool, record, progress);
    } else {
      OrderOfWork order(wanted.positions, plan.taskflows, options.jobs);
      pool.run([&](unsigned worker) { return order.next(worker); },
               [&](WorkDone&& work) { record(record_of(plan, work)); }, tick);
    }
  } catch (const Error& error) {
    if (error.code() != ExitCode::kInterrupted) throw;
    throw Error(ExitCode::kInterrupted,
                fmt::format("interrupted: {} of {} points stand in {}; the same command computes the others",
                            outcome.known + outcome.done + outcome.failed, outcome.points,
                            options.database.string()));
  }
  for (const auto& [id, error] : failed) known.erase(id);
  outcome.failures = failures_of(plan, known, failed);
  return outcome;
}

SweepEstimate estimate_sweep(const SweepPlan& plan, const SweepOptions& options) {
  const Known known = known_points(options.database);
  const Wanted wanted = wanted_of(plan, known, options);
  SweepEstimate estimate{.points = wanted.points, .known = wanted.known};
  double seconds = 0;
  std::int64_t memory = 0;
  const auto add = [&](double took, std::int64_t most) {
    ++estimate.measured;
    seconds += took;
    memory = std::max(memory, most);
  };
  for (const std::string& id : std::set<std::string>(plan.ids.begin(), plan.ids.end())) {
    const auto found = known.find(id);
    if (found != known.end() && found->second.error.empty()) add(found->second.seconds, found->second.memory);
  }
  estimate.from_database = estimate.measured > 0;
  if (wanted.positions.empty()) return estimate;
  const double todo = static_cast<double>(wanted.positions.size());
  const std::size_t workers = std::min<std::size_t>(options.jobs, wanted.positions.size());
  double shared = 0;  // of all taskflows
  if (!estimate.from_database) {
    TriedCost cost(plan.taskflows, wanted.positions);
    for (const WorkDone& work : try_points(plan, cost.to_try(), options)) {
      cost.add(work.number, work.seconds);
      add(work.seconds, work.reply.memory);
    }
    seconds = cost.alone() * static_cast<double>(estimate.measured);
    shared = cost.shared();
  }
  estimate.seconds =
      (seconds / static_cast<double>(estimate.measured) * todo + shared) / static_cast<double>(workers);
  estimate.memory = memory * static_cast<std::int64_t>(workers);
  return estimate;
}

}  // namespace a3sim
