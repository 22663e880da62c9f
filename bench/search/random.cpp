#include "sim/search/moves.h"
#include "sim/search/proposer.h"

namespace a3sim {
namespace {

class RandomDraws final : public Proposer {
 public:
  std::vector<std::string_view> ways() const override { return {"drawn"}; }
  std::size_t parents() const override { return 0; }

  Proposal propose(const SearchProblem& problem, const Parents&, ProposalStreams& streams) const override {
    return {random_candidate(problem, streams.draws), 0, Lineage::kDrawn};
  }
};

A3SIM_REGISTER(Proposer, "random", "draws every choice, whatever was found before", RandomDraws);

}  // namespace
}  // namespace a3sim
