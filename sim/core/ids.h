#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace a3sim {

// One id type for each kind of thing, so that a rank cannot be passed for an event.
enum class RankId : std::uint32_t {};
enum class WorkerId : std::uint32_t {};  // within its rank: cubes first, then vectors
enum class TaskId : std::uint32_t {};    // index in its rank's task table
enum class EventId : std::uint32_t {};   // index in its rank's event table
enum class TensorId : std::uint32_t {};  // index in the tensor table, the same on every rank
enum class OpId : std::uint32_t {};      // index in the operator table, the same on every rank

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
inline constexpr EventId kNoEvent{kNone};

template <class Id>
  requires std::is_enum_v<Id>
constexpr std::uint32_t index(Id id) {
  return static_cast<std::uint32_t>(id);
}

}  // namespace a3sim
