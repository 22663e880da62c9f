#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "sim/diagnosis/rules/profile_means.h"
#include "sim/diagnosis/rules/rule.h"

namespace a3sim {
namespace {

using Exchanges = std::vector<MeanExchange>;

double exposed_time(const Exchanges& exchanges) {
  double sum = 0;
  for (const MeanExchange& exchange : exchanges) sum += exchange.exposed;
  return sum;
}

// Exchanges beside which nothing is computed. The rank that is in them for the shortest time waits least, so its time is the
// most that can be lost; the others wait for it.
class CommExposedRule final : public CauseRule {
 public:
  std::vector<Finding> diagnose_slowdown(const Slowdown&, const RuleData&) const override { return {}; }

  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    const ProfiledTime* time = job.observation.profiled_time();
    if (!time) return {};
    const ProfileMeans means = profile_means(job);
    std::map<std::uint32_t, Exchanges> ranks;
    for (const auto& [rank, mean] : means.ranks) {
      Exchanges& own = ranks[rank];
      if (const auto found = means.exchanges.find(rank); found != means.exchanges.end()) own = found->second;
      // Stages of a pipeline that wait for each other are another finding.
      // So is a mere wait, in which no byte moves: whoever is late has the cause.
      std::erase_if(own, [&](const MeanExchange& exchange) {
        return means.is_between_stages(time->groups[exchange.one->group]) ||
               (exchange.split && exchange.transfer <= 0 && exchange.waited >= exchange.elapsed);
      });
    }
    if (ranks.empty()) return {};
    const auto by_time = [](const auto& rank) { return exposed_time(rank.second); };
    const auto [least, most] = std::ranges::minmax_element(ranks, {}, by_time);
    const bool told = !least->second.empty() && std::ranges::all_of(least->second, &MeanExchange::split);
    const double lost = by_time(*least), limit = data.at(told ? "exposed_told" : "exposed") * job.took;
    if (lost <= limit) return told_alone(job, means, limit);
    Finding finding;
    for (const auto& [rank, own] : ranks) finding.ranks.push_back(rank);
    std::ranges::stable_sort(least->second, std::ranges::greater(), &MeanExchange::exposed);
    const double felt = data.at("among") * lost;
    for (const MeanExchange& exchange : least->second)
      if (exchange.exposed >= felt) add_exchange(*time, exchange, limit, finding);
    add_last(*time, means, data.at("waited_for"), finding);
    if (by_time(*most) > lost)
      finding.add({fmt::format("rank {} is in them {{}} longer: it waits", most->first), "ms per step",
                   (by_time(*most) - lost) / kPicosecondsOfMs, 0, job.place(most->first)});
    finding.lost_ms = std::min(lost, job.took) / kPicosecondsOfMs;
    finding.explains = 1;
    if (!told)
      finding.missing.emplace_back("communication.json of all ranks of these groups: does it wait or send?");
    return {finding};
  }

 private:
  // Adds an exchange with the parts of its time, if these are known.
  static void add_exchange(const ProfiledTime& time, const MeanExchange& exchange, double limit,
                           Finding& finding) {
    const ExchangeTime& one = *exchange.one;
    const RecordPlace place = place_in_table(time, one.rank, one.line);
    const ProfiledGroup& group = time.groups[one.group];
    const std::string used =
        group.kind == GroupKind::kUnknown ? "" : fmt::format(" ({})", name_of(group.kind));
    if (std::ranges::find(finding.operators, one.name) == finding.operators.end())
      finding.operators.push_back(one.name);
    finding.add(
        {fmt::format("{}{} of rank {} takes {{}} while nothing is computed", one.name, used, one.rank),
         "ms per step", exchange.exposed / kPicosecondsOfMs, limit / kPicosecondsOfMs, place});
    if (!exchange.split) return;
    const auto part = [&](const char* what, double of_it) {
      if (of_it > 0)
        finding.add({fmt::format("{} of rank {}, hidden or not, spends {{}} {}", one.name, one.rank, what),
                     "ms per step", of_it / kPicosecondsOfMs, 0, place});
    };
    part("transferring", exchange.transfer);
    part("waiting for other ranks", exchange.waited);
    part("standing still", exchange.elapsed - exchange.transfer - exchange.waited);
    constexpr double kGigabytes = 1e-9, kPicosecond = 1e-12;
    if (exchange.bytes > 0 && exchange.transfer > 0)
      finding.add({fmt::format("{} of rank {} transfers at {{}}", one.name, one.rank), "GB/s",
                   kGigabytes * exchange.bytes / (kPicosecond * exchange.transfer), 0, place});
  }

  // Names the rank for which the others wait most, in each group that exchanges what was found.
  static void add_last(const ProfiledTime& time, const ProfileMeans& means, double felt, Finding& finding) {
    for (const ProfiledGroup& group : time.groups) {
      if (means.is_between_stages(group) || group.last.empty()) continue;
      const auto last =
          std::ranges::max_element(group.last, {}, [](const auto& entry) { return entry.second.second; });
      const double waits = picoseconds(last->second.second) / steps_of(time, last->first);
      const auto mean = means.ranks.find(last->first);
      if (mean == means.ranks.end() || waits < felt * mean->second.length) continue;
      finding.add({fmt::format("rank {} comes last {} times among ranks {}, which wait {{}} for it",
                               last->first, last->second.first, fmt::join(group.ranks, ", ")),
                   "ms per step", waits / kPicosecondsOfMs, 0,
                   RecordPlace(time.folders[last->first] + "/communication.json")});
    }
  }

  // Where the profiler sums up exchanges of which no file tells more.
  static std::vector<Finding> told_alone(const SteadyState& job, const ProfileMeans& means, double limit) {
    const ProfiledTime& time = *job.observation.profiled_time();
    double least = 0;
    const StepTime* shown = nullptr;
    for (const auto& [rank, mean] : means.ranks) {
      const auto own = means.exchanges.find(rank);
      const auto step = std::ranges::find(time.steps, rank, &StepTime::rank);
      if ((own != means.exchanges.end() && !own->second.empty()) || !step->told) return {};
      if (shown && mean.exposed() >= least) continue;
      least = mean.exposed();
      shown = &*step;
    }
    if (!shown || least <= limit) return {};
    Finding finding;
    for (const auto& [rank, mean] : means.ranks) finding.ranks.push_back(rank);
    finding.add({fmt::format("computing does not hide {{}} of the communication of rank {}", shown->rank),
                 "ms per step", least / kPicosecondsOfMs, limit / kPicosecondsOfMs,
                 RecordPlace(fmt::format("{}/step_trace_time.csv:{}", time.folders[shown->rank],
                                         shown->told->line))});
    finding.lost_ms = least / kPicosecondsOfMs;
    finding.explains = 1;
    finding.missing.emplace_back("communication.json: which exchanges, and do they wait or send?");
    return {finding};
  }
};

A3SIM_REGISTER(CauseRule, "comm.exposed", "exchanges beside which nothing is computed", CommExposedRule);

}  // namespace
}  // namespace a3sim
