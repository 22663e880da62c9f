#include "sim/study/search/moves.h"
#include "sim/study/search/proposer.h"

namespace a3sim {
namespace {

class RandomDraws final : public Proposer {
 public:
  std::size_t parents() const override { return 0; }

  Candidate propose(const SearchProblem& problem, const std::vector<Candidate>&, Rng& rng) const override {
    return random_candidate(problem, rng);
  }
};

A3SIM_REGISTER(Proposer, "random", "draws every choice, whatever was found before", RandomDraws);

}  // namespace
}  // namespace a3sim
