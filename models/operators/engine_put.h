#pragma once

#include <string>
#include <string_view>

#include "models/operators/moves_rows.h"
#include "models/worker_kinds.h"

// The kind of worker that runs an operator. Puts that a device's copy engines run in place of its vector workers. Each type of them is called as the put's own
// type is, with a suffix. Copy engines are a kind of worker that has no unit.
namespace a3sim {

inline constexpr std::string_view kByEngine = "ByEngine", kCopyEngineKind = "COPY";

inline std::string by_engine(std::string_view type) { return std::string(type) + std::string(kByEngine); }
inline bool moved_by_engine(std::string_view type) { return type.ends_with(kByEngine); }

// Returns the queue of the copy engines, or kNone.
inline std::uint32_t copy_queue(const WorkerKinds& kinds) {
  for (std::uint32_t q = 0; q < kinds.size(); ++q)
    if (kinds[q].name == kCopyEngineKind) return q;
  return kNone;
}

// In a kind's own operators: all that move rows between ranks.
inline constexpr std::string_view kMoves = "moves";

// Returns the queue of the kind that has operators of this type as its own, or kNone.
inline std::uint32_t own_queue(const WorkerKinds& kinds, std::string_view type) {
  if (moved_by_engine(type)) return copy_queue(kinds);
  const std::uint32_t named = kinds.queue_naming(type);
  if (named != kNone) return named;
  const std::uint32_t movers = kinds.queue_naming(kMoves);
  return movers != kNone && only_moves_rows(Operators::get(type)) ? movers : kNone;
}

// Returns the queue for tasks of an operator of this type and unit; kNone if no worker runs them.
inline std::uint32_t queue_of_type(const WorkerKinds& kinds, CoreUnit unit, std::string_view type) {
  const std::uint32_t own = own_queue(kinds, type);
  return own != kNone || moved_by_engine(type) ? own : kinds.queue_for(unit);
}

}  // namespace a3sim
