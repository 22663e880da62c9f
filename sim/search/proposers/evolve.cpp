#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "sim/search/moves.h"
#include "sim/search/proposer.h"

namespace a3sim {
namespace {

// Parents are drawn from this many of the best, the better ones more often.
constexpr std::size_t kParents = 8;

const ParentCandidate& parent(const std::vector<ParentCandidate>& best, Rng& rng) {
  const auto parents = static_cast<std::uint32_t>(std::min(kParents, best.size()));
  return best[std::min(rng.below(parents), rng.below(parents))];
}

// Draws the leader of a lineage: one that is behind by this much, half as often as the best.
constexpr double kHalfAsOften = 0.003;
const ParentCandidate& draw_leader(const std::vector<ParentCandidate>& leaders, Rng& rng) {
  std::vector<double> weights;
  for (const ParentCandidate& leader : leaders)
    weights.push_back(std::exp2((leaders.front().score - leader.score) / kHalfAsOften));
  double left = rng.uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
  std::size_t at = 0;
  while (at + 1 < leaders.size() && left >= weights[at]) left -= weights[at++];
  return leaders[at];
}

// Changes a part into one that has not run, if one is found soon.
void change_part(const SearchProblem& problem, const Parents& parents, Candidate& candidate, std::size_t part,
                 Rng& rng) {
  constexpr int kTries = 20;
  const Candidate before = candidate;
  for (int i = 0; i < kTries; ++i) {
    candidate = before;
    mutate(problem, candidate, part, rng);
    if (!parents.part_known(candidate, part)) return;
  }
}

// Changes each part for itself, or now and then what concerns all parts. Parts add up, so that what helps in one of them can
// be taken over alone.
void change(const SearchProblem& problem, const Parents& parents, Candidate& candidate, Rng& rng) {
  constexpr double kShared = 0.15;
  const std::size_t parts = problem.parts().size();
  if (parts == 1) return mutate(problem, candidate, kAllParts, rng);
  if (rng.uniform() < kShared) return mutate(problem, candidate, kNoPart, rng);
  for (std::size_t part = 0; part < parts; ++part) change_part(problem, parents, candidate, part, rng);
}

// A way to come to a candidate, and how often it is taken.
struct EvolutionWay {
  std::string_view name;
  double part;
};
enum EvolutionWays : std::size_t { kDrawn, kChanged, kCrossed, kUnited };
constexpr std::array<EvolutionWay, 4> kWays{
    {{"drawn", 0.05}, {"changed", 0.85}, {"crossed", 0.05}, {"united", 0.05}}};

std::size_t draw_way(Rng& rng) {
  double left = rng.uniform();
  std::size_t way = 0;
  while (way + 1 < kWays.size() && left >= kWays[way].part) left -= kWays[way++].part;
  return way;
}

class Evolution final : public Proposer {
 public:
  // Tries the space's seeds, then each change of a setting alone in the best of all that; those that help are united later.
  std::vector<Candidate> opening(const SearchProblem& problem, const Candidate& best,
                                 std::uint32_t generation) const override {
    std::vector<Candidate> first;
    if (generation == 0)
      for (const SearchSeed& seed : problem.space().seeds) first.push_back(problem.seeded(best, seed));
    if (generation == 1) {
      first = other_settings(problem, best);
      std::ranges::reverse(first);  // a space names the cut last, which matters most
    }
    return first;
  }

  std::vector<std::string_view> ways() const override {
    std::vector<std::string_view> names;
    for (const EvolutionWay& way : kWays) names.push_back(way.name);
    return names;
  }

  bool distinct() const override { return true; }
  std::size_t parents() const override { return kParents; }

  Proposal propose(const SearchProblem& problem, const Parents& parents,
                   ProposalStreams& streams) const override {
    Rng& rng = streams.moves;
    const std::size_t way = draw_way(rng);
    if (way == kDrawn) return {random_candidate(problem, streams.draws), way, Lineage::kDrawn};
    if (way == kChanged) {
      const ParentCandidate& leader = draw_leader(parents.leaders, rng);
      Proposal proposal{leader.candidate, way, leader.lineage, leader.position};
      change(problem, parents, proposal.candidate, rng);
      return proposal;
    }
    const ParentCandidate &a = parent(parents.best, rng), &b = parent(parents.best, rng);
    return {way == kUnited ? unite(a.candidate, b.candidate, rng) : cross(a.candidate, b.candidate, rng), way,
            a.lineage};
  }
};

A3SIM_REGISTER(
    Proposer, "evolve",
    "changes the best of each lineage in a choice or a few, crosses and unites the best, and draws",
    Evolution);

}  // namespace
}  // namespace a3sim
