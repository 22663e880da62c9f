#include "traces/locate/record_requests.h"

#include <algorithm>
#include <set>

#include "sim/core/ids.h"

namespace a3sim {

bool RecordRequests::is_done(const Request& of) const {
  return of.slow >= limits_.recorded || of.recorded >= limits_.watched ||
         (of.slow > 0 && of.recorded >= 2 * limits_.recorded);
}

void RecordRequests::add(std::uint32_t step, bool slow, const std::vector<std::uint32_t>& suspects,
                         const std::vector<std::uint32_t>& beside) {
  const auto is_suspect = [&](std::uint32_t rank) {
    return slow && std::ranges::find(suspects, rank) != suspects.end();
  };
  for (auto of = open_.begin(); of != open_.end();) {
    ++of->second.recorded;
    of->second.slow += is_suspect(of->first);
    if (is_done(of->second)) {
      done_[of->first] = step;
      of = open_.erase(of);
    } else {
      ++of;
    }
  }
  for (const std::uint32_t suspect : suspects) {
    if (!slow || open_.contains(suspect)) continue;
    const auto before = done_.find(suspect);
    const bool again = before != done_.end() && step - before->second <= limits_.apart;
    if (again) {
      before->second = step;
      continue;
    }
    Request& of = open_[suspect];
    of.ranks = beside;
    if (suspect != kNone) of.ranks.push_back(suspect);
  }
  std::set<std::uint32_t> ranks;
  for (const auto& [suspect, of] : open_) ranks.insert(of.ranks.begin(), of.ranks.end());
  wanted_.assign(ranks.begin(), ranks.end());
}

}  // namespace a3sim
