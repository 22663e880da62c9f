#include "traces/analysis/explanation.h"

namespace a3sim {
namespace {

// By Blame.
constexpr std::string_view kDescribed[kBlames] = {"cube arithmetic",
                                                  "vector arithmetic",
                                                  "cores' own loads and stores",
                                                  "puts at the rate of one worker",
                                                  "the bandwidth of L2 reads",
                                                  "the bandwidth of L2 writes",
                                                  "the HBM's bandwidth",
                                                  "L2 misses",
                                                  "puts that share a port",
                                                  "latencies between ranks",
                                                  "waiting for triggers to be seen",
                                                  "handing out tasks",
                                                  "launching kernels",
                                                  "the host's preparation of collectives"};

}  // namespace

std::string_view described(Blame blame) { return kDescribed[static_cast<std::size_t>(blame)]; }

Explanation explain(const Trace& trace) {
  const Causes causes(trace);
  return {worker_times(causes), critical_path(causes), overlaps(trace), rooflines(trace)};
}

}  // namespace a3sim
