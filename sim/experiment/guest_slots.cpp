#include "sim/experiment/guest_slots.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "sim/core/error.h"
#include "sim/core/whole_time.h"
#include "sim/experiment/run_experiment.h"
#include "sim/runtime/task_hooks.h"

namespace a3sim {
namespace {

// The same with more experts a rank.
Experiment with_experts(const Experiment& experiment, std::uint32_t per_rank) {
  Diagnostics diagnostics;
  const Config root = Config::parse(experiment.resolved, experiment.name, {}, diagnostics);
  const std::string key = root.map("model").has("experts") ? "experts" : "experts_per_rank";
  const std::uint32_t count = per_rank * (key == "experts" ? experiment.shape.ep : 1);
  const std::vector<std::string> set{fmt::format("model.{}={}", key, count)};
  Experiment more = parse_experiment(experiment.resolved, experiment.name, set);
  more.replayed.reset();
  return more;
}

void keep_most(RoutingCounts& most, const RoutingCounts& counts) {
  for (std::uint32_t src = 0; src < counts.ranks(); ++src) {
    for (std::uint32_t e = 0; e < counts.experts(); ++e)
      most.at(src, e) = std::max(most.at(src, e), counts.at(src, e));
  }
}

// What belongs to a slot waits for its guest: puts for the plan, all else for the weights too.
class Guests final : public TaskHooks {
 public:
  Guests(const Schedule& schedule, std::uint32_t own, Time planned)
      : schedule_(schedule), own_(own), planned_(planned) {}
  void arrive(std::uint32_t rank, std::uint32_t slot, Time date) { arrivals_[{rank, slot}] = date; }

  Duration delay(RankId rank, std::uint32_t task, Time at) override {
    const TaskDescriptor& td = schedule_[index(rank)].tasks()[task];
    if (td.expert == kNoExpert || td.expert < own_) return {};
    Time ready = planned_;
    const bool puts = td.task_type == static_cast<std::uint16_t>(TaskType::kPutMemSignal);
    if (const auto found = arrivals_.find({index(rank), td.expert}); !puts && found != arrivals_.end())
      ready = std::max(ready, found->second);
    return ready > at ? ready - at : Duration{};
  }

 private:
  const Schedule& schedule_;
  std::uint32_t own_;
  Time planned_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Time> arrivals_;  // by rank and expert of it
};

}  // namespace

GuestSlots::GuestSlots(const Experiment& experiment, const Batches& batches)
    : own_(experiment.shape.experts_per_rank) {
  const StreamOptions& options = *experiment.replayed;
  balances_ = options.method == "feplb";
  if (!balances_ && options.method != "none") {
    throw InputError(
        fmt::format("{}: method {} runs on streams alone (experiment.execution=streams); taskflows are "
                    "replayed by none and feplb",
                    experiment.name, options.method));
  }
  if (!experiment.hardware.streams) {
    throw InputError(
        fmt::format("{}: hardware '{}' says nothing of copy engines: take a3_sdma, or add the blocks "
                    "copy_engine, host and bulk",
                    experiment.name, experiment.hardware.name));
  }
  machine_ = *experiment.hardware.streams;
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

std::vector<MicroBatchResult> GuestSlots::run() const {
  const std::uint32_t per_rank = own_ + slots_, ranks = experiment_.shape.ep;
  const double weights = 2.0 * 3 * experiment_.shape.hidden * experiment_.shape.intermediate;
  const Duration copy =
      machine_.copy_engine.startup +
      Duration(whole_picoseconds(weights / static_cast<double>(machine_.copy_engine.rate.count) * 1e12));
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
      const bool forward = compiled_.passes[p].name != "backward";
      // Forward, the host or the device reads counts back and makes the plan; backward has it.
      const Duration plan =
          balances_ && forward ? machine_.host.read_counts + machine_.host.balance : Duration{};
      Guests guests(compiled_.passes[p].schedule, own_, Time(plan));
      std::vector<std::uint32_t> sent(ranks, 0), came(ranks, 0);
      for (const ExpertMove& move : moves_[b]) {
        const Duration arrives = plan + machine_.copy_engine.submit + copy * ++sent[move.from];
        guests.arrive(move.to, own_ + came[move.to]++, Time(arrives));
        if (forward) result.copied += static_cast<std::uint64_t>(weights);
      }
      RunOptions options = options_of(experiment_, false);
      options.hooks = &guests;
      const Compiled replayed{placed_[b], compiled_.passes};
      const Duration took = run_pass(experiment_, replayed, p, options).makespan;
      (forward ? result.forward : result.backward) += took;
    }
  }
  return results;
}

}  // namespace a3sim
