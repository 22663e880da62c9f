#include "scheduler/compile/turn_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/core/error.h"

namespace a3sim {
namespace {

constexpr std::string_view kRemedy = "; take experiment.simulate all";

// Tasks to check at most: if there are more, checks every task of the first and the last turn, and a sample
// of those between.
constexpr std::size_t kEnough = 2'000'000;

class TurnCheck {
 public:
  TurnCheck(const TaskflowView& taskflow, const CompileOptions& options, const TaskWeights& weights,
            CoreUnit unit)
      : taskflow_(taskflow),
        options_(options),
        weights_(weights),
        unit_(unit),
        units_(units_of(taskflow.operators)),
        program_(program()) {}

  void run(std::uint32_t rank) {
    collect(rank);
    refuse_ties(rank);
    const std::uint32_t turns = options_.shape.ep / options_.kept;
    const std::size_t stride = 1 + tasks_.size() * turns / kEnough;
    for (std::uint32_t turn = 1; turn < turns; ++turn)
      compare(rank, turn * options_.kept, turn == 1 || turn + 1 == turns ? 1 : stride);
  }

 private:
  KeyProgram program() const {
    std::vector<std::string> names;
    for (const OperatorInfo& op : taskflow_.operators) names.push_back(op.name);
    return {options_.order, unit_, names};
  }

  std::span<const double> keys_of(std::size_t i) const {
    return std::span(values_).subspan(i * program_.size(), program_.size());
  }
  const TaskDescriptor& task(std::uint32_t rank, std::size_t i) const {
    return taskflow_.ranks[rank].tasks[tasks_[i]];
  }

  void collect(std::uint32_t rank) {
    const std::span<const TaskDescriptor> all = taskflow_.ranks[rank].tasks;
    tasks_.clear();
    for (std::uint32_t t = 0; t < all.size(); ++t)
      if (units_[all[t].op] == unit_) tasks_.push_back(t);
    values_.resize(tasks_.size() * program_.size());
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      program_.evaluate(attributes_of(taskflow_, weights_, rank, tasks_[i]),
                        std::span(values_).subspan(i * program_.size(), program_.size()));
  }

  [[noreturn]] void refuse(std::uint32_t rank, std::size_t i, const std::string& why) const {
    throw InputError(fmt::format("{}: order '{}', {}: {} of rank {} {}{}", options_.order.where,
                                 options_.order.name, plan_name(unit_), taskflow_.task_name(rank, tasks_[i]),
                                 rank, why, kRemedy));
  }

  void refuse_ties(std::uint32_t rank) const {
    std::vector<std::size_t> order(tasks_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
      return std::ranges::lexicographical_compare(keys_of(a), keys_of(b));
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
      const TaskDescriptor &a = task(rank, order[i - 1]), &b = task(rank, order[i]);
      if (a.dst != b.dst && std::ranges::equal(keys_of(order[i - 1]), keys_of(order[i])))
        refuse(rank, order[i],
               fmt::format("and another to rank {} have equal keys, so ranks do not send in one way", a.dst));
    }
  }

  // Returns the task as the rank `turn` ranks further has it. Its number and its rows there are not computed:
  // no key may use them.
  Attributes turned(std::uint32_t rank, std::size_t i, std::uint32_t turn) const {
    const MoeShape& shape = options_.shape;
    const TaskDescriptor& td = task(rank, i);
    Attributes a = attributes_of(taskflow_, weights_, rank, tasks_[i]);
    a.rank = (rank + turn) % shape.ep;
    a.src = (td.src + turn) % shape.ep;
    a.dst = (td.dst + turn) % shape.ep;
    a.node = options_.placement.node((td.dst + turn) % shape.ep);
    if (td.gexpert != kNone) a.gexpert = (td.gexpert + turn * shape.experts_per_rank) % shape.experts();
    if (td.dst != rank) {
      a.row = -1 - a.row;
      a.index = -1 - a.index;
    }
    return a;
  }

  void compare(std::uint32_t rank, std::uint32_t turn, std::size_t stride) {
    std::vector<double> keys(program_.size());
    for (std::size_t i = 0; i < tasks_.size(); i += stride) {
      program_.evaluate(turned(rank, i, turn), keys);
      if (!std::ranges::equal(keys, keys_of(i)))
        refuse(rank, i,
               fmt::format("and the same of rank {} have different keys, so ranks are not alike",
                           (rank + turn) % options_.shape.ep));
    }
  }

  const TaskflowView& taskflow_;
  const CompileOptions& options_;
  const TaskWeights& weights_;
  CoreUnit unit_;
  std::vector<CoreUnit> units_;  // one entry per operator
  KeyProgram program_;
  std::vector<std::uint32_t> tasks_;
  std::vector<double> values_;
};

}  // namespace

void check_turns(const CompileOptions& options) {
  if (options.shape.experts() == 0)
    throw InputError(
        fmt::format("ranks that are alike can stand for one another where rows go to experts{}", kRemedy));
  if (std::ranges::any_of(options.order.functions,
                          [](const auto& function) { return function != nullptr; })) {
    throw InputError(fmt::format(
        "{}: order '{}': a function's keys are not followed from rank to rank, and ranks that are "
        "alike stand for one another{}",
        options.order.where, options.order.name, kRemedy));
  }
  for (const std::string& file : options.order.list_file) {
    if (!file.empty())
      throw InputError(
          fmt::format("{}: a list names the tasks of every rank, and ranks that are alike stand "
                      "for one another{}",
                      file, kRemedy));
  }
}

void check_turns(const TaskflowView& taskflow, const CompileOptions& options, const TaskWeights& weights) {
  for (const CoreUnit unit : {CoreUnit::kMatrix, CoreUnit::kVector}) {
    TurnCheck check(taskflow, options, weights, unit);
    for (std::uint32_t rank = 0; rank < taskflow.ranks.size(); ++rank) check.run(rank);
  }
}

}  // namespace a3sim
