#include "sim/diagnosis/prove/prove.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/diagnosis/jobs/job.h"
#include "sim/diagnosis/locate/rank_step.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kSteps = 6;       // steps of a rerun after the first
constexpr std::uint32_t kMostEvery = 24;  // steps between host events that are simulated
constexpr double kMs = 1e-9;              // of a ps

// The length and the frequency of host events of a kind, on the ranks of a finding.
struct EventsSeen {
  double length_ms = 0;     // mean
  std::uint32_t every = 1;  // steps
};

std::optional<EventsSeen> events_seen(const Observation& observation, const Finding& finding, HostKind kind) {
  double count = 0, length = 0, steps = 0;
  const auto of_finding = [&](std::uint32_t rank) { return std::ranges::binary_search(finding.ranks, rank); };
  for (const std::uint32_t number : observation.full_steps()) {
    if (number < finding.first || number > finding.last) continue;
    const FullStep step = observation.full(number);
    steps += static_cast<double>(std::ranges::count_if(step.ranks, of_finding));
    for (const HostRecord& event : step.host) {
      if (event.kind != kind || !of_finding(event.rank)) continue;
      length += picoseconds(event.length()) * kMs;
      count += event.count;
    }
  }
  if (count <= 0) return std::nullopt;
  const double every = std::clamp(std::round(steps / count), 1.0, double{kMostEvery});
  return EventsSeen{length / count, static_cast<std::uint32_t>(every)};
}

// Expresses findings as faults of the estimated strength.
class FoundFaults {
 public:
  explicit FoundFaults(const Observation& observation) : observation_(observation) {}

  // Returns nullopt if the simulation has no such fault. `workers` is the number of workers of a data loader.
  std::optional<std::string> fault_of(const Finding& finding, std::uint32_t workers = 1) const {
    const std::string ranks = fmt::format("ranks: [{}]", fmt::join(finding.ranks, ", "));
    if (finding.cause == "io.read" || finding.cause == "io.process" || finding.cause == "io.fetch")
      return loading_of(finding, ranks, workers);
    if (const std::optional<std::string> event = event_of(finding, ranks)) return event;
    if (finding.factor <= 0) return std::nullopt;
    if (finding.cause == "compute.clock")
      return fmt::format("{{kind: clock, {}, factor: {}}}", ranks, finding.factor);
    if (finding.cause == "compute.hbm")
      return fmt::format("{{kind: hbm, {}, factor: {}}}", ranks, std::min(1.0, finding.factor));
    if (finding.cause == "compute.underused" && finding.operators.size() == 1)
      return fmt::format("{{kind: operator, name: {}, {}, factor: {}}}", finding.operators.front(), ranks,
                         finding.factor);
    if (finding.cause == "comm.cable") {
      const std::string& first = finding.cables.front();
      constexpr std::string_view kSwitch = "switch ";
      return first.starts_with(kSwitch)
                 ? fmt::format("{{kind: cable, switch: {}, factor: {}}}", first.substr(kSwitch.size()),
                               finding.factor)
                 : fmt::format("{{kind: cable, cable: '{}', factor: {}}}", first, finding.factor);
    }
    if (finding.cause == "comm.link" && !finding.links.empty())
      return fmt::format("{{kind: path, from: {}, to: {}, factor: {}}}", finding.links.front().first,
                         finding.links.front().second, finding.factor);
    if (finding.cause == "comm.link" && !finding.side.empty())
      return fmt::format("{{kind: port, {}, side: {}, factor: {}}}", ranks, finding.side, finding.factor);
    return std::nullopt;
  }

 private:
  std::optional<std::string> event_of(const Finding& finding, const std::string& ranks) const {
    struct Kind {
      std::string_view cause, fault;
      HostKind event;
    };
    constexpr Kind kKinds[] = {{"host.compile", "compile", HostKind::kCompile},
                               {"host.environment", "log", HostKind::kLog},
                               {"host.gc", "pause", HostKind::kCollect},
                               {"host.memory", "allocate", HostKind::kAllocate}};
    for (const auto& [cause, fault, event] : kKinds) {
      if (finding.cause != cause) continue;
      const std::optional<EventsSeen> seen = events_seen(observation_, finding, event);
      if (!seen) return std::nullopt;
      return fmt::format("{{kind: {}, {}, every: {}, length: {} ms}}", fault, ranks, seen->every,
                         seen->length_ms);
    }
    return std::nullopt;
  }

  std::optional<std::string> loading_of(const Finding& finding, const std::string& ranks,
                                        std::uint32_t workers) const {
    std::string stages;
    for (const auto& [name, kind] :
         {std::pair("read", HostKind::kRead), {"process", HostKind::kProcess}, {"fetch", HostKind::kFetch}}) {
      const std::optional<EventsSeen> seen = events_seen(observation_, finding, kind);
      if (!seen) return std::nullopt;
      stages += fmt::format("{}: {} ms, ", name, seen->length_ms);
    }
    return fmt::format("{{kind: load, {}, {}workers: {}}}", ranks, stages, workers);
  }

  const Observation& observation_;
};

bool share_steps(const Finding& a, const Finding& b) { return a.first <= b.last && b.first <= a.last; }

// Runs a job again, with faults and changes of its configuration.
class Reruns {
 public:
  Reruns(std::filesystem::path config, std::uint32_t ranks, unsigned threads)
      : config_(std::move(config)), ranks_(ranks), threads_(threads) {}

  // Returns the mean time of the steps after the first, in ps.
  double took(const std::vector<std::string>& faults, std::vector<std::string> sets = {}) const {
    sets.push_back(fmt::format("faults=[{}]", fmt::join(faults, ", ")));
    const JobSpec spec = load_job(config_, sets, {});
    Job job(spec, threads_);
    RankSteps steps(ranks_);
    double sum = 0;
    job.run(kSteps + 1, false, [&](JobStep&& step) {
      steps.add(step.light);
      if (step.number > 0) sum += steps.took();
    });
    return sum / kSteps;
  }

 private:
  std::filesystem::path config_;
  std::uint32_t ranks_;
  unsigned threads_;
};

// The faults that were found in a finding's steps: those of the finding itself, and the others.
struct FoundBeside {
  std::optional<std::string> own;
  std::vector<std::string> others;
  bool complete = true;  // all of them can be simulated

  std::vector<std::string> all() const {
    std::vector<std::string> all = others;
    if (own) all.push_back(*own);
    return all;
  }
};

FoundBeside found_beside(const Finding& finding, const Advice& advice, const FoundFaults& faults) {
  FoundBeside found;
  for (const Finding& other : advice.findings) {
    if (other.steady || !share_steps(other, finding)) continue;
    const std::optional<std::string> fault = faults.fault_of(other);
    if (&other == &finding)
      found.own = fault;
    else if (fault)
      found.others.push_back(*fault);
    else
      found.complete = false;
  }
  return found;
}

// Returns the time of a step with the remedy's change, or nullopt if there is no such change.
std::optional<double> changed(const Remedy& remedy, const Finding& finding, const FoundBeside& found,
                              const FoundFaults& faults, const Reruns& reruns) {
  using Change = RemedyPlan::Change;
  std::vector<std::string> with = found.others;
  if (remedy.change == Change::kRemoved && !finding.steady) return reruns.took(with);
  if (remedy.change == Change::kBalanced) return reruns.took(found.all(), {"routing={kind: balanced}"});
  if (remedy.change != Change::kWorkers || finding.steady) return std::nullopt;
  const std::optional<std::string> more = faults.fault_of(finding, 2);
  if (!more) return std::nullopt;
  with.push_back(*more);
  return reruns.took(with);
}

// Returns the mean time of a finding's steps, in ps.
double observed_of(const Finding& finding, const std::vector<double>& took) {
  double sum = 0;
  for (std::uint32_t s = finding.first; s <= finding.last && s < took.size(); ++s) sum += took[s];
  return sum / (finding.last - finding.first + 1);
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
  // The factor by which noise lengthens a step without faults, from the steps that were not slow. Reruns have
  // no noise.
  RankSteps one(observation.ranks());
  one.add(observation.reference());
  const double noise = one.took() > 0 ? advice.usual_ms / (one.took() * kMs) : 1;
  const FoundFaults faults(observation);
  const Reruns reruns(directory / "resolved.yaml", observation.ranks(), threads);
  for (Finding& finding : advice.findings) {
    const FoundBeside found = found_beside(finding, advice, faults);
    for (Remedy& remedy : finding.remedies) {
      remedy.proof = Remedy::Proof::kNotProvable;
      if (!found.complete) continue;
      const std::optional<double> then = changed(remedy, finding, found, faults, reruns);
      if (!then) continue;
      // If only the fault itself has to go, the observed time is better than an estimate.
      const double before = remedy.change == RemedyPlan::Change::kRemoved ? observed_of(finding, took)
                                                                          : noise * reruns.took(found.all());
      remedy.gain_ms = std::max(0.0, (before - noise * *then) * kMs);
      remedy.proof = Remedy::Proof::kSimulated;
    }
  }
}

}  // namespace a3sim
