#include <algorithm>

#include "sim/study/search/moves.h"
#include "sim/study/search/proposer.h"

namespace a3sim {
namespace {

// Parents are drawn from this many of the best, the better ones more often.
constexpr std::size_t kParents = 8;

const Candidate& parent(const std::vector<Candidate>& best, Rng& rng) {
  const auto parents = static_cast<std::uint32_t>(std::min(kParents, best.size()));
  return best[std::min(rng.below(parents), rng.below(parents))];
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

  std::size_t parents() const override { return kParents; }

  Candidate propose(const SearchProblem& problem, const std::vector<Candidate>& best,
                    Rng& rng) const override {
    constexpr double kRandom = 0.15, kClimb = 0.35, kUnited = 0.5, kAlone = 0.35;
    const double draw = rng.uniform();
    if (draw < kRandom) return random_candidate(problem, rng);
    Candidate child = best.front();
    if (draw >= kRandom + kClimb) {
      const Candidate &a = parent(best, rng), &b = parent(best, rng);
      child = rng.uniform() < kUnited ? unite(a, b, rng) : cross(a, b, rng);
      if (rng.uniform() < kAlone) return child;
    }
    mutate(problem, child, rng);
    return child;
  }
};

A3SIM_REGISTER(Proposer, "evolve",
               "tries each setting, then unites and crosses the best, and changes them in a choice or a few",
               Evolution);

}  // namespace
}  // namespace a3sim
