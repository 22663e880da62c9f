#pragma once

#include <array>
#include <optional>
#include <string>

#include "scheduler/ssc/ssc.h"

namespace a3sim {

// What a flaw is in. kHeader: the fields that stand once.
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
  std::uint32_t queue = 0;  // kQueue: which
};

// The first number of a schedule that later code could not follow: an index outside its table, a range
// outside its tensor, a threshold that is never reached, a queue that does not hold each of its tasks once.
// None if it is sound. Task types are not looked up: operators bring numbers and names of their own, and the
// runtime asks their registry.
std::optional<SscFlaw> find_flaw(const Ssc& ssc);

}  // namespace a3sim
