#include "sim/study/search/moves.h"
#include "sim/study/search/proposer.h"

namespace a3sim {
namespace {

class HillClimbing final : public Proposer {
 public:
  std::size_t parents() const override { return 1; }

  Candidate propose(const SearchProblem& problem, const std::vector<Candidate>& best,
                    Rng& rng) const override {
    Candidate candidate = best.front();
    mutate(problem, candidate, rng);
    return candidate;
  }
};

A3SIM_REGISTER(Proposer, "climb", "changes the best until now in a choice or a few", HillClimbing);

}  // namespace
}  // namespace a3sim
