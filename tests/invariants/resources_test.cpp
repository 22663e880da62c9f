#include "sim/runtime/topology.h"
#include "tests/invariants/for_all.h"
#include "tests/invariants/observed_run.h"

using namespace a3sim;

namespace {

// Sums of doubles, and dates that are rounded by a fraction of a picosecond.
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

}  // namespace

TEST_CASE("no rank's HBM, L2 or workers are busy for longer than the run takes") {
  for_all(Backends::kAll, [](const RandomConfig& config) {
    const ObservedRun run = observe(config);
    const Hardware::MemorySystem& memory = run.experiment.hardware.memory;
    for (const ObservedPass& pass : run.passes) {
      const Duration makespan = pass.result.run.makespan;
      for (std::size_t r = 0; r < pass.result.schedule.size(); ++r) {
        const RankResult& rank = pass.result.run.ranks[r];
        const double hbm =
            memory.as_reads(static_cast<double>(rank.l2.hbm_read), static_cast<double>(rank.l2.hbm_write));
        RC_ASSERT(hbm <= capacity(memory.hbm_read, makespan));
        RC_ASSERT(rank.l2_read <= capacity(memory.l2_read, makespan));
        RC_ASSERT(rank.l2_write <= capacity(memory.l2_write, makespan));
        for (const QueueType queue : {QueueType::kCtq, QueueType::kVtq}) {
          const Duration busy = rank.busy[static_cast<std::size_t>(queue)];
          RC_ASSERT(busy <= makespan * pass.result.schedule[r].workers(queue));
        }
      }
    }
  });
}

TEST_CASE("no port moves more bytes than it can in the time that the run takes") {
  for_all(Backends::kAll, [](const RandomConfig& config) {
    const ObservedRun run = observe(config);
    for (const ObservedPass& pass : run.passes) {
      const RunOptions options = options_of(run.experiment, false);
      const Topology topology(run.experiment.hardware, dies_of(pass.result.schedule, options),
                              options.transport);
      const Ports ports = moved(topology, pass.result);
      for (std::size_t p = 0; p < ports.egress.size(); ++p) {
        RC_ASSERT(ports.egress[p] <= capacity(topology.ports().egress[p], pass.result.run.makespan));
        RC_ASSERT(ports.ingress[p] <= capacity(topology.ports().ingress[p], pass.result.run.makespan));
      }
    }
  });
}

TEST_CASE("a worker runs one task at a time") {
  for_all(Backends::kAll, [](const RandomConfig& config) {
    for (const ObservedPass& pass : observe(config).passes) {
      for (const RankResult& rank : pass.result.run.ranks) {
        std::vector<std::pair<Time, Time>> lives[64];
        for (const TaskRecord& record : rank.records)
          lives[record.worker].push_back({record.taken, record.end});
        for (auto& of_worker : lives) {
          std::sort(of_worker.begin(), of_worker.end());
          for (std::size_t i = 1; i < of_worker.size(); ++i)
            RC_ASSERT(of_worker[i].first >= of_worker[i - 1].second);
        }
      }
    }
  });
}
