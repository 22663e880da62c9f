#include "sim/diagnosis/jobs/full_records.h"

#include <algorithm>

#include "sim/diagnosis/observe/observed_machine.h"

namespace a3sim {

ObservedMachine machine_seen(const Experiment& experiment) {
  // Kernels on streams may hold all of a device's workers.
  const bool streams = experiment.work->why_no_programs().empty();
  const WorkerKinds& kinds = streams ? experiment.hardware.workers : experiment.workers;
  return observed_machine(experiment.hardware, &experiment.program,
                          {kinds.count(CoreUnit::kMatrix), kinds.count(CoreUnit::kVector)},
                          !streams && experiment.run.transport == Transport::kCollective);
}

FullStep full_records(const JobStep& step, std::span<const std::uint32_t> ranks,
                      const std::vector<std::string>& names) {
  FullStep full;
  full.step = step.number;
  full.ranks.assign(ranks.begin(), ranks.end());
  for (std::size_t p = 0; p < step.passes.size(); ++p)
    add_full_records(*step.passes[p].ran.work,
                     {step.number, static_cast<std::uint16_t>(p), step.passes[p].run.since}, ranks, names,
                     full);
  for (const HostRecord& host : step.host)
    if (std::ranges::find(ranks, host.rank) != ranks.end()) full.host.push_back(host);
  return full;
}

}  // namespace a3sim
