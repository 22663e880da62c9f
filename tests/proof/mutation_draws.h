#pragma once

#include <vector>

#include "tests/proof/mutations.h"

// Random choices of the part of a schedule that a mutation changes.
namespace a3sim {

inline std::uint32_t size_of(const auto& of) { return static_cast<std::uint32_t>(of.size()); }

inline bool coin(Rng& rng) { return rng.below(2) == 1; }

// Returns a random task of the rank for which `has` is true, or nullptr.
template <class Has>
TaskDescriptor* a_task(SscParts& rank, Rng& rng, Has&& has) {
  std::vector<TaskDescriptor*> all;
  for (TaskDescriptor& td : rank.tasks) {
    if (has(td)) all.push_back(&td);
  }
  return all.empty() ? nullptr : all[rng.below(size_of(all))];
}

// Returns a random region that a task waits for or writes, or nullptr if the drawn task has none.
inline Region* a_region(SscParts& rank, Rng& rng) {
  TaskDescriptor* td =
      a_task(rank, rng, [](const TaskDescriptor& descriptor) { return descriptor.num_outputs > 0; });
  if (!td) return nullptr;
  Region& region = rank.regions[td->first_region + rng.below(td->num_inputs + td->num_outputs)];
  return region.flags & kMetadata || region.rows().empty() ? nullptr : &region;
}

// Returns another number below n.
inline std::uint32_t another(std::uint32_t value, std::uint32_t n, Rng& rng) {
  return (value + 1 + rng.below(n - 1)) % n;
}

}  // namespace a3sim
