#pragma once

#include <fmt/format.h>

#include <limits>
#include <span>
#include <utility>

#include "scheduler/ssc/ssc_check.h"

namespace a3sim {

// Base class of the checks of a schedule: keeps the first flaw.
class FlawFinder {
 public:
  explicit FlawFinder(const Ssc& ssc)
      : ssc_(ssc), tensors_(ssc.tensors()), tasks_(ssc.tasks()), regions_(ssc.regions()) {}
  std::optional<SscFlaw> flaw() && { return std::move(flaw_); }

 protected:
  static constexpr std::uint64_t kMaxRows = std::numeric_limits<std::uint32_t>::max();

  // Records a flaw. Returns false, so that checks can be chained.
  template <class... Args>
  bool fail(SscItem item, std::size_t i, fmt::format_string<Args...> format, Args&&... args) {
    flaw_ = SscFlaw{item, i, fmt::format(format, std::forward<Args>(args)...)};
    return false;
  }

  bool below(SscItem item, std::size_t i, const char* what, std::uint64_t value, std::uint64_t limit) {
    return value < limit || not_below(item, i, what, value, limit);
  }

  // Not inlined, because below() is called for every number of a schedule.
  [[gnu::noinline]] bool not_below(SscItem item, std::size_t i, const char* what, std::uint64_t value,
                                   std::uint64_t limit) {
    return fail(item, i, "{} {}: {} {} of {}", name_of(item), i, what, value, limit);
  }

  const Ssc& ssc_;
  std::span<const TensorInfo> tensors_;
  std::span<const TaskDescriptor> tasks_;
  std::span<const Region> regions_;
  std::optional<SscFlaw> flaw_;
};

// Checks the fields that exist once, and the tables to which tasks refer.
std::optional<SscFlaw> find_table_flaw(const Ssc& ssc);
// Checks tasks and queues. The tables must be sound.
std::optional<SscFlaw> find_task_flaw(const Ssc& ssc);

}  // namespace a3sim
