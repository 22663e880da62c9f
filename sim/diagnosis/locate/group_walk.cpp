#include "sim/diagnosis/locate/group_walk.h"

#include <algorithm>
#include <map>
#include <utility>

namespace a3sim {
namespace {

using Meeting = std::pair<std::uint16_t, std::uint16_t>;  // pass, group

Meeting meeting_of(const LightRecord& record) { return {record.pass, record.group}; }

// Indexes the records of a step for the walk.
class StepRecords {
 public:
  explicit StepRecords(std::span<const LightRecord> records) : records_(records) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      const LightRecord& record = records[i];
      const auto [last, first] = last_.try_emplace(meeting_of(record), i);
      if (!first && record.arrival > records[last->second].arrival) last->second = i;
      of_rank_[record.rank].push_back(i);
    }
  }

  std::size_t last_to_arrive(std::size_t at) const { return last_.at(meeting_of(records_[at])); }
  // Returns the peer's record that record `at` waited for in the same pass, or `at` if it waited for none or
  // the peer is not known.
  std::size_t peer(std::size_t at) const {
    const auto found = of_rank_.find(records_[at].whom);
    if (found == of_rank_.end()) return at;
    for (const std::size_t other : found->second)
      if (records_[other].pass == records_[at].pass) return other;
    return at;
  }
  // Returns the previous record of the same rank, or `at` if it is the first.
  std::size_t before(std::size_t at) const {
    const std::vector<std::size_t>& all = of_rank_.at(records_[at].rank);
    const auto found = std::ranges::find(all, at);
    return found == all.begin() ? at : *std::prev(found);
  }

 private:
  std::span<const LightRecord> records_;
  std::map<Meeting, std::size_t> last_;
  std::map<std::uint32_t, std::vector<std::size_t>> of_rank_;
};

}  // namespace

bool has_several_groups(std::span<const LightRecord> records) {
  return std::ranges::any_of(
      records, [&](const LightRecord& record) { return record.group != records.front().group; });
}

std::vector<std::size_t> waited_for(std::span<const LightRecord> records, Duration least) {
  std::vector<std::size_t> path;
  if (records.empty()) return path;
  const StepRecords step(records);
  const auto end = std::ranges::max_element(records, {}, &LightRecord::release);
  std::size_t at = step.last_to_arrive(static_cast<std::size_t>(end - records.begin()));
  std::vector<bool> seen(records.size());
  while (!seen[at]) {
    seen[at] = true;
    path.push_back(at);
    const std::size_t peer = records[at].longest > least ? step.peer(at) : at;
    if (!seen[peer]) {
      at = peer;
      continue;
    }
    const std::size_t before = step.before(at);
    at = before == at ? at : step.last_to_arrive(before);
  }
  return path;
}

}  // namespace a3sim
