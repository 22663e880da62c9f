#include "tests/proof/mutations.h"

#include <algorithm>
#include <iterator>

#include "tests/proof/mutation_draws.h"

namespace a3sim {
namespace {

std::uint32_t& threshold(Parts& parts, std::uint32_t rank, std::uint32_t event) {
  return parts[rank].events[event].threshold;
}

// Half the time thresholds follow, so that counting alone shows nothing.
void retrigger(Parts& parts, TaskDescriptor& td, std::uint32_t rank, std::uint32_t event, bool follow) {
  if (follow) {
    --threshold(parts, td.trigger_rank, td.trigger_event);
    ++threshold(parts, rank, event);
  }
  td.trigger_rank = rank;
  td.trigger_event = event;
}

// The task counts into an event that nobody waits for.
bool drop_trigger(Parts& parts, std::uint32_t r, Rng& rng) {
  SscParts& rank = parts[r];
  TaskDescriptor* td = a_task(rank, rng, [&](const TaskDescriptor& descriptor) {
    return !parts[descriptor.trigger_rank].events[descriptor.trigger_event].done;
  });
  if (!td) return false;
  std::vector<EventDescriptor>& events = parts[td->trigger_rank].events;
  if (events.empty() || !events.back().done) events.push_back({0, 1});
  const bool follow = coin(rng);
  if (!follow && events.back().threshold == 0) events.back().threshold = 1;
  retrigger(parts, *td, td->trigger_rank, size_of(events) - 1, follow);
  return true;
}

bool change_threshold(Parts& parts, std::uint32_t r, Rng& rng) {
  SscParts& rank = parts[r];
  if (rank.events.empty()) return false;
  std::uint32_t& number = rank.events[rng.below(size_of(rank.events))].threshold;
  coin(rng) ? ++number : --number;
  return true;
}

bool swap_tasks(Parts& parts, std::uint32_t r, Rng& rng) {
  std::vector<std::vector<std::uint32_t>>& queues = parts[r].queues;
  std::vector<std::uint32_t>& queue = queues[rng.below(size_of(queues))];
  if (queue.size() < 2) return false;
  const std::uint32_t i = rng.below(size_of(queue));
  std::swap(queue[i], queue[another(i, size_of(queue), rng)]);
  return true;
}

bool shift_region(Parts& parts, std::uint32_t r, Rng& rng) {
  SscParts& rank = parts[r];
  Region* region = a_region(rank, rng);
  if (!region) return false;
  const std::uint32_t by = 1 + rng.below(3), rows = rank.tensors[region->tensor].rows;
  if (coin(rng)) {
    if (region->row_end + by > rows) return false;
    region->row_begin += by;
    region->row_end += by;
  } else {
    if (region->row_begin < by) return false;
    region->row_begin -= by;
    region->row_end -= by;
  }
  return true;
}

bool wrong_rank(Parts& parts, std::uint32_t r, Rng& rng) {
  const std::uint32_t ranks = size_of(parts);
  if (ranks < 2) return false;
  SscParts& rank = parts[r];
  switch (rng.below(3)) {
    case 0: {
      Region* region = a_region(rank, rng);
      if (!region) return false;
      region->rank = another(region->rank, ranks, rng);
      return true;
    }
    case 1: {
      TaskDescriptor& td = rank.tasks[rng.below(size_of(rank.tasks))];
      const std::uint32_t there = another(td.trigger_rank, ranks, rng);
      if (parts[there].events.size() <= td.trigger_event) return false;
      retrigger(parts, td, there, td.trigger_event, coin(rng));
      return true;
    }
    default: {
      TaskDescriptor* td = a_task(rank, rng, [](const TaskDescriptor& descriptor) {
        return descriptor.task_type == static_cast<std::uint16_t>(TaskType::kPutMemSignal);
      });
      if (!td) return false;
      td->dst = another(td->dst, ranks, rng);
      return true;
    }
  }
}

bool wrong_event(Parts& parts, std::uint32_t r, Rng& rng) {
  SscParts& rank = parts[r];
  TaskDescriptor& td = rank.tasks[rng.below(size_of(rank.tasks))];
  const bool waits = coin(rng);
  const std::uint32_t events = size_of(parts[waits ? index(rank.rank) : td.trigger_rank].events);
  if (events < 2) return false;
  if (!waits) {
    const bool follow = coin(rng);  // drawn first, whatever the compiler evaluates first
    retrigger(parts, td, td.trigger_rank, another(td.trigger_event, events, rng), follow);
  } else if (td.dependent_event == kNone || coin(rng)) {
    td.dependent_event =
        td.dependent_event == kNone ? rng.below(events) : another(td.dependent_event, events, rng);
  } else {
    td.dependent_event = kNone;
  }
  return true;
}

void renumber(SscParts& rank, std::uint16_t op) {
  std::uint32_t next = 0;
  const auto tasks = static_cast<std::uint32_t>(std::ranges::count(rank.tasks, op, &TaskDescriptor::op));
  for (TaskDescriptor& td : rank.tasks) {
    if (td.op != op) continue;
    td.task_index = next++;
    td.task_split_num = tasks;
  }
}

bool duplicate_task(Parts& parts, std::uint32_t r, Rng& rng) {
  SscParts& rank = parts[r];
  const TaskDescriptor td = rank.tasks[rng.below(size_of(rank.tasks))];
  std::vector<std::uint32_t>& queue = rank.queues[td.queue_type];
  queue.insert(queue.begin() + rng.below(size_of(queue) + 1), size_of(rank.tasks));
  if (coin(rng)) ++threshold(parts, td.trigger_rank, td.trigger_event);
  rank.tasks.push_back(td);
  renumber(rank, td.op);
  return true;
}

bool lose_task(Parts& parts, std::uint32_t r, Rng& rng) {
  SscParts& rank = parts[r];
  const std::uint32_t lost = rng.below(size_of(rank.tasks));
  const TaskDescriptor td = rank.tasks[lost];
  if (coin(rng)) --threshold(parts, td.trigger_rank, td.trigger_event);
  rank.tasks.erase(rank.tasks.begin() + lost);
  for (std::vector<std::uint32_t>& queue : rank.queues) {
    std::erase(queue, lost);
    for (std::uint32_t& task : queue) task -= task > lost ? 1 : 0;
  }
  renumber(rank, td.op);
  return true;
}

bool cut_short(Parts& parts, std::uint32_t r, Rng& rng) {
  SscParts& rank = parts[r];
  if (coin(rng)) {
    Region* region = a_region(rank, rng);
    if (!region) return false;
    coin(rng) ? --region->row_end : ++region->row_begin;
    return true;
  }
  // All operands alike.
  const TaskDescriptor& td = rank.tasks[rng.below(size_of(rank.tasks))];
  bool cut = false;
  for (std::uint32_t i = td.first_region; i < td.first_region + td.num_inputs + td.num_outputs; ++i) {
    Region& region = rank.regions[i];
    if (region.flags & kMetadata || region.rows().empty()) continue;
    --region.row_end;
    cut = true;
  }
  return cut;
}

// Of blocks within a tile, or of all operands alike.
bool wrong_offset(Parts& parts, std::uint32_t r, Rng& rng) {
  SscParts& rank = parts[r];
  const TaskDescriptor* shared = a_task(rank, rng, [&](const TaskDescriptor& td) {
    return td.num_outputs > 0 && rank.regions[td.first_region + td.num_inputs].shares > 1;
  });
  if (shared && coin(rng)) {
    Region& region = rank.regions[shared->first_region + shared->num_inputs];
    region.share = static_cast<std::uint16_t>(another(region.share, region.shares, rng));
    return true;
  }
  const TaskDescriptor& td = rank.tasks[rng.below(size_of(rank.tasks))];
  bool moved = false;
  for (std::uint32_t i = td.first_region; i < td.first_region + td.num_inputs + td.num_outputs; ++i) {
    Region& region = rank.regions[i];
    if (region.flags & kMetadata || region.rows().empty() ||
        region.row_end == rank.tensors[region.tensor].rows)
      continue;
    ++region.row_begin;
    ++region.row_end;
    moved = true;
  }
  return moved;
}

bool alike(const TensorInfo& a, const TensorInfo& b) {
  return a.layout == b.layout && a.rows == b.rows && a.cols == b.cols && a.dtype == b.dtype;
}

// A result goes where another tensor lies: of one task, or of the operator on every rank with all its readers.
bool reuse_buffer(Parts& parts, std::uint32_t r, Rng& rng) {
  SscParts& rank = parts[r];
  const TaskDescriptor* td =
      a_task(rank, rng, [](const TaskDescriptor& descriptor) { return descriptor.num_outputs > 0; });
  if (!td) return false;
  Region& region = rank.regions[td->first_region + td->num_inputs];
  const std::uint32_t from = region.tensor;
  std::vector<std::uint32_t> others;
  for (std::uint32_t t = 0; t < rank.tensors.size(); ++t) {
    if (t != from && alike(rank.tensors[t], rank.tensors[from])) others.push_back(t);
  }
  if (others.empty()) return false;
  const std::uint32_t to = others[rng.below(size_of(others))];
  if (coin(rng)) {
    region.tensor = to;
    return true;
  }
  for (SscParts& ssc_parts : parts) {
    for (Region& any : ssc_parts.regions) any.tensor = any.tensor == from ? to : any.tensor;
    for (OperatorInfo& op : ssc_parts.operators) {
      for (std::vector<TensorId>* ids : {&op.inputs, &op.outputs})
        std::ranges::replace(*ids, TensorId{from}, TensorId{to});
    }
  }
  return true;
}

constexpr Mutation kMutations[] = {{"drop a trigger", drop_trigger},
                                   {"threshold ±1", change_threshold},
                                   {"swap two tasks", swap_tasks},
                                   {"shift a region", shift_region},
                                   {"wrong rank", wrong_rank},
                                   {"wrong event", wrong_event},
                                   {"duplicate a task", duplicate_task},
                                   {"lose a task", lose_task},
                                   {"cut a chunk short", cut_short},
                                   {"wrong offset", wrong_offset},
                                   {"reuse a buffer early", reuse_buffer}};

}  // namespace

bool apply_to_all(const Mutation& mutation, Parts& parts, Rng& rng) {
  const Rng drawn = rng;
  bool all = true;
  for (std::uint32_t rank = 0; rank < size_of(parts); ++rank) {
    rng = drawn;
    all = mutation.apply(parts, rank, rng) && all;
  }
  return all;
}

std::span<const Mutation> mutations() {
  static const std::vector<Mutation> kAll = [] {
    std::vector<Mutation> all(std::begin(kMutations), std::end(kMutations));
    const std::span<const Mutation> of_tasks = task_mutations();
    all.insert(all.end(), of_tasks.begin(), of_tasks.end());
    return all;
  }();
  return kAll;
}

}  // namespace a3sim
