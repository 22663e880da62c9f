#pragma once

#include <string>
#include <string_view>

#include "models/worker_kinds.h"

// Puts that a device's copy engines run in place of its vector workers. Each type of them is called as the put's own
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

// Returns the queue for tasks of an operator of this type and unit; kNone if no worker runs them.
inline std::uint32_t queue_of_type(const WorkerKinds& kinds, CoreUnit unit, std::string_view type) {
  return moved_by_engine(type) ? copy_queue(kinds) : kinds.queue_for(unit);
}

}  // namespace a3sim
