#include "sim/search/moves.h"
#include "sim/search/proposer.h"

namespace a3sim {
namespace {

class HillClimbing final : public Proposer {
 public:
  std::vector<std::string_view> ways() const override { return {"changed"}; }
  std::size_t parents() const override { return 1; }

  Proposal propose(const SearchProblem& problem, const Parents& parents,
                   ProposalStreams& streams) const override {
    Proposal proposal{parents.best.front().candidate};
    mutate(problem, proposal.candidate, kAllParts, streams.moves);
    return proposal;
  }
};

A3SIM_REGISTER(Proposer, "climb", "changes the best until now in a choice or a few", HillClimbing);

}  // namespace
}  // namespace a3sim
