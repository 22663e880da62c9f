#include <iterator>

#include "tests/proof/mutation_draws.h"
#include "tests/proof/mutations.h"

namespace a3sim {
namespace {

// A task that has an input with rows, whose region is changed by `change`.
template <class Change>
bool change_input(Parts& parts, std::uint32_t r, Rng& rng, Change&& change) {
  SscParts& rank = parts[r];
  const TaskDescriptor* td =
      a_task(rank, rng, [](const TaskDescriptor& descriptor) { return descriptor.num_inputs > 0; });
  if (!td) return false;
  Region& region = rank.regions[td->first_region + rng.below(td->num_inputs)];
  if (region.flags & kMetadata || region.rows().empty()) return false;
  change(region);
  return true;
}

// Nobody has to wait for what is called metadata.
bool call_metadata(Parts& parts, std::uint32_t r, Rng& rng) {
  return change_input(parts, r, rng, [](Region& region) { region.flags = kMetadata; });
}

// A task reads more than its region says.
bool hide_reads(Parts& parts, std::uint32_t r, Rng& rng) {
  return change_input(parts, r, rng, [&](Region& region) {
    region.shares = static_cast<std::uint16_t>(2 + rng.below(3));
    region.share = static_cast<std::uint16_t>(rng.below(region.shares));
  });
}

// Where a task's operands end in the table of regions, and those of others that stand behind.
void move_regions(SscParts& rank, std::uint32_t from, int by) {
  for (TaskDescriptor& td : rank.tasks) {
    if (td.first_region > from)
      td.first_region = static_cast<std::uint32_t>(static_cast<int>(td.first_region) + by);
  }
}

bool lose_operand(Parts& parts, std::uint32_t r, Rng& rng) {
  SscParts& rank = parts[r];
  TaskDescriptor* td =
      a_task(rank, rng, [](const TaskDescriptor& descriptor) { return descriptor.num_inputs > 0; });
  if (!td) return false;
  const std::uint32_t i = rng.below(td->num_inputs + td->num_outputs);
  rank.regions.erase(rank.regions.begin() + td->first_region + i);
  --(i < td->num_inputs ? td->num_inputs : td->num_outputs);
  move_regions(rank, td->first_region, -1);
  return true;
}

// A task says that it reads or writes one region more, one that another task has.
bool add_operand(Parts& parts, std::uint32_t r, Rng& rng) {
  SscParts& rank = parts[r];
  TaskDescriptor* td =
      a_task(rank, rng, [](const TaskDescriptor& descriptor) { return descriptor.num_inputs > 0; });
  if (!td) return false;
  const Region more = rank.regions[rng.below(size_of(rank.regions))];
  const bool input = coin(rng);
  const std::uint32_t end = td->first_region + td->num_inputs + (input ? 0 : td->num_outputs);
  rank.regions.insert(rank.regions.begin() + end, more);
  ++(input ? td->num_inputs : td->num_outputs);
  move_regions(rank, td->first_region, 1);
  return true;
}

bool wrong_expert(Parts& parts, std::uint32_t r, Rng& rng) {
  SscParts& rank = parts[r];
  TaskDescriptor* td =
      a_task(rank, rng, [](const TaskDescriptor& descriptor) { return descriptor.expert != kNoExpert; });
  if (!td) return false;
  const std::uint32_t experts = rank.shape.experts_per_rank, expert = another(td->expert, experts + 1, rng);
  td->expert = expert == experts ? kNoExpert : static_cast<std::uint16_t>(expert);
  return true;
}

// What a task says of itself beside its expert: a slot's expert and ranks, its place in a tile, what orders sort by.
bool wrong_label(Parts& parts, std::uint32_t r, Rng& rng) {
  SscParts& rank = parts[r];
  TaskDescriptor& td = rank.tasks[rng.below(size_of(rank.tasks))];
  std::uint32_t* const labels[] = {&td.gexpert, &td.src, &td.row, &td.tile, &td.chunk, &td.task_split_value};
  std::uint32_t& label = *labels[rng.below(std::size(labels))];
  if (&label == &td.src && rank.shape.ep == 1) return false;
  label = &label == &td.src ? another(label, rank.shape.ep, rng) : label ^ (1 + rng.below(3));
  return true;
}

// Of a set of workers one is another, or one more or fewer; or a task is for workers of its own.
bool wrong_workers(Parts& parts, std::uint32_t r, Rng& rng) {
  SscParts& rank = parts[r];
  WorkerSet& set = rank.worker_sets[rng.below(size_of(rank.worker_sets))];
  const std::uint32_t change = rng.below(4);
  if (change == 0) ++set.first;
  if (change == 1) --set.count;
  if (change == 2) ++set.count;
  if (change == 3) {
    TaskDescriptor& td = rank.tasks[rng.below(size_of(rank.tasks))];
    rank.worker_sets.push_back({td.queue_type, rng.below(3), 1});
    td.worker_set = static_cast<std::uint8_t>(size_of(rank.worker_sets) - 1);
  }
  return true;
}

// A task works in other blocks than those that its shares are dealt by.
bool wrong_tiling(Parts& parts, std::uint32_t r, Rng& rng) {
  SscParts& rank = parts[r];
  TaskDescriptor* td = a_task(
      rank, rng, [](const TaskDescriptor& descriptor) { return descriptor.tiling_data_position != kNone; });
  if (!td || rank.tilings.size() < 2) return false;
  td->tiling_data_position = another(td->tiling_data_position, size_of(rank.tilings), rng);
  return true;
}

constexpr Mutation kTaskMutations[] = {
    {"call data metadata", call_metadata}, {"hide what is read", hide_reads},
    {"lose an operand", lose_operand},     {"an operand more", add_operand},
    {"wrong expert", wrong_expert},        {"wrong label", wrong_label},
    {"wrong workers", wrong_workers},      {"wrong tiling", wrong_tiling}};

}  // namespace

std::span<const Mutation> task_mutations() { return kTaskMutations; }

}  // namespace a3sim
