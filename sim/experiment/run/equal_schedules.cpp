#include "sim/experiment/run/equal_schedules.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <ranges>
#include <string_view>

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

template <class T>
void add_bytes(std::span<const T> ts, std::uint64_t& hash) {
  constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15;
  const std::string_view bytes(reinterpret_cast<const char*>(ts.data()), ts.size_bytes());
  hash = (hash ^ std::hash<std::string_view>()(bytes) ^ ts.size()) * kMultiplier;
  hash ^= hash >> 32;
}

}  // namespace

std::uint64_t schedule_hash(const Schedule& schedule) {
  std::uint64_t hash = schedule.size();
  for (const Ssc& ssc : schedule) {
    const std::uint64_t assignment = static_cast<std::uint64_t>(ssc.assignment());
    add_bytes(std::span(&assignment, 1), hash);
    for (const WorkerKind& kind : ssc.kinds()) add_bytes(std::span(&kind.count, 1), hash);
    add_bytes(ssc.tasks(), hash);
    add_bytes(ssc.events(), hash);
    add_bytes(ssc.worker_sets(), hash);
    for (std::uint32_t q = 0; q < ssc.queues(); ++q) add_bytes(ssc.queue(q), hash);
  }
  return hash;
}

bool equal_schedules(const Schedule& a, const Schedule& b) {
  return std::ranges::equal(a, b, [](const Ssc& x, const Ssc& y) { return same(x, y); });
}

}  // namespace a3sim
