#include <map>
#include <utility>
#include <vector>

#include "scheduler/verify.h"

namespace a3sim {

bool destinations_form_permutations(const Schedule& schedule, OpId op) {
  const auto ranks = static_cast<std::uint32_t>(schedule.size());
  // Destinations of each rank's puts, in queue order, by (expert, chunk).
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::vector<std::uint32_t>>> rings;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    for (std::uint32_t q = 0; q < schedule[r].queues(); ++q) {
      for (const std::uint32_t task : schedule[r].queue(q)) {
        const TaskDescriptor& td = schedule[r].tasks()[task];
        if (td.op != index(op) || td.task_type != static_cast<std::uint16_t>(TaskType::kPutMemSignal))
          continue;
        std::vector<std::vector<std::uint32_t>>& ring = rings[{td.expert, td.chunk}];
        ring.resize(ranks);
        ring[r].push_back(td.dst);
      }
    }
  }
  for (const auto& [key, ring] : rings) {
    for (std::size_t position = 0; position < ring.front().size(); ++position) {
      std::vector<bool> met(ranks);
      for (const std::vector<std::uint32_t>& destinations : ring) {
        if (destinations.size() != ring.front().size()) return false;
        const std::uint32_t dst = destinations[position];
        if (dst >= ranks || met[dst]) return false;
        met[dst] = true;
      }
    }
    if (ring.front().size() != ranks) return false;
  }
  return true;
}

}  // namespace a3sim
