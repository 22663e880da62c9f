#include "sim/search/joined_candidates.h"

#include <algorithm>
#include <map>
#include <utility>

namespace a3sim {

// Returns whether parts of both may be joined: what concerns all parts is the same.
bool JoinedCandidates::may_join(const Candidate& a, const Candidate& b) const {
  for (std::size_t d = 0; d < a.settings.size(); ++d) {
    const std::string& pass = problem_.space().decisions[d].pass;
    if (a.settings[d] != b.settings[d] && std::ranges::count(problem_.parts(), pass) == 0) return false;
  }
  return a.rest_of == b.rest_of;
}

// Returns the candidate with the queues and settings of one part from another one.
Candidate JoinedCandidates::with_part(Candidate candidate, const Candidate& other, std::size_t part) const {
  for (std::size_t unit = 0; unit < kCoreUnits; ++unit)
    candidate.queues[problem_.queue(part, unit)] = other.queues[problem_.queue(part, unit)];
  for (std::size_t d = 0; d < candidate.settings.size(); ++d)
    if (problem_.space().decisions[d].pass == problem_.parts()[part])
      candidate.settings[d] = other.settings[d];
  return candidate;
}

std::optional<Candidate> JoinedCandidates::best_parts(const std::vector<std::size_t>& order,
                                                      const IsKnown& known) const {
  if (problem_.parts().size() < 2) return std::nullopt;
  std::optional<Candidate> best;
  double least = outcome_.curve.empty() ? 1 : outcome_.curve.back();
  for (const std::size_t i : order) {
    const ScoredCandidate& candidate = outcome_.candidates[i];
    Candidate together = candidate.candidate;
    double sum = 0;
    for (std::size_t p = 0; p < problem_.parts().size(); ++p) {
      const ScoredCandidate* part = &candidate;
      for (const std::size_t j : order) {
        const ScoredCandidate& other = outcome_.candidates[j];
        if (other.parts.back()[p] < part->parts.back()[p] && may_join(other.candidate, candidate.candidate))
          part = &other;
      }
      sum += part->parts.back()[p];
      together = with_part(std::move(together), part->candidate, p);
    }
    if (sum >= least || known(together)) continue;
    least = sum;
    best = std::move(together);
  }
  return best;
}

std::vector<Candidate> JoinedCandidates::exchanged_parts(const std::vector<std::size_t>& order) const {
  std::vector<Candidate> exchanged;
  if (problem_.parts().size() < 2) return exchanged;
  const Candidate& best = outcome_.candidates[order.front()].candidate;
  for (std::size_t p = 0; p < problem_.parts().size(); ++p) {
    const auto of_part = [&](std::size_t i) { return outcome_.candidates[i].parts.back()[p]; };
    const Candidate& other = outcome_.candidates[*std::ranges::min_element(order, {}, of_part)].candidate;
    exchanged.push_back(with_part(best, other, p));
    Candidate back = other;
    for (std::size_t q = 0; q < problem_.parts().size(); ++q)
      if (q != p) back = with_part(std::move(back), best, q);
    exchanged.push_back(std::move(back));
  }
  return exchanged;
}

// Takes over what a child has otherwise than its parent: all of it, or what concerns one part.
void JoinedCandidates::take_changes(Candidate& candidate, const Candidate& child, const Candidate& parent,
                                    std::optional<std::size_t> part) const {
  const std::vector<std::string>& parts = problem_.parts();
  for (std::size_t q = 0; q < child.queues.size(); ++q) {
    if (child.queues[q] != parent.queues[q] && (!part || q / kCoreUnits == *part))
      candidate.queues[q] = child.queues[q];
  }
  for (std::size_t d = 0; d < child.settings.size(); ++d) {
    if (child.settings[d] != parent.settings[d] &&
        (!part || problem_.space().decisions[d].pass == parts[*part]))
      candidate.settings[d] = child.settings[d];
  }
  if (!part && child.rest_of != parent.rest_of) candidate.rest_of = child.rest_of;
}

void JoinedCandidates::add_gains(std::size_t child, std::vector<Gained>& gains) const {
  const ScoredCandidate &now = outcome_.candidates[child], &before = outcome_.candidates[*now.changed];
  for (std::size_t s = outcome_.ladder.size(); s-- > 0;) {
    if (!now.scores[s] || !before.scores[s]) continue;
    const double by = *before.scores[s] - *now.scores[s];
    if (now.parts[s].size() < 2 || before.parts[s].empty() || !may_join(now.candidate, before.candidate)) {
      if (by > 0) gains.push_back({child, std::nullopt, by});
      return;
    }
    for (std::size_t p = 0; p < now.parts[s].size(); ++p)
      if (now.parts[s][p] < before.parts[s][p])
        gains.push_back({child, p, before.parts[s][p] - now.parts[s][p]});
    return;
  }
}

std::vector<Proposal> JoinedCandidates::united_changes(std::size_t first) const {
  std::map<std::size_t, std::vector<Gained>> by_parent;
  for (std::size_t i = first; i < outcome_.candidates.size(); ++i)
    if (outcome_.candidates[i].changed) add_gains(i, by_parent[*outcome_.candidates[i].changed]);
  std::vector<Proposal> united;
  for (auto& [parent, gains] : by_parent) {
    if (gains.empty()) continue;
    std::ranges::stable_sort(gains, {}, &Gained::by);
    const ScoredCandidate& from = outcome_.candidates[parent];
    Proposal proposal{from.candidate, 0, from.lineage};
    for (const Gained& gained : gains)
      take_changes(proposal.candidate, outcome_.candidates[gained.child].candidate, from.candidate,
                   gained.part);
    united.push_back(std::move(proposal));
  }
  return united;
}

}  // namespace a3sim
