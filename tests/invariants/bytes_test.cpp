#include "sim/experiment/run/run_experiment.h"
#include "tests/invariants/run_check.h"

using namespace a3sim;

namespace {

using Pairs = std::vector<std::vector<std::uint64_t>>;  // bytes by source and destination

// Every row goes to its expert's rank and comes back, in forward and in backward: as wide as the model each
// way.
Pairs routed_bytes(const CountedRun& run) {
  const MoeShape& shape = run.experiment.shape;
  const std::uint64_t row = std::uint64_t{shape.hidden} * element_bytes(shape.dtype);
  Pairs bytes(shape.ep, std::vector<std::uint64_t>(shape.ep, 0));
  for (std::uint32_t src = 0; src < shape.ep; ++src) {
    for (std::uint32_t e = 0; e < shape.experts(); ++e) {
      const std::uint32_t dst = e / shape.experts_per_rank;
      if (src == dst) continue;
      bytes[src][dst] += row * run.counts.at(src, e);
      bytes[dst][src] += row * run.counts.at(src, e);
    }
  }
  return bytes;
}

Pairs sent_bytes(const PassResult& pass) {
  const std::size_t ep = pass.schedule.size();
  Pairs bytes(ep, std::vector<std::uint64_t>(ep, 0));
  for (std::size_t r = 0; r < ep; ++r) {
    const Ssc& ssc = pass.schedule[r];
    for (std::size_t t = 0; t < ssc.tasks().size(); ++t) {
      if (pass.run.ranks[r].records[t].put_bytes == 0) continue;
      bytes[r][written_rank(ssc, ssc.tasks()[t])] += pass.run.ranks[r].records[t].put_bytes;
    }
  }
  return bytes;
}

void sends_what_is_routed(const CountedRun& run) {
  const Pairs expected = routed_bytes(run);
  for (const CountedPass& pass : run.passes) {
    RC_ASSERT(sent_bytes(pass.result) == expected);
    for (std::size_t r = 0; r < expected.size(); ++r) {
      std::uint64_t sent = 0, received = 0;
      for (std::size_t other = 0; other < expected.size(); ++other) {
        sent += expected[r][other];
        received += expected[other][r];
      }
      RC_ASSERT(pass.result.run.ranks[r].sent == sent);
      RC_ASSERT(pass.result.run.ranks[r].received == received);
    }
  }
}
const RunCheck kBytes("each pair of ranks sends what its routing says, and what is sent is received",
                      sends_what_is_routed);

}  // namespace
