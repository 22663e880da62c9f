#include "sim/search/task_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "scheduler/orders/key_function.h"
#include "scheduler/orders/order_keys.h"
#include "sim/core/csv.h"
#include "sim/core/error.h"

namespace a3sim {
namespace {

// Number of parts of an operator without experts.
constexpr std::uint32_t kPartsOfOperator = 16;

// Uses the place of a task in its list as its sort key.
class PlaceKeys final : public KeyFunction {
 public:
  void add(std::uint32_t rank, const std::string& op, std::uint32_t index, std::size_t place) {
    std::vector<double>& places = places_[{rank, op}];
    if (places.size() <= index) places.resize(index + 1, -1);
    places[index] = static_cast<double>(place);
  }

  Keys evaluate(const Queue& queue) const override {
    Keys keys{1, {}};
    for (const Attributes& task : *queue.tasks) {
      const std::string& op = queue.operators[static_cast<std::size_t>(task.op)];
      const auto found = places_.find({static_cast<std::uint32_t>(task.rank), op});
      const auto index = static_cast<std::size_t>(task.index);
      if (found == places_.end() || index >= found->second.size() || found->second[index] < 0)
        throw InputError(fmt::format("{}[{}] of rank {:.0f} stands in no list", op, index, task.rank));
      keys.values.push_back(found->second[index]);
    }
    return keys;
  }

 private:
  std::map<std::pair<std::uint32_t, std::string>, std::vector<double>> places_;
};

}  // namespace

TaskRun task_run(const Ssc& ssc, std::uint32_t task) {
  const TaskDescriptor& td = ssc.tasks()[task];
  if (td.expert == kNoExpert) {
    const std::uint32_t size = std::max(1U, td.task_split_num / kPartsOfOperator);
    return {td.op, kNoExpert, td.task_index / size};
  }
  const std::uint32_t ep = std::max(1U, ssc.shape().ep), rank = index(ssc.rank());
  return {td.op, td.expert, (td.dst % ep + ep - rank % ep) % ep};
}

TaskLists::TaskLists(const Compiled& compiled) : passes_(compiled.passes) {
  for (const CompiledPass& pass : passes_) {
    auto& ranks = tasks_.emplace_back();
    for (const Ssc& ssc : pass.schedule) {
      auto& units = ranks.emplace_back();
      for (std::size_t unit = 0; unit < kCoreUnits; ++unit) {
        const std::uint32_t queue = ssc.kinds().queue_for(static_cast<CoreUnit>(unit));
        if (queue == kNone) continue;
        const auto tasks = ssc.queue(queue);
        units[unit].assign(tasks.begin(), tasks.end());
      }
    }
  }
}

const std::string& TaskLists::name_of(std::size_t pass, std::uint32_t rank, std::uint32_t task) const {
  const Ssc& ssc = passes_[pass].schedule[rank];
  return ssc.operators()[ssc.tasks()[task].op].name;
}

void TaskLists::apply(const RunMove& move) {
  for (std::uint32_t rank = 0; rank < tasks_[move.pass].size(); ++rank) {
    if (move.rank != kNone && move.rank != rank) continue;
    std::vector<std::uint32_t>& tasks = tasks_[move.pass][rank][move.unit];
    std::vector<std::uint32_t> run, rest;
    std::size_t first = 0;
    for (const std::uint32_t task : tasks) {
      const bool moves = task_run(passes_[move.pass].schedule[rank], task) == move.run;
      if (moves && run.empty()) first = rest.size();
      (moves ? run : rest).push_back(task);
    }
    const std::size_t to = move.earlier ? first - std::min<std::size_t>(first, move.places)
                                        : std::min(rest.size(), first + move.places);
    rest.insert(rest.begin() + static_cast<std::ptrdiff_t>(to), run.begin(), run.end());
    tasks = std::move(rest);
  }
}

std::uint32_t TaskLists::size(std::size_t pass, std::uint32_t rank, std::size_t unit,
                              const TaskRun& run) const {
  const Ssc& ssc = passes_[pass].schedule[rank];
  return static_cast<std::uint32_t>(std::ranges::count_if(
      tasks_[pass][rank][unit], [&](std::uint32_t task) { return task_run(ssc, task) == run; }));
}

std::uint32_t TaskLists::behind_producers(std::size_t pass, std::uint32_t rank, std::size_t unit,
                                          const TaskRun& run) const {
  const Ssc& ssc = passes_[pass].schedule[rank];
  std::set<std::uint32_t> events;
  for (const std::uint32_t task : tasks_[pass][rank][unit]) {
    const std::uint32_t event = ssc.tasks()[task].dependent_event;
    if (event != kNone && task_run(ssc, task) == run) events.insert(event);
  }
  std::uint32_t place = 0, behind = 0;
  for (const std::uint32_t task : tasks_[pass][rank][unit]) {
    if (task_run(ssc, task) == run) return behind > 0 ? place - behind : 0;
    ++place;
    const TaskDescriptor& td = ssc.tasks()[task];
    if (td.trigger_rank == rank && events.contains(td.trigger_event)) behind = place;
  }
  return 0;
}

std::string TaskLists::text(const RunMove& move) const {
  const std::uint32_t rank = move.rank == kNone ? 0 : move.rank;
  const Ssc& ssc = passes_[move.pass].schedule[rank];
  std::string run_name = move.run.expert == kNoExpert ? fmt::format("part {}", move.run.part)
                                                      : fmt::format("expert {}", move.run.expert);
  if (move.run.expert != kNoExpert && move.run.part > 0)
    run_name += fmt::format(" to rank + {}", move.run.part);
  return fmt::format("{} of {}, {} tasks: {} places {} in the {} of {} on {}",
                     ssc.operators()[move.run.op].name, run_name, size(move.pass, rank, move.unit, move.run),
                     move.places, move.earlier ? "earlier" : "later",
                     plan_name(static_cast<CoreUnit>(move.unit)), passes_[move.pass].name,
                     move.rank == kNone ? "every rank" : fmt::format("rank {}", move.rank));
}

OrderSpec TaskLists::wished(OrderSpec order) const {
  for (std::size_t unit = 0; unit < kCoreUnits; ++unit) {
    auto keys = std::make_shared<PlaceKeys>();
    for (std::size_t pass = 0; pass < tasks_.size(); ++pass) {
      for (std::uint32_t rank = 0; rank < tasks_[pass].size(); ++rank) {
        const std::vector<std::uint32_t>& tasks = tasks_[pass][rank][unit];
        for (std::size_t place = 0; place < tasks.size(); ++place)
          keys->add(rank, name_of(pass, rank, tasks[place]),
                    passes_[pass].schedule[rank].tasks()[tasks[place]].task_index, place);
      }
    }
    order.functions[unit] = std::move(keys);
  }
  return order;
}

OrderSpec TaskLists::listed(OrderSpec order, const std::string& file) const {
  for (std::size_t unit = 0; unit < kCoreUnits; ++unit) {
    order.keys[unit].clear();
    order.functions[unit] = nullptr;
    order.list_file[unit] = file;
    order.list[unit].clear();
    std::uint32_t line = 1;
    for (std::size_t pass = 0; pass < tasks_.size(); ++pass) {
      for (std::uint32_t rank = 0; rank < tasks_[pass].size(); ++rank) {
        for (const std::uint32_t task : tasks_[pass][rank][unit])
          order.list[unit].push_back({rank, name_of(pass, rank, task),
                                      passes_[pass].schedule[rank].tasks()[task].task_index, ++line});
      }
    }
  }
  return order;
}

std::uint64_t TaskLists::hash() const {
  constexpr std::uint64_t kOffset = 0xcbf29ce484222325, kPrime = 0x100000001b3;  // FNV-1a, by task
  std::uint64_t hash = kOffset;
  const auto add = [&](std::uint64_t number) { hash = (hash ^ number) * kPrime; };
  for (const auto& ranks : tasks_) {
    for (const auto& units : ranks) {
      for (const std::vector<std::uint32_t>& tasks : units) {
        add(tasks.size());
        for (const std::uint32_t task : tasks) add(task);
      }
    }
  }
  return hash;
}

std::string TaskLists::csv() const {
  std::string text = "rank,queue,op,index\n";
  const OrderSpec order = listed({}, "lists");
  for (std::size_t unit = 0; unit < kCoreUnits; ++unit) {
    for (const OrderSpec::Explicit& task : order.list[unit])
      text += fmt::format("{},{},{},{}\n", task.rank, plan_name(static_cast<CoreUnit>(unit)),
                          csv_cell(task.op), task.index);
  }
  return text;
}

}  // namespace a3sim
