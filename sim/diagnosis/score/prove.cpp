#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "sim/diagnosis/jobs/job.h"
#include "sim/diagnosis/locate/rank_step.h"
#include "sim/diagnosis/score/score.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kSteps = 6;  // steps of a rerun after the first

// Returns what a finding names as a fault of the estimated strength, or nullopt if the simulation has no such
// fault.
std::optional<std::string> as_fault(const Finding& finding) {
  const auto ranks = [&] { return fmt::format("[{}]", fmt::join(finding.ranks, ", ")); };
  if (finding.factor <= 0) return std::nullopt;
  if (finding.cause == "compute.clock")
    return fmt::format("{{kind: clock, ranks: {}, factor: {}}}", ranks(), finding.factor);
  if (finding.cause == "compute.underused" && finding.operators.size() == 1)
    return fmt::format("{{kind: operator, name: {}, ranks: {}, factor: {}}}", finding.operators.front(),
                       ranks(), finding.factor);
  if (finding.cause == "comm.link" && !finding.links.empty())
    return fmt::format("{{kind: path, from: {}, to: {}, factor: {}}}", finding.links.front().first,
                       finding.links.front().second, finding.factor);
  if (finding.cause == "comm.link")
    return fmt::format("{{kind: port, ranks: {}, side: {}, factor: {}}}", ranks(), finding.side,
                       finding.factor);
  return std::nullopt;
}

bool meet(const Finding& a, const Finding& b) { return a.first <= b.last && b.first <= a.last; }

// Returns the mean time of the steps after the first, in ps.
double rerun(const std::filesystem::path& config, const std::string& faults, std::uint32_t ranks,
             unsigned threads) {
  const JobSpec spec = load_job(config, {"faults=[" + faults + "]"}, {});
  Job job(spec, threads);
  RankSteps steps(ranks);
  double sum = 0;
  job.run(kSteps + 1, false, [&](JobStep&& step) {
    steps.add(step.light);
    if (step.number > 0) sum += steps.took();
  });
  return sum / kSteps;
}

}  // namespace

void prove(const std::filesystem::path& directory, const Observation& observation, Advice& advice,
           unsigned threads) {
  std::vector<double> took;
  RankSteps steps(observation.ranks());
  observation.each_step([&](std::uint32_t, std::span<const LightRecord> records) {
    steps.add(records);
    took.push_back(steps.took());
  });
  // The effect of noise on a step without faults, from the steps that were not slow; reruns have no noise.
  RankSteps one(observation.ranks());
  one.add(observation.reference());
  constexpr double kMs = 1e-9;
  const double noise = one.took() > 0 ? advice.usual_ms / (one.took() * kMs) : 1;
  for (Finding& finding : advice.findings) {
    if (finding.steady) continue;  // no step without it is known
    std::string others;
    bool possible = true;
    for (const Finding& other : advice.findings) {
      if (&other == &finding || other.steady || !meet(other, finding)) continue;
      const std::optional<std::string> fault = as_fault(other);
      possible = possible && fault;
      if (fault) others += (others.empty() ? "" : ", ") + *fault;
    }
    if (!possible) continue;
    const double healed = noise * rerun(directory / "resolved.yaml", others, observation.ranks(), threads);
    double sum = 0;
    for (std::uint32_t s = finding.first; s <= finding.last; ++s) sum += took[s];
    const double observed = sum / (finding.last - finding.first + 1);
    for (Remedy& remedy : finding.remedies) {
      remedy.gain_ms = std::max(0.0, (observed - healed) * kMs);
      remedy.bound = false;
    }
  }
}

}  // namespace a3sim
