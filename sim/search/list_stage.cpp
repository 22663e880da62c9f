#include "sim/search/list_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "models/operators/operator.h"
#include "sim/core/progress.h"
#include "sim/core/rng.h"
#include "sim/experiment/config/order_file.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/search/task_lists.h"

namespace a3sim {
namespace {

constexpr std::size_t kBatch = 8;     // moves tried together
constexpr double kWorthLists = 5e-4;  // lists must gain that much, since a rule is simpler
// Moves by 1, 2, 4, 8 times a run's length, or right behind what it reads.
constexpr std::uint32_t kDoublings = 4;
constexpr std::size_t kMostOnPath = 400;  // tasks of the critical path to look at, from its end

// A run on the critical path. Tells if its tasks waited for their events or for a worker.
struct RunOnPath {
  std::size_t pass = 0, unit = 0;
  TaskRun run;
  std::uint32_t rank = 0;
  bool waited_for_event = false;
  auto operator<=>(const RunOnPath&) const = default;
};

std::string why_no_lists(const SearchProblem& problem, const SearchOptions& options,
                         const Experiment& experiment) {
  if (options.objective != SearchObjective::kOne)
    return "a list holds for the tasks of one routing: --objective one moves them";
  if (experiment.representatives > 0)
    return "ranks stand for others, and a list names the tasks of every rank";
  if (experiment.workers.one_queue()) return "one queue holds the tasks of both units";
  if (problem.parts().size() < experiment.passes.size())
    return "passes have operators of the same names, which a list cannot tell apart";
  return {};
}

class ListStage {
 public:
  ListStage(const SearchProblem& problem, const SearchOptions& options, const SearchOutcome& outcome,
            CandidateRuns& runs)
      : options_(options),
        runs_(runs),
        stage_(outcome.ladder.back()),
        winner_(outcome.winner().candidate),
        order_(problem.order(winner_)),
        base_(runs.experiment(winner_, stage_.scenarios.front())),
        work_(base_.work->prepare(base_, options.threads)),
        lists_(*work_->schedules()),
        best_shipped_(outcome.reference_runs.best().front().front()),
        rng_(options.seed) {
    best_ = runs.run(std::span(&winner_, 1), stage_).front().front().totals().front();
    findings_.before = score();
  }

  ListFindings run() {
    Progress progress("moves", options_.moves);
    read_paths();
    while (findings_.tried < options_.moves) {
      const std::vector<RunMove> moves = next_moves();
      if (moves.empty()) break;
      try_all(moves);
      progress.reach(findings_.tried, fmt::format("{:+.2f} %", 100 * (score() - 1)));
    }
    findings_.after = score();
    finish();
    return std::move(findings_);
  }

 private:
  double score() const {
    return static_cast<double>(best_.count()) / static_cast<double>(best_shipped_.count());
  }

  // Finds the runs on the critical path of each pass, from the last task's end backwards by causes.
  void read_paths() {
    const Compiled& compiled = *work_->schedules();
    std::set<RunOnPath> on_path;
    for (std::size_t pass = 0; pass < compiled.passes.size(); ++pass) {
      const RunResult result = run_drawn(base_, compiled, pass, {}, true);
      TaskAt at;
      Time last;
      for (std::uint32_t rank = 0; rank < result.ranks.size(); ++rank) {
        const std::vector<TaskRecord>& records = result.ranks[rank].records;
        for (std::uint32_t task = 0; task < records.size(); ++task) {
          if (at.task != kNone && records[task].end <= last) continue;
          at = {rank, task};
          last = records[task].end;
        }
      }
      for (std::size_t step = 0; step < kMostOnPath && at.task != kNone; ++step) {
        const Ssc& ssc = compiled.passes[pass].schedule[at.rank];
        const TaskRecord& record = result.ranks[at.rank].records[at.task];
        const std::string& type = ssc.operators()[ssc.tasks()[at.task].op].type;
        on_path.insert({pass, static_cast<std::size_t>(Operators::get(type).unit()), task_run(ssc, at.task),
                        at.rank, record.cause.kind == Cause::Kind::kEvent});
        at = record.cause.has_activity() && !record.cause.host ? record.cause.task() : kNoTask;
      }
    }
    on_path_.assign(on_path.begin(), on_path.end());
    known_.clear();
  }

  // Draws a move for a run on the path. Returns nullopt if it is known already.
  std::optional<RunMove> draw_move() {
    const RunOnPath& on_path = on_path_[rng_.below(static_cast<std::uint32_t>(on_path_.size()))];
    RunMove move{on_path.pass, on_path.unit, on_path.run, kNone, true, 0};
    if (rng_.below(3) == 0) move.rank = on_path.rank;
    move.earlier = !on_path.waited_for_event || rng_.below(2) == 0;
    const std::uint32_t doublings = rng_.below(kDoublings + 1);
    move.places = doublings < kDoublings
                      ? lists_.size(move.pass, on_path.rank, move.unit, move.run) << doublings
                      : lists_.behind_producers(move.pass, on_path.rank, move.unit, move.run);
    if (doublings == kDoublings) move.earlier = true;
    if (move.places == 0) return std::nullopt;
    if (!known_.insert(move).second) return std::nullopt;
    return move;
  }

  // Returns the next moves. Those that gained before another one was taken come first.
  std::vector<RunMove> next_moves() {
    constexpr std::size_t kTries = 200;
    const std::size_t most = std::min<std::size_t>(kBatch, options_.moves - findings_.tried);
    std::vector<RunMove> moves;
    for (; !waiting_.empty() && moves.size() < most; waiting_.pop_back()) {
      if (known_.insert(waiting_.back()).second) moves.push_back(waiting_.back());
    }
    for (std::size_t i = 0; i < kTries && moves.size() < most && !on_path_.empty(); ++i) {
      if (const std::optional<RunMove> move = draw_move()) moves.push_back(*move);
    }
    return moves;
  }

  void try_all(const std::vector<RunMove>& moves) {
    std::vector<NamedOrder> orders;
    for (const RunMove& move : moves) {
      TaskLists lists = lists_;
      lists.apply(move);
      orders.push_back({fmt::format("wished {:016x}", lists.hash()), lists.wished(order_)});
    }
    const auto outcomes = runs_.run_orders(winner_, orders, stage_, {best_, 0});
    findings_.tried += static_cast<std::uint32_t>(moves.size());
    std::optional<std::size_t> fastest;
    Duration least = best_;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const CandidateOutcome& outcome = outcomes[i].front();
      if (!outcome.refused.empty() || outcome.stopped || outcome.totals().front() >= best_) {
        ++findings_.not_faster;
        continue;
      }
      waiting_.push_back(moves[i]);
      if (outcome.totals().front() >= least) continue;
      least = outcome.totals().front();
      fastest = i;
    }
    if (!fastest) return;
    take(moves[*fastest], orders[*fastest].order, least);
  }

  void take(const RunMove& move, const OrderSpec& order, Duration latency) {
    std::erase(waiting_, move);
    const double before = score();
    const std::string text = lists_.text(move);
    best_ = latency;
    findings_.kept.push_back({text, before - score()});
    base_ = with_order(std::move(base_), order);
    work_ = base_.work->prepare(base_, options_.threads);
    lists_ = TaskLists(*work_->schedules());
    read_paths();
  }

  // Compares the lists, as they will stand in a file, with the order that ran.
  void finish() {
    if (findings_.before - findings_.after < kWorthLists) {
      findings_.why_not = fmt::format("{} moves gain less than {} %, so that the keys stand", findings_.tried,
                                      100 * kWorthLists);
      return;
    }
    findings_.listed = {fmt::format("listed {:016x}", lists_.hash()),
                        lists_.listed(order_, "lists of the search")};
    const CandidateOutcome outcome =
        runs_.run_orders(winner_, std::span(&findings_.listed, 1), stage_).front().front();
    if (!outcome.refused.empty() || outcome.totals().front() != best_) {
      findings_.why_not = "the lists do not run as the moves did: " + outcome.refused;
      return;
    }
    findings_.csv = lists_.csv();
  }

  const SearchOptions& options_;
  CandidateRuns& runs_;
  const SearchStage& stage_;
  const Candidate& winner_;
  OrderSpec order_;  // the winner's
  Experiment base_;  // under the best order so far
  std::shared_ptr<const PreparedWork> work_;
  TaskLists lists_;
  Duration best_shipped_, best_{};
  Rng rng_;
  std::vector<RunOnPath> on_path_;
  std::set<RunMove> known_;  // moves tried on the current lists
  std::vector<RunMove> waiting_;
  ListFindings findings_;
};

}  // namespace

ListFindings move_tasks(const SearchProblem& problem, const SearchOptions& options,
                        const SearchOutcome& outcome, CandidateRuns& runs) {
  ListFindings findings;
  findings.before = findings.after = *outcome.winner().scores.back();
  if (options.moves == 0) return findings;
  const Experiment experiment =
      runs.experiment(outcome.winner().candidate, outcome.ladder.back().scenarios.front());
  findings.why_not = why_no_lists(problem, options, experiment);
  if (!findings.why_not.empty()) return findings;
  return ListStage(problem, options, outcome, runs).run();
}

}  // namespace a3sim
