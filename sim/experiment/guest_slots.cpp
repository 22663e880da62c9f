#include "sim/experiment/guest_slots.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "models/operators/moves_rows.h"
#include "sim/core/error.h"
#include "sim/core/whole_time.h"
#include "sim/experiment/run_experiment.h"
#include "sim/runtime/task_hooks.h"

namespace a3sim {
namespace {

// Returns the same experiment with more experts per rank. Each run has its own routing.
Experiment with_experts(const Experiment& experiment, std::uint32_t per_rank) {
  const auto states_all = [](const auto& value) { return value.first == "model.experts"; };
  const bool all = std::ranges::any_of(experiment.values, states_all);
  const std::vector<std::string> set{all ? fmt::format("model.experts={}", per_rank * experiment.shape.ep)
                                         : fmt::format("model.experts_per_rank={}", per_rank)};
  Experiment more = experiment.with(set);
  more.work = taskflow_work();
  return more;
}

void keep_most(RoutingCounts& most, const RoutingCounts& counts) {
  for (std::uint32_t src = 0; src < counts.ranks(); ++src) {
    for (std::uint32_t e = 0; e < counts.experts(); ++e)
      most.at(src, e) = std::max(most.at(src, e), counts.at(src, e));
  }
}

// Makes tasks of a slot wait for its guest: those that only move rows for the plan, all others for the weights too.
class Guests final : public TaskHooks {
 public:
  Guests(const Schedule& schedule, std::uint32_t own, Time planned, TaskHooks* inner)
      : schedule_(schedule), own_(own), planned_(planned), inner_(inner) {
    for (const OperatorInfo& op : schedule.front().operators())
      moves_.push_back(only_moves_rows(Operators::get(op.type)));
  }
  void arrive(std::uint32_t rank, std::uint32_t slot, Time date) { arrivals_[{rank, slot}] = date; }

  Duration delay(RankId rank, std::uint32_t task, Time at) override {
    const TaskDescriptor& td = schedule_[index(rank)].tasks()[task];
    if (td.expert == kNoExpert || td.expert < own_) return {};
    Time ready = planned_;
    if (const auto found = arrivals_.find({index(rank), td.expert});
        !moves_[td.op] && found != arrivals_.end())
      ready = std::max(ready, found->second);
    return ready > at ? ready - at : Duration{};
  }
  double slowness(RankId rank, std::uint32_t task) override {
    return inner_ ? inner_->slowness(rank, task) : 1;
  }
  bool ends_run(RankId rank, std::uint32_t task, Time start) override {
    return inner_ && inner_->ends_run(rank, task, start);
  }

 private:
  const Schedule& schedule_;
  std::vector<bool> moves_;  // by operator
  std::uint32_t own_;
  Time planned_;
  TaskHooks* inner_;                                                  // may be null
  std::map<std::pair<std::uint32_t, std::uint32_t>, Time> arrivals_;  // by rank and local expert
};

}  // namespace

GuestSlots::GuestSlots(const Experiment& experiment, const Batches& batches)
    : own_(experiment.shape.experts_per_rank) {
  const MicroBatchOptions& options = *experiment.work->micro_batches();
  balances_ = options.method == "feplb";
  if (!balances_ && options.method != "none") {
    throw InputError(
        fmt::format("{}: method {} runs on streams alone (experiment.execution=streams); taskflows are "
                    "replayed by none and feplb",
                    experiment.name, options.method));
  }
  check_copy_engines(experiment);
  slots_ = balances_ ? options.with.balance.max_num_dyn : 0;
  experiment_ = with_experts(experiment, own_ + slots_);

  LoadHistory history = history_before(batches);
  RoutingCounts most(experiment.shape.ep, experiment_.shape.experts());
  for (const RoutingCounts& counts : batches.counts) {
    const MicroBatch batch(counts, history);
    moves_.push_back(balances_ ? moves_of(batch, options.with) : std::vector<ExpertMove>{});
    placed_.push_back(place(counts, moves_.back()));
    keep_most(most, placed_.back());
    history.add(batch.rows);
  }
  for (const Pass& pass : experiment_.passes)
    compiled_.passes.push_back({pass.name, compile_pass(experiment_, pass, most).schedule});
}

RoutingCounts GuestSlots::place(const RoutingCounts& counts, const std::vector<ExpertMove>& moves) const {
  const std::uint32_t per_rank = own_ + slots_;
  std::vector<std::uint32_t> place(counts.experts());
  for (std::uint32_t e = 0; e < counts.experts(); ++e) place[e] = e / own_ * per_rank + e % own_;
  std::vector<std::uint32_t> guests(counts.ranks(), 0);
  for (const ExpertMove& move : moves) place[move.expert] = move.to * per_rank + own_ + guests[move.to]++;
  RoutingCounts placed(counts.ranks(), counts.ranks() * per_rank);
  for (std::uint32_t src = 0; src < counts.ranks(); ++src) {
    for (std::uint32_t e = 0; e < counts.experts(); ++e) placed.at(src, place[e]) = counts.at(src, e);
  }
  return placed;
}

RunResult GuestSlots::run_pass(std::size_t batch, std::size_t pass, const Hardware& hardware,
                               const Program& program, TaskHooks* hooks) const {
  const Hardware::CopyEngine& engine = *hardware.copy_engine;
  const Program::Host& host = *program.host;
  const Duration copy =
      engine.startup + Duration(whole_picoseconds(weights() / static_cast<double>(engine.rate.count) * 1e12));
  // In forward, the host or the device reads the counts back and makes the plan. Backward reuses it.
  const Duration plan = balances_ && is_forward(pass) ? host.read_counts + host.balance : Duration{};
  Guests guests(compiled_.passes[pass].schedule, own_, Time(plan), hooks);
  std::vector<std::uint32_t> sent(experiment_.shape.ep, 0), came(sent);
  for (const ExpertMove& move : moves_[batch]) {
    const Duration arrives = plan + host.submit + copy * ++sent[move.from];
    guests.arrive(move.to, own_ + came[move.to]++, Time(arrives));
  }
  Experiment on = experiment_;
  on.hardware = hardware;
  on.program = program;
  RunOptions options = options_of(on, false);
  options.hooks = &guests;
  return a3sim::run_pass(on, Compiled{placed_[batch], compiled_.passes}, pass, options);
}

Bounds GuestSlots::bounds(std::size_t batch, std::size_t pass, const Hardware& hardware,
                          const Program& program) const {
  return lower_bounds(compiled_.passes[pass].schedule, placed_[batch], hardware, program,
                      options_of(experiment_, false));
}

std::vector<MicroBatchResult> GuestSlots::run() const {
  const std::uint32_t per_rank = own_ + slots_, ranks = experiment_.shape.ep;
  std::vector<MicroBatchResult> results;
  for (std::size_t b = 0; b < placed_.size(); ++b) {
    MicroBatchResult& result = results.emplace_back();
    result.replayed = true;
    result.rows.assign(ranks, 0);
    for (std::uint32_t src = 0; src < ranks; ++src) {
      for (std::uint32_t e = 0; e < ranks * per_rank; ++e) result.rows[e / per_rank] += placed_[b].at(src, e);
    }
    result.token_straggler = above_mean(result.rows);
    for (std::size_t p = 0; p < compiled_.passes.size(); ++p) {
      if (is_forward(p)) result.copied += moves_[b].size() * static_cast<std::uint64_t>(weights());
      (is_forward(p) ? result.forward : result.backward) +=
          run_pass(b, p, experiment_.hardware, experiment_.program, nullptr).makespan;
    }
  }
  return results;
}

}  // namespace a3sim
