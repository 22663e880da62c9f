#include "sim/diagnosis/prove/prove.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

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
  // A mean of lengths is no whole number of picoseconds, as a fault's time must be.
  static std::string whole_picoseconds(double ms) { return fmt::format("{:.9f} ms", ms); }

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
      return fmt::format("{{kind: {}, {}, every: {}, length: {}}}", fault, ranks, seen->every,
                         whole_picoseconds(seen->length_ms));
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
      stages += fmt::format("{}: {}, ", name, whole_picoseconds(seen->length_ms));
    }
    return fmt::format("{{kind: load, {}, {}workers: {}}}", ranks, stages, workers);
  }

  const Observation& observation_;
};

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

// The faults that were found in some steps: that of a finding, and the others.
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

bool is_alone(const FindingPart& part, const Finding& finding, const Advice& advice) {
  return std::ranges::none_of(advice.findings, [&](const Finding& other) {
    return &other != &finding && !other.steady && other.first <= part.last && part.first <= other.last;
  });
}

// Returns a finding as strong as it is in a step. Beside other findings its strength is seen less well: if it is alone in other
// steps, it is taken from there, unless it grows.
Finding at_step(const Finding& finding, std::uint32_t step, const Advice& advice) {
  Finding then = finding;
  const auto is_at = [&](const FindingPart& part) { return part.first <= step && step <= part.last; };
  const auto here = std::ranges::find_if(finding.parts, is_at);
  if (here != finding.parts.end() && here->factor > 0) then.factor = here->factor;
  if (finding.grows() || (here != finding.parts.end() && is_alone(*here, finding, advice))) return then;
  std::uint32_t longest = 0;
  for (const FindingPart& part : finding.parts) {
    const std::uint32_t length = part.last - part.first + 1;
    if (part.factor <= 0 || length <= longest || !is_alone(part, finding, advice)) continue;
    longest = length;
    then.factor = part.factor;
  }
  return then;
}

FoundBeside found_beside(const Finding& finding, std::uint32_t step, const Advice& advice,
                         const FoundFaults& faults) {
  FoundBeside found;
  for (const Finding& other : advice.findings) {
    const bool own = &other == &finding;
    if (!own && (other.steady || step < other.first || step > other.last)) continue;
    const std::optional<std::string> fault = faults.fault_of(at_step(other, step, advice));
    if (own)
      found.own = fault;
    else if (fault)
      found.others.push_back(*fault);
    else
      found.complete = false;
  }
  return found;
}

// Returns the steps from `first` to `last` at which a part of a finding begins, and the one behind the last.
std::vector<std::uint32_t> edges_of(const Advice& advice, std::uint32_t first, std::uint32_t last) {
  std::set<std::uint32_t> edges{first, last + 1};
  const auto add = [&](std::uint32_t step) {
    if (step > first && step <= last) edges.insert(step);
  };
  for (const Finding& finding : advice.findings) {
    if (finding.steady) continue;
    add(finding.first);
    add(finding.last + 1);
    for (const FindingPart& part : finding.parts) {
      add(part.first);
      add(part.last + 1);
    }
  }
  return {edges.begin(), edges.end()};
}

// Simulates what remedies gain. Other findings begin and end within the steps of one: each stretch of steps with the same ones
// is simulated by itself.
class Gains {
 public:
  Gains(const Observation& observation, const Advice& advice, const Reruns& reruns, double noise)
      : advice_(advice), faults_(observation), reruns_(reruns), noise_(noise) {
    RankSteps steps(observation.ranks());
    observation.each_step([&](std::uint32_t, std::span<const LightRecord> records) {
      steps.add(records);
      took_.push_back(steps.took());
    });
  }

  // Returns what a change gains in ps per step, a mean over these steps, or nullopt if it cannot be simulated.
  std::optional<double> of(const Finding& finding, RemedyPlan::Change change, std::uint32_t first,
                           std::uint32_t last) {
    const std::vector<std::uint32_t> edges = edges_of(advice_, first, last);
    double sum = 0;
    for (std::size_t e = 0; e + 1 < edges.size(); ++e) {
      const FoundBeside found = found_beside(finding, edges[e], advice_, faults_);
      if (!found.complete) return std::nullopt;
      const std::optional<double> then = changed(finding, change, found);
      if (!then) return std::nullopt;
      // If only the fault itself has to go, the observed time is better than an estimate.
      const double before = change == RemedyPlan::Change::kRemoved ? observed(edges[e], edges[e + 1])
                                                                   : noise_ * took(found.all());
      sum += (before - noise_ * *then) * (edges[e + 1] - edges[e]);
    }
    return std::max(0.0, sum / (last - first + 1));
  }

 private:
  double took(const std::vector<std::string>& faults, const std::vector<std::string>& sets = {}) {
    const auto [known, is_new] = reruns_done_.try_emplace({faults, sets}, 0);
    if (is_new) known->second = reruns_.took(faults, sets);
    return known->second;
  }

  // Returns the time of a step with the change, or nullopt if there is no such change.
  std::optional<double> changed(const Finding& finding, RemedyPlan::Change change, const FoundBeside& found) {
    using Change = RemedyPlan::Change;
    if (change == Change::kRemoved && !finding.steady) return took(found.others);
    if (change == Change::kBalanced) return took(found.all(), {"routing={kind: balanced}"});
    if (change != Change::kWorkers || finding.steady) return std::nullopt;
    const std::optional<std::string> more = faults_.fault_of(finding, 2);
    if (!more) return std::nullopt;
    std::vector<std::string> with = found.others;
    with.push_back(*more);
    return took(with);
  }

  // Returns the mean time of the steps before `behind`, in ps.
  double observed(std::uint32_t first, std::uint32_t behind) const {
    double sum = 0;
    for (std::uint32_t s = first; s < behind && s < took_.size(); ++s) sum += took_[s];
    return sum / (behind - first);
  }

  const Advice& advice_;
  FoundFaults faults_;
  const Reruns& reruns_;
  double noise_;
  std::vector<double> took_;  // ps, of each step
  std::map<std::pair<std::vector<std::string>, std::vector<std::string>>, double> reruns_done_;
};

}  // namespace

void prove(const std::filesystem::path& directory, const Observation& observation, Advice& advice,
           unsigned threads) {
  // The factor by which noise lengthens a step without faults, from the steps that were not slow. Reruns have
  // no noise.
  RankSteps one(observation.ranks());
  one.add(observation.reference());
  const double noise = one.took() > 0 ? advice.usual_ms / (one.took() * kMs) : 1;
  const Reruns reruns(directory / "resolved.yaml", observation.ranks(), threads);
  Gains gains(observation, advice, reruns, noise);
  for (Finding& finding : advice.findings) {
    for (Remedy& remedy : finding.remedies) {
      remedy.proof = Remedy::Proof::kNotProvable;
      const std::optional<double> gain = gains.of(finding, remedy.change, finding.first, finding.last);
      if (!gain) continue;
      remedy.gain_ms = *gain * kMs;
      remedy.proof = Remedy::Proof::kSimulated;
      if (finding.parts.size() < 2 || &remedy != &finding.remedies.front()) continue;
      for (FindingPart& part : finding.parts)
        if (const std::optional<double> of_part = gains.of(finding, remedy.change, part.first, part.last))
          part.gain_ms = *of_part * kMs;
    }
  }
}

}  // namespace a3sim
