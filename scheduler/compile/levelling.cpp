#include "scheduler/compile/levelling.h"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <boost/property_map/vector_property_map.hpp>
#include <tuple>

// Why no component waits on itself after levelling.
//
// Give every task a level: an operator's task its stage (the longest path to its operator), a Join the
// deepest level of the producers that its consumers had. In a levelled component every consumer of depth d,
// the deepest level of its producers, keeps the producers of level d only; the shallower ones reach it
// through Joins, which have level d too. So all producers of one consumer are of one level, and since a
// component is held together by shared producers and shared consumers, all its producers are of one level L.
// Each of its consumers is of a higher level: a task's stage is above the stage of whatever it depends on,
// and a Join's level is above that of the tasks that it joins, which are of one operator. So from component
// to component the level rises, and no chain of levelled components closes.
//
// A circle cannot lead through the others either: the new components are pieces of old ones (a Join hangs
// between two tasks of one component), so a circle of new components is a closed walk over old ones, all of
// which lay on circles, and all components on circles are levelled.
namespace a3sim {
namespace {

constexpr std::string_view kJoin = "Join";

// A dependency that must go through a Join. Consumers of one Join have one depth.
struct Shallow {
  std::uint32_t rank, producer_op, consumer_op, depth;
  Dependency edge;

  auto key() const { return std::tie(rank, producer_op, consumer_op, depth); }
};

class Leveller {
 public:
  Leveller(Taskflow& taskflow, Dependencies& dependencies, const Components& components)
      : taskflow_(taskflow),
        dependencies_(dependencies),
        circular_(components.on_circles()),
        components_(components) {}

  std::uint64_t run() {
    if (std::find(circular_.begin(), circular_.end(), true) == circular_.end()) return 0;
    split_edges();
    join_op_ = join_operator();
    const auto by_key = [](const Shallow& a, const Shallow& b) {
      return std::tuple(a.key(), a.edge) < std::tuple(b.key(), b.edge);
    };
    std::sort(shallow_.begin(), shallow_.end(), by_key);
    for (std::size_t begin = 0; begin < shallow_.size();) {
      std::size_t end = begin;
      while (end < shallow_.size() && shallow_[end].key() == shallow_[begin].key()) ++end;
      join(std::span(shallow_).subspan(begin, end - begin));
      begin = end;
    }
    dependencies_.set_edges(std::move(kept_));
    for (Taskflow::Rank& rank : taskflow_.ranks) number_joins(rank.table.tasks);
    return joins_;
  }

 private:
  std::uint32_t stage(std::uint32_t group) const {
    return taskflow_.operators[dependencies_.groups()[group].op].stage;
  }

  void split_edges() {
    for (std::uint32_t g = 0; g < dependencies_.groups().size(); ++g) {
      const std::span<const Dependency> edges = dependencies_.of_consumer(g);
      std::uint32_t depth = 0;
      for (const Dependency& edge : edges) depth = std::max(depth, stage(edge.producer));
      for (const Dependency& edge : edges) {
        if (!circular_[components_.waits_for[g]] || stage(edge.producer) == depth) {
          kept_.push_back(edge);
          continue;
        }
        const TaskGroup& consumer = dependencies_.groups()[g];
        const TaskGroup& producer = dependencies_.groups()[edge.producer];
        shallow_.push_back({consumer.rank, producer.op, consumer.op, depth, edge});
      }
    }
  }

  std::uint32_t join_operator() {
    for (std::uint32_t op = 0; op < taskflow_.operators.size(); ++op) {
      if (taskflow_.operators[op].type == kJoin) return op;
    }
    OperatorInfo info;
    info.name = info.type = kJoin;
    taskflow_.operators.push_back(std::move(info));
    return static_cast<std::uint32_t>(taskflow_.operators.size() - 1);
  }

  // Makes one Join for each connected part of these dependencies.
  void join(std::span<const Shallow> edges) {
    std::vector<std::uint32_t> members;  // consumers, and producers with the highest bit set
    constexpr std::uint32_t kProducer = 1U << 31;
    for (const Shallow& s : edges) {
      members.push_back(s.edge.consumer);
      members.push_back(s.edge.producer | kProducer);
    }
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    const auto position = [&](std::uint32_t member) {
      return static_cast<std::uint32_t>(std::lower_bound(members.begin(), members.end(), member) -
                                        members.begin());
    };
    const boost::vector_property_map<std::uint32_t> height(members.size()), parent(members.size());
    boost::disjoint_sets sets(height, parent);
    for (std::uint32_t x = 0; x < members.size(); ++x) sets.make_set(x);
    for (const Shallow& s : edges)
      sets.union_set(position(s.edge.consumer), position(s.edge.producer | kProducer));

    std::vector<std::uint32_t> join_of(members.size(), kNone);
    for (const Shallow& s : edges) {
      std::uint32_t& join = join_of[sets.find_set(position(s.edge.consumer))];
      if (join == kNone) join = add_join(s);
      kept_.push_back({s.edge.consumer, join});
      kept_.push_back({join, s.edge.producer});
    }
  }

  // Places a Join before the first consumer of its part and copies that one's attributes, so that orders put
  // it near.
  std::uint32_t add_join(const Shallow& shallow) {
    const TaskGroup& consumer = dependencies_.groups()[shallow.edge.consumer];
    TaskTable& table = taskflow_.ranks[consumer.rank].table;
    const TaskDescriptor& target = table.tasks[consumer.first];
    TaskDescriptor td{};
    td.task_type = static_cast<std::uint16_t>(TaskType::kJoin);
    td.op = static_cast<std::uint16_t>(join_op_);
    td.tiling_data_position = kNone;
    td.stage = static_cast<std::uint16_t>(shallow.depth);
    td.expert = target.expert;
    td.gexpert = target.gexpert;
    td.src = td.dst = consumer.rank;
    td.row = target.row;
    td.tile = target.tile;
    const auto task = static_cast<std::uint32_t>(table.tasks.size());
    const std::uint32_t rank = consumer.rank;
    table.add(td, {}, {});
    ++joins_;
    return dependencies_.add_group(rank, join_op_, task);
  }

  // Joins come after all other tasks.
  void number_joins(std::vector<TaskDescriptor>& tasks) const {
    std::size_t first = tasks.size();
    while (first > 0 && tasks[first - 1].op == join_op_) --first;
    for (std::size_t i = first; i < tasks.size(); ++i) {
      tasks[i].task_index = static_cast<std::uint32_t>(i - first);
      tasks[i].task_split_num = static_cast<std::uint32_t>(tasks.size() - first);
    }
  }

  Taskflow& taskflow_;
  Dependencies& dependencies_;
  std::vector<bool> circular_;
  const Components& components_;
  std::vector<Dependency> kept_;
  std::vector<Shallow> shallow_;
  std::uint32_t join_op_ = 0;
  std::uint64_t joins_ = 0;
};

}  // namespace

std::uint64_t level(Taskflow& taskflow, Dependencies& dependencies, const Components& components) {
  return Leveller(taskflow, dependencies, components).run();
}

}  // namespace a3sim
