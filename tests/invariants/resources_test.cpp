#include <algorithm>

#include "sim/experiment/run/run_experiment.h"
#include "sim/runtime/run.h"
#include "sim/runtime/topology.h"
#include "tests/invariants/run_check.h"

using namespace a3sim;

namespace {

// Sums of doubles, and times that are rounded by a fraction of a picosecond.
constexpr double kRounding = 1e-9;

double capacity(BytesPerSecond rate, Duration time) {
  return static_cast<double>(rate.count) * seconds(time) * (1 + kRounding);
}

// Bytes that each port moved, theirs that carry no data included.
struct Ports {
  std::vector<double> egress, ingress;
};

Ports moved(const Topology& topology, const PassResult& pass) {
  Ports ports{std::vector<double>(topology.ports().egress.size(), 0),
              std::vector<double>(topology.ports().ingress.size(), 0)};
  for (std::uint32_t r = 0; r < pass.schedule.size(); ++r) {
    const Ssc& ssc = pass.schedule[r];
    for (std::size_t t = 0; t < ssc.tasks().size(); ++t) {
      const TaskRecord& record = pass.run.ranks[r].records[t];
      if (record.put_bytes == 0) continue;
      const Topology::Route route = topology.route(RankId{r}, RankId{written_rank(ssc, ssc.tasks()[t])});
      ports.egress[route.from] += static_cast<double>(record.put_bytes) / route.payload;
      ports.ingress[route.to] += static_cast<double>(record.put_bytes) / route.payload;
    }
  }
  return ports;
}

void check_memory(const CountedRun& run, const PassResult& pass) {
  const Hardware::MemorySystem& memory = run.experiment.hardware.memory;
  for (const RankResult& rank : pass.run.ranks) {
    const double hbm =
        memory.as_reads(static_cast<double>(rank.l2.hbm_read), static_cast<double>(rank.l2.hbm_write));
    RC_ASSERT(hbm <= capacity(memory.hbm_read, pass.run.makespan));
    RC_ASSERT(rank.l2_read <= capacity(memory.l2_read, pass.run.makespan));
    RC_ASSERT(rank.l2_write <= capacity(memory.l2_write, pass.run.makespan));
  }
}

void check_ports(const CountedRun& run, const PassResult& pass) {
  const RunOptions options = options_of(run.experiment, false);
  const Topology topology(run.experiment.hardware, run.experiment.program, dies_of(pass.schedule, options),
                          options.transport);
  const Ports ports = moved(topology, pass);
  for (std::size_t p = 0; p < ports.egress.size(); ++p) {
    RC_ASSERT(ports.egress[p] <= capacity(topology.ports().egress[p], pass.run.makespan));
    RC_ASSERT(ports.ingress[p] <= capacity(topology.ports().ingress[p], pass.run.makespan));
  }
}

// One task at a time, and no longer in all than the run takes.
void check_workers(const Ssc& ssc, const RankResult& rank, Duration makespan) {
  std::vector<std::vector<std::pair<Time, Time>>> lives(ssc.kinds().workers());
  for (const TaskRecord& record : rank.records) lives.at(record.worker).push_back({record.taken, record.end});
  for (auto& of_worker : lives) {
    std::sort(of_worker.begin(), of_worker.end());
    for (std::size_t i = 1; i < of_worker.size(); ++i)
      RC_ASSERT(of_worker[i].first >= of_worker[i - 1].second);
  }
  for (std::uint32_t q = 0; q < ssc.queues(); ++q) RC_ASSERT(rank.busy[q] <= makespan * ssc.workers(q));
}

void stays_within_capacity(const CountedRun& run) {
  for (const CountedPass& pass : run.passes) {
    check_memory(run, pass.result);
    check_ports(run, pass.result);
    for (std::size_t r = 0; r < pass.result.schedule.size(); ++r)
      check_workers(pass.result.schedule[r], pass.result.run.ranks[r], pass.result.run.makespan);
  }
}
const RunCheck kResources("no HBM, L2, port or worker does more than it can in the time that the run takes",
                          stays_within_capacity);

}  // namespace
