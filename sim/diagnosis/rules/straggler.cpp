#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sim/core/statistics.h"
#include "sim/diagnosis/rules/profile_means.h"
#include "sim/diagnosis/rules/rule.h"

namespace a3sim {
namespace {

// Ranks that do the same: those of one stage of all pipelines, or all.
std::vector<std::vector<std::uint32_t>> ranks_alike(const ProfileMeans& means) {
  std::map<std::size_t, std::vector<std::uint32_t>> stages;
  std::set<std::uint32_t> of_pipelines;
  for (const std::vector<std::uint32_t>& pipeline : means.pipelines)
    for (std::size_t s = 0; s < pipeline.size(); ++s) {
      // A rank may be in no step that counts.
      if (means.ranks.contains(pipeline[s])) stages[s].push_back(pipeline[s]);
      of_pipelines.insert(pipeline[s]);
    }
  std::vector<std::vector<std::uint32_t>> alike;
  for (auto& [stage, ranks] : stages) alike.push_back(std::move(ranks));
  if (of_pipelines.empty()) {
    alike.emplace_back();
    for (const auto& [rank, mean] : means.ranks) alike.back().push_back(rank);
  }
  return alike;
}

// A type of kernels on one rank: means of a step.
struct TypeTime {
  double time = 0, count = 0;
};
using TypeTimes = std::map<std::string, TypeTime>;

std::map<std::uint32_t, TypeTimes> types_of(const ProfiledTime& time) {
  std::map<std::uint32_t, TypeTimes> ranks;
  for (const KernelTime& kernel : time.kernels) {
    TypeTime& of_type = ranks[kernel.rank][kernel.type];
    of_type.time += picoseconds(kernel.time) / steps_of(time, kernel.rank);
    of_type.count += kernel.count / steps_of(time, kernel.rank);
  }
  return ranks;
}

double kernels_of(const TypeTimes& types) {
  double sum = 0;
  for (const auto& [name, type] : types) sum += type.count;
  return sum;
}

// Returns the type that takes most longer than on the other rank.
std::string longer_type(const TypeTimes& slow, const TypeTimes& other) {
  std::string longest;
  double most = 0;
  for (const auto& [name, type] : slow) {
    const auto beside = other.find(name);
    const double more = type.time - (beside == other.end() ? 0 : beside->second.time);
    if (more <= most) continue;
    most = more;
    longest = name;
  }
  return longest;
}

// A rank whose kernels take longer than those of ranks that do the same, while these wait for it.
class StragglerRule final : public CauseRule {
 public:
  // Compares a rank in slow steps with itself in the others.
  std::vector<Finding> diagnose_slowdown(const Slowdown& slowdown, const RuleData& data) const override {
    const ProfiledTime* time = slowdown.observation.profiled_time();
    if (!time) return {};
    std::set<std::uint64_t> slow;
    for (const std::uint32_t step : slowdown.episode.steps) slow.insert(slowdown.observation.number_of(step));
    std::map<std::uint32_t, std::pair<std::vector<double>, std::vector<double>>> ranks;  // slow, usual
    for (const StepTime& step : time->steps)
      (slow.contains(step.step) ? ranks[step.rank].first : ranks[step.rank].second)
          .push_back(picoseconds(step.computing));
    std::map<std::uint32_t, double> longer;
    std::vector<double> all;
    for (const auto& [rank, steps] : ranks)
      if (!steps.first.empty() && !steps.second.empty())
        all.push_back(longer[rank] = median(steps.first) - median(steps.second));
    if (longer.size() < 2) return {};
    // What all ranks take longer is no rank's.
    const double common = std::max(0.0, median(all));
    const auto most = std::ranges::max_element(longer, {}, [](const auto& entry) { return entry.second; });
    const double excess = most->second - common;
    if (excess < data.at("standing") * slowdown.usual()) return {};
    Finding finding;
    for (const auto& [rank, more] : longer)
      if (more - common > data.at("among") * excess) finding.ranks.push_back(rank);
    if (2 * finding.ranks.size() > longer.size()) return {};
    finding.explains = std::min(1.0, excess / slowdown.own_lag());
    finding.add({fmt::format("rank {} computes {{}} longer than usual", most->first), "ms per step",
                 most->second / kPicosecondsOfMs, data.at("standing") * slowdown.usual() / kPicosecondsOfMs,
                 slowdown.place(most->first)});
    return {finding};
  }

  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    const ProfiledTime* time = job.observation.profiled_time();
    if (!time) return {};
    const ProfileMeans means = profile_means(job);
    std::vector<Finding> findings;
    for (const std::vector<std::uint32_t>& alike : ranks_alike(means))
      if (alike.size() > 1) add_slow(job, *time, means, alike, data, findings);
    return findings;
  }

 private:
  // What others wait for the slow ranks bounds what is lost by them.
  static void add_slow(const SteadyState& job, const ProfiledTime& time, const ProfileMeans& means,
                       const std::vector<std::uint32_t>& alike, const RuleData& data,
                       std::vector<Finding>& findings) {
    std::vector<double> computing;
    std::uint32_t slowest = alike.front();
    for (const std::uint32_t rank : alike) {
      computing.push_back(means.ranks.at(rank).computing);
      if (computing.back() > means.ranks.at(slowest).computing) slowest = rank;
    }
    const double usual = quantile(computing, 0.5), excess = means.ranks.at(slowest).computing - usual;
    const double limit = data.at("standing") * job.took;
    if (excess <= limit) return;
    Finding finding;
    std::vector<double> waits, beside;
    std::uint32_t other = kNone;  // a usual rank
    for (const std::uint32_t rank : alike) {
      const MeanTimes& mean = means.ranks.at(rank);
      if (mean.computing - usual > data.at("among") * excess) {
        finding.ranks.push_back(rank);
        continue;
      }
      waits.push_back(mean.waiting + mean.still + mean.undecided);
      beside.push_back(mean.computing);
      if (other == kNone ||
          std::abs(mean.computing - usual) < std::abs(means.ranks.at(other).computing - usual))
        other = rank;
    }
    if (waits.empty() || finding.ranks.size() > waits.size()) return;
    const MeanTimes& slow = means.ranks.at(slowest);
    // The slow rank itself may stand still in exchanges, too.
    const double waited = median(waits) - std::min(median(waits), slow.waiting + slow.still + slow.undecided);
    const double lost = std::min(means.ranks.at(slowest).computing - median(beside), waited);
    if (lost <= limit) return;
    const std::map<std::uint32_t, TypeTimes> types = types_of(time);
    const auto its = types.find(slowest), others = types.find(other);
    const bool kernels = its != types.end() && others != types.end();
    if (kernels && std::abs(kernels_of(its->second) - kernels_of(others->second)) >
                       data.at("same_work") * kernels_of(others->second))
      return;  // it does other work
    finding.lost_ms = lost / kPicosecondsOfMs;
    finding.explains = 1;
    finding.add(
        {fmt::format("rank {} computes {{}} longer than rank {}, which does the same", slowest, other),
         "ms per step", (slow.computing - means.ranks.at(other).computing) / kPicosecondsOfMs,
         limit / kPicosecondsOfMs, job.place(slowest)});
    if (kernels)
      add_types(time, its->second, others->second, slowest, other, data, finding);
    else
      finding.doubt = data.at("unsaid");
    finding.add({"the others wait {} for it while nothing is computed", "ms per step",
                 waited / kPicosecondsOfMs, limit / kPicosecondsOfMs, job.place(other)});
    findings.push_back(std::move(finding));
  }

  // Adds the kernels that take most longer, and whether all types do.
  static void add_types(const ProfiledTime& time, const TypeTimes& its, const TypeTimes& others,
                        std::uint32_t slowest, std::uint32_t other, const RuleData& data, Finding& finding) {
    const double limit = data.at("longer"), least = data.at("type_among");
    double all = 0;
    for (const auto& [name, type] : its) all += type.time;
    std::size_t longer = 0, matter = 0;
    for (const auto& [name, type] : its) {
      const auto beside = others.find(name);
      if (beside == others.end() || type.time < least * all) continue;
      ++matter;
      longer += type.time / type.count > limit * beside->second.time / beside->second.count;
    }
    const std::string most = longer_type(its, others);
    const auto beside = others.find(most);
    if (most.empty() || beside == others.end()) return;
    std::size_t line = 0;
    for (const KernelTime& kernel : time.kernels)
      if (kernel.rank == slowest && kernel.type == most) line = kernel.line;
    const TypeTime& type = its.at(most);
    finding.add({fmt::format("as many kernels {} of rank {} take {{}} of their time on rank {}", most,
                             slowest, other),
                 "", type.time / type.count / (beside->second.time / beside->second.count), limit,
                 place_in_table(time, slowest, line)});
    if (longer < matter && 2 * longer <= matter) finding.operators.push_back(most);
    finding.add({fmt::format("of {} types of kernels {{}} longer there", matter),
                 longer == 1 ? "takes" : "take", static_cast<double>(longer), 0,
                 place_in_table(time, slowest, line)});
  }
};

A3SIM_REGISTER(CauseRule, "compute.straggler",
               "a rank computes longer than others that do the same, which wait for it", StragglerRule);

}  // namespace
}  // namespace a3sim
