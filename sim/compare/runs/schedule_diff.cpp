#include "sim/compare/runs/schedule_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "scheduler/ssc/taskflow_view.h"
#include "scheduler/ssc/worker_queues.h"

namespace a3sim {
namespace {

// Identifies a task, wherever it stands in its table.
struct TaskKey {
  std::uint32_t rank;
  std::string op;
  std::uint32_t index;
  friend auto operator<=>(const TaskKey&, const TaskKey&) = default;
};

std::string key_text(const TaskKey& key, std::uint32_t seen_from) {
  const std::string name = fmt::format("{}[{}]", key.op, key.index);
  return key.rank == seen_from ? name : fmt::format("{} of rank {}", name, key.rank);
}

// The properties of a task that are compared.
struct Placed {
  std::uint32_t task;
  std::uint32_t position = 0;    // in its queue
  std::uint32_t worker = kNone;  // kNone: any free worker
};

// The producers of an event.
struct Producers {
  std::vector<TaskKey> tasks;
  std::uint32_t threshold = 0;
  friend bool operator==(const Producers&, const Producers&) = default;
};

class ScheduleSide {
 public:
  explicit ScheduleSide(const Schedule& schedule) : schedule_(schedule), view_(schedule) {
    for (const Ssc& ssc : schedule) {
      std::vector<Producers>& of_rank = producers_.emplace_back();
      for (const EventDescriptor& event : ssc.events()) of_rank.push_back({{}, event.threshold});
    }
    for (std::uint32_t r = 0; r < schedule.size(); ++r) add(r);
    for (auto& of_rank : producers_) {
      for (Producers& producers : of_rank) std::ranges::sort(producers.tasks);
    }
  }

  const std::map<TaskKey, Placed>& tasks() const { return tasks_; }
  const TaskDescriptor& descriptor(std::uint32_t rank, const Placed& placed) const {
    return schedule_[rank].tasks()[placed.task];
  }
  const Producers* awaited(std::uint32_t rank, const Placed& placed) const {
    const std::uint32_t event = descriptor(rank, placed).dependent_event;
    return event == kNone ? nullptr : &producers_[rank][event];
  }
  std::size_t events() const {
    std::size_t all = 0;
    for (const Ssc& ssc : schedule_) all += ssc.events().size();
    return all;
  }
  // Describes operands and blocks in words.
  std::string touched(std::uint32_t rank, const Placed& placed) const {
    const TaskDescriptor& td = descriptor(rank, placed);
    std::string text = fmt::format("signals to rank {}", td.trigger_rank);
    for (std::uint32_t i = 0; i < td.num_inputs + td.num_outputs; ++i) {
      const Region& region = schedule_[rank].regions()[td.first_region + i];
      text += fmt::format(", {} {}[{}, {})", i < td.num_inputs ? "reads" : "writes",
                          schedule_[rank].tensors()[region.tensor].name, region.row_begin, region.row_end);
      if (region.rank != rank) text += fmt::format(" of rank {}", region.rank);
      if (region.shares > 1) text += fmt::format(" share {} of {}", region.share, region.shares);
    }
    if (const Tiling* tiling = view_.tiling(td); tiling)
      text += fmt::format(", blocks of {} x {} x {}", tiling->base_m, tiling->base_n, tiling->base_k);
    return text;
  }

 private:
  void add(std::uint32_t r) {
    const Ssc& ssc = schedule_[r];
    std::vector<Placed> placed(ssc.tasks().size());
    for (std::uint32_t q = 0; q < ssc.queues(); ++q) {
      const auto queue = ssc.queue(q);
      for (std::uint32_t p = 0; p < queue.size(); ++p) placed[queue[p]].position = p;
    }
    if (ssc.assignment() == Assignment::kCyclic) {
      WorkerQueues queues(ssc);
      for (std::uint32_t w = 0; w < queues.workers(); ++w) {
        for (std::uint32_t t = queues.take(w); t != kNone; t = queues.take(w)) placed[t].worker = w;
      }
    }
    for (std::uint32_t t = 0; t < placed.size(); ++t) {
      const TaskDescriptor& td = ssc.tasks()[t];
      const TaskKey key{r, ssc.operators()[td.op].name, td.task_index};
      placed[t].task = t;
      tasks_[key] = placed[t];
      if (td.trigger_rank < producers_.size() && td.trigger_event < producers_[td.trigger_rank].size())
        producers_[td.trigger_rank][td.trigger_event].tasks.push_back(key);
    }
  }

  const Schedule& schedule_;
  TaskflowView view_;
  std::map<TaskKey, Placed> tasks_;
  std::vector<std::vector<Producers>> producers_;  // by rank, then by event
};

std::string producers_text(const Producers* producers, std::uint32_t rank) {
  if (!producers) return "nothing";
  const std::vector<TaskKey>& tasks = producers->tasks;
  const std::string first = tasks.empty() ? "nobody" : key_text(tasks.front(), rank);
  const std::string more = tasks.size() > 1 ? fmt::format(" and {} more", tasks.size() - 1) : "";
  return fmt::format("{}{} ({} triggers)", first, more, producers->threshold);
}

std::string place(const Placed& placed) {
  return placed.worker == kNone ? fmt::format("place {}", placed.position)
                                : fmt::format("place {}, worker {}", placed.position, placed.worker);
}

struct TaskDifference {
  TaskKey task;
  std::string what, a, b;
};

class PassDiff {
 public:
  PassDiff(const Schedule& a, const Schedule& b) : a_(a), b_(b) {
    for (const auto& [key, placed] : a_.tasks()) {
      const auto other = b_.tasks().find(key);
      if (other == b_.tasks().end()) {
        ++only_a_;
        add(key, "only in A", place(placed), "");
      } else {
        compare(key, placed, other->second);
      }
    }
    for (const auto& [key, placed] : b_.tasks()) {
      if (a_.tasks().contains(key)) continue;
      ++only_b_;
      add(key, "only in B", "", place(placed));
    }
  }

  // True if all that is compared is equal.
  bool same() const { return differences_.empty() && a_.events() == b_.events(); }
  const std::vector<TaskDifference>& differences() const { return differences_; }
  std::vector<Cell> totals(const std::string& pass) const {
    return {pass,
            whole(a_.tasks().size()),
            whole(b_.tasks().size()),
            whole(a_.events()),
            whole(b_.events()),
            whole(only_a_),
            whole(only_b_),
            whole(moved_),
            whole(waits_),
            whole(touches_)};
  }

 private:
  void add(const TaskKey& key, std::string what, std::string a, std::string b) {
    differences_.push_back({key, std::move(what), std::move(a), std::move(b)});
  }

  void compare(const TaskKey& key, const Placed& a, const Placed& b) {
    if (a.position != b.position || a.worker != b.worker) {
      ++moved_;
      add(key, "moved", place(a), place(b));
    }
    const Producers *for_a = a_.awaited(key.rank, a), *for_b = b_.awaited(key.rank, b);
    if (!alike(for_a, for_b)) {
      ++waits_;
      add(key, "waits for", producers_text(for_a, key.rank), producers_text(for_b, key.rank));
    }
    const std::string touched_a = a_.touched(key.rank, a), touched_b = b_.touched(key.rank, b);
    if (touched_a != touched_b) {
      ++touches_;
      add(key, "touches", touched_a, touched_b);
    }
  }

  // Tasks of one event ask for the same pair; each pair of events is compared once.
  bool alike(const Producers* a, const Producers* b) {
    if (!a || !b) return a == b;
    const auto [found, fresh] = alike_.try_emplace({a, b}, false);
    if (fresh) found->second = *a == *b;
    return found->second;
  }

  ScheduleSide a_, b_;
  std::map<std::pair<const Producers*, const Producers*>, bool> alike_;
  std::vector<TaskDifference> differences_;
  std::uint64_t only_a_ = 0, only_b_ = 0, moved_ = 0, waits_ = 0, touches_ = 0;
};

// Describes the differences of the schedules' heads.
std::string heads(const std::string& pass, const Schedule& a, const Schedule& b) {
  std::string text;
  const auto differ = [&](const char* what, const auto& x, const auto& y) {
    if (x != y) text += fmt::format("{}: {}: {} in A, {} in B\n", pass, what, x, y);
  };
  const Ssc &x = a.front(), &y = b.front();
  differ("ranks", a.size(), b.size());
  differ("order", x.order(), y.order());
  const auto name_of_kind = [](const WorkerKind& kind) { return kind.name; };
  if (std::ranges::equal(x.kinds(), y.kinds(), {}, name_of_kind, name_of_kind)) {
    for (std::uint32_t q = 0; q < x.queues(); ++q)
      differ(x.kinds()[q].name.c_str(), x.workers(q), y.workers(q));
  } else {
    differ("workers", x.kinds().text(), y.kinds().text());
  }
  differ("assignment", name_of(x.assignment()), name_of(y.assignment()));
  if (x.shape() != y.shape()) text += fmt::format("{}: A and B are of different shapes\n", pass);
  const auto rows = [](const Schedule& schedule) {
    std::vector<std::vector<std::uint32_t>> all;
    for (const Ssc& ssc : schedule) all.emplace_back(ssc.sent_capacity().begin(), ssc.sent_capacity().end());
    return all;
  };
  if (rows(a) != rows(b)) text += fmt::format("{}: A and B are of different buckets\n", pass);
  return text;
}

bool same_bytes(const Schedule& a, const Schedule& b) {
  return std::ranges::equal(
      a, b, [](const Ssc& x, const Ssc& y) { return std::ranges::equal(x.bytes(), y.bytes()); });
}

const Schedule* find(const std::vector<DiffSide>& sides, const std::string& pass) {
  const auto found = std::ranges::find(sides, pass, &DiffSide::pass);
  return found == sides.end() ? nullptr : found->schedule;
}

}  // namespace

ScheduleDiff diff_schedules(const std::vector<DiffSide>& a, const std::vector<DiffSide>& b,
                            std::size_t most) {
  ScheduleDiff diff;
  std::string said;
  std::vector<std::pair<std::string, PassDiff>> passes;
  for (const DiffSide& side : a) {
    const Schedule* other = find(b, side.pass);
    if (!other) {
      said += fmt::format("{}: only in A\n", side.pass);
      continue;
    }
    const std::string head = heads(side.pass, *side.schedule, *other);
    passes.emplace_back(side.pass, PassDiff(*side.schedule, *other));
    said += head;
    if (head.empty() && passes.back().second.same() && !same_bytes(*side.schedule, *other))
      said +=
          fmt::format("{}: only numbers of tasks and events, or what orders sort by, differ\n", side.pass);
  }
  for (const DiffSide& side : b) {
    if (!find(a, side.pass)) said += fmt::format("{}: only in B\n", side.pass);
  }
  diff.same =
      said.empty() && std::ranges::all_of(passes, [](const auto& changes) { return changes.second.same(); });
  diff.report.fact("same", std::string(diff.same ? "yes" : "no"));
  diff.report.say(diff.same ? "A and B are the same.\n" : said, "said");
  Table& totals = diff.report.table(
      "passes",
      {Column::words("pass"), Column::count("tasks A", "tasks_a"), Column::count("tasks B", "tasks_b"),
       Column::count("events A", "events_a"), Column::count("events B", "events_b"),
       Column::count("only in A", "only_a"), Column::count("only in B", "only_b"), Column::count("moved"),
       Column::count("wait for others", "waits"), Column::count("touch others", "touches")});
  Table& tasks =
      diff.report.table("tasks", {Column::words("pass"), Column::count("rank"), Column::words("task"),
                                  Column::words("what"), Column::words("A", "a"), Column::words("B", "b")});
  std::size_t shown = 0, all = 0;
  for (const auto& [pass, changes] : passes) {
    totals.add(changes.totals(pass));
    for (const TaskDifference& each : changes.differences()) {
      ++all;
      tasks.add({pass, whole(each.task.rank), fmt::format("{}[{}]", each.task.op, each.task.index), each.what,
                 each.a, each.b},
                shown++ < most ? Audience::kAll : Audience::kPrograms);
    }
  }
  if (all > most) diff.report.say_on(fmt::format("and {} more ('-n', '--json')\n", all - most));
  return diff;
}

}  // namespace a3sim
