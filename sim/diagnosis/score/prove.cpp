#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "sim/diagnosis/jobs/job.h"
#include "sim/diagnosis/locate/rank_step.h"
#include "sim/diagnosis/score/score.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kSteps = 6;  // of a rerun, behind the first

// What a finding names, as strong as it estimates it; nothing where the simulation has no such thing.
std::optional<std::string> as_fault(const Finding& of) {
  const auto ranks = [&] { return fmt::format("[{}]", fmt::join(of.ranks, ", ")); };
  if (of.factor <= 0) return std::nullopt;
  if (of.cause == "compute.clock")
    return fmt::format("{{kind: clock, ranks: {}, factor: {}}}", ranks(), of.factor);
  if (of.cause == "compute.underused" && of.operators.size() == 1)
    return fmt::format("{{kind: operator, name: {}, ranks: {}, factor: {}}}", of.operators.front(), ranks(),
                       of.factor);
  if (of.cause == "comm.link" && !of.links.empty())
    return fmt::format("{{kind: path, from: {}, to: {}, factor: {}}}", of.links.front().first,
                       of.links.front().second, of.factor);
  if (of.cause == "comm.link")
    return fmt::format("{{kind: port, ranks: {}, side: {}, factor: {}}}", ranks(), of.side, of.factor);
  return std::nullopt;
}

bool meet(const Finding& a, const Finding& b) { return a.first <= b.last && b.first <= a.last; }

// Mean of a step behind the first, in ps.
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

void prove(const std::filesystem::path& directory, const Observation& of, Advice& advice, unsigned threads) {
  std::vector<double> took;
  RankSteps steps(of.ranks());
  of.each_step([&](std::uint32_t, std::span<const LightRecord> records) {
    steps.add(records);
    took.push_back(steps.took());
  });
  // What noise makes of a faultless step, by the steps that were not slow; reruns are without it.
  RankSteps one(of.ranks());
  one.add(of.reference());
  constexpr double kMs = 1e-9;
  const double noise = one.took() > 0 ? advice.usual_ms / (one.took() * kMs) : 1;
  for (Finding& finding : advice.findings) {
    if (finding.standing) continue;  // no step without it is known
    std::string others;
    bool possible = true;
    for (const Finding& other : advice.findings) {
      if (&other == &finding || other.standing || !meet(other, finding)) continue;
      const std::optional<std::string> fault = as_fault(other);
      possible = possible && fault;
      if (fault) others += (others.empty() ? "" : ", ") + *fault;
    }
    if (!possible) continue;
    const double healed = noise * rerun(directory / "resolved.yaml", others, of.ranks(), threads);
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
