#pragma once

#include <array>
#include <optional>
#include <string>

#include "scheduler/ssc/ssc.h"

namespace a3sim {

// The kind of item that has a flaw. kHeader means the fields that exist once.
enum class SscItem : std::uint8_t {
  kHeader,
  kTensor,
  kOperator,
  kTiling,
  kTask,
  kRegion,
  kEvent,
  kWorkerSet,
  kKind,
  kQueue
};
constexpr auto names_of(SscItem) {
  return std::to_array<std::string_view>(
      {"header", "tensor", "operator", "tiling", "task", "region", "event", "worker set", "kind", "queue"});
}

struct SscFlaw {
  SscItem item;
  std::size_t index;        // in its table
  std::string message;      // a sentence that names the item
  std::uint32_t queue = 0;  // number of the queue, for kQueue
};

// Returns the first number of a schedule that later code could not follow: an index outside its table, a
// range outside its tensor, a threshold that cannot be reached, or a queue without exactly one entry per
// task. Returns nullopt if the schedule is sound. Does not check task types, because operators register their
// own and the runtime looks them up.
std::optional<SscFlaw> find_flaw(const Ssc& ssc);

}  // namespace a3sim
