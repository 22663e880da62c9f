#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "models/operators/moves_rows.h"
#include "scheduler/verify/parts.h"

namespace a3sim {
namespace {

// Collects the destinations of one operator's puts, in queue order.
class Rings {
 public:
  explicit Rings(std::uint32_t ranks) : ranks_(ranks) {}

  // Adds the next put of a rank.
  void add(std::uint32_t rank, const TaskDescriptor& td) {
    if (!form_) return;
    const std::pair<std::uint32_t, std::uint32_t> key{td.expert, td.chunk};
    if (ring_ == nullptr || key_ != key) {  // most neighbours are in one ring
      key_ = key;
      ring_ = &rings_[key];
      ring_->next.resize(ranks_);
      ring_->met.resize(std::size_t{ranks_} * ranks_);
    }
    const std::uint32_t position = ring_->next[rank]++;
    if (position >= ranks_ || td.dst >= ranks_) {
      form_ = false;
      return;
    }
    auto met = ring_->met[std::size_t{position} * ranks_ + td.dst];
    if (met) form_ = false;
    met = true;
  }

  // Returns whether every rank has a put at every position, and no two of them go to one rank.
  bool form_permutations() const {
    return form_ && std::ranges::all_of(rings_, [&](const auto& entry) {
             return std::ranges::all_of(entry.second.next,
                                        [&](std::uint32_t puts) { return puts == ranks_; });
           });
  }

 private:
  // The puts of one (expert, chunk).
  struct Ring {
    std::vector<std::uint32_t> next;  // one entry per rank: the position of its next put
    std::vector<bool> met;            // one entry per position, then destination
  };
  std::uint32_t ranks_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Ring> rings_;
  std::pair<std::uint32_t, std::uint32_t> key_;  // key of ring_
  Ring* ring_ = nullptr;                         // the last ring
  bool form_ = true;
};

bool puts_rows(const OperatorInfo& op) { return only_puts_rows(Operators::get(op.type)); }

// Calls `use` for the tasks of a rank, queue by queue.
template <class Use>
void each_queued(const Ssc& ssc, Use&& use) {
  const std::span<const TaskDescriptor> tasks = ssc.tasks();
  for (std::uint32_t q = 0; q < ssc.queues(); ++q) {
    for (const std::uint32_t task : ssc.queue(q)) use(tasks[task]);
  }
}

class RingCheck final : public Check {
 public:
  explicit RingCheck(const CheckedGroup& group)
      : schedule_(group.schedule),
        rings_(group.taskflow.operators.size(), Rings(static_cast<std::uint32_t>(schedule_.size()))),
        with_puts_(rings_.size()) {
    for (const OperatorInfo& op : group.taskflow.operators) puts_.push_back(puts_rows(op));
  }

  void visit(std::uint32_t rank) override {
    each_queued(schedule_[rank], [&](const TaskDescriptor& td) {
      if (!puts_[td.op]) return;
      with_puts_[td.op] = true;
      rings_[td.op].add(rank, td);
    });
  }

  void finish() override {
    const std::span<const OperatorInfo> operators = schedule_.front().operators();
    for (std::size_t op = 0; op < rings_.size(); ++op) {
      if (!with_puts_[op]) continue;
      findings_.notes.push_back(
          fmt::format("{}: at every position of the ring the destinations {} a permutation",
                      operators[op].name, rings_[op].form_permutations() ? "form" : "do not form"));
    }
  }

 private:
  const Schedule& schedule_;
  std::vector<Rings> rings_;            // one entry per operator
  std::vector<bool> puts_, with_puts_;  // one entry per operator: what it is, and whether it has tasks
};

}  // namespace

bool destinations_form_permutations(const Schedule& schedule, OpId op) {
  Rings rings(static_cast<std::uint32_t>(schedule.size()));
  const bool puts = puts_rows(schedule.front().operators()[index(op)]);
  for (std::uint32_t r = 0; r < schedule.size(); ++r) {
    each_queued(schedule[r], [&](const TaskDescriptor& td) {
      if (td.op == index(op) && puts) rings.add(r, td);
    });
  }
  return rings.form_permutations();
}

std::unique_ptr<Check> ring_check(const CheckedGroup& group) { return std::make_unique<RingCheck>(group); }

}  // namespace a3sim
