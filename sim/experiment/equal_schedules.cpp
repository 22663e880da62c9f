#include "sim/experiment/equal_schedules.h"

#include <algorithm>
#include <cstring>
#include <ranges>

namespace a3sim {
namespace {

template <class T>
bool same_bytes(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

bool same(const Ssc& a, const Ssc& b) {
  const auto same_queue = [&](std::uint32_t q) { return same_bytes(a.queue(q), b.queue(q)); };
  return a.assignment() == b.assignment() && a.kinds() == b.kinds() && same_bytes(a.tasks(), b.tasks()) &&
         same_bytes(a.events(), b.events()) && same_bytes(a.worker_sets(), b.worker_sets()) &&
         std::ranges::all_of(std::views::iota(0U, a.queues()), same_queue);
}

}  // namespace

bool equal_schedules(const Schedule& a, const Schedule& b) {
  return std::ranges::equal(a, b, [](const Ssc& x, const Ssc& y) { return same(x, y); });
}

}  // namespace a3sim
