#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "scheduler/verify.h"

namespace a3sim {

bool destinations_form_permutations(const Schedule& schedule, OpId op) {
  const auto ranks = static_cast<std::uint32_t>(schedule.size());
  // By (expert, chunk): how many puts of a rank went before the next one, and by position which destinations it has.
  struct Ring {
    std::vector<std::uint32_t> next;  // by rank
    std::vector<bool> met;            // by position, then destination
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Ring> rings;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const std::span<const TaskDescriptor> tasks = schedule[r].tasks();
    auto ring = rings.end();
    for (std::uint32_t q = 0; q < schedule[r].queues(); ++q) {
      for (const std::uint32_t task : schedule[r].queue(q)) {
        const TaskDescriptor& td = tasks[task];
        if (td.op != index(op) || td.task_type != static_cast<std::uint16_t>(TaskType::kPutMemSignal))
          continue;
        const std::pair<std::uint32_t, std::uint32_t> key{td.expert, td.chunk};
        if (ring == rings.end() || ring->first != key) {  // neighbours are mostly of one ring
          ring = rings.try_emplace(key).first;
          ring->second.next.resize(ranks);
          ring->second.met.resize(std::size_t{ranks} * ranks);
        }
        const std::uint32_t position = ring->second.next[r]++;
        if (position >= ranks || td.dst >= ranks) return false;
        auto met = ring->second.met[std::size_t{position} * ranks + td.dst];
        if (met) return false;
        met = true;
      }
    }
  }
  // Every rank has a put at every position, no two to one rank.
  return std::ranges::all_of(rings, [&](const auto& of) {
    return std::ranges::all_of(of.second.next, [&](std::uint32_t puts) { return puts == ranks; });
  });
}

}  // namespace a3sim
