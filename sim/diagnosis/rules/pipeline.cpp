#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "sim/diagnosis/rules/profile_means.h"
#include "sim/diagnosis/rules/rule.h"

namespace a3sim {
namespace {

// A stage of a pipeline: means over its ranks, in ps of a step.
struct Stage {
  std::vector<std::uint32_t> ranks;
  double computing = 0, other = 0;  // what it exchanges within the stage, and free time
  double waiting = 0;               // in exchanges with other stages, nothing computed beside it
  const ExchangeTime* longest = nullptr;
  double own() const { return computing + other; }
};

std::vector<Stage> stages_of(const ProfiledTime& time, const ProfileMeans& means) {
  std::vector<Stage> stages;
  for (const std::vector<std::uint32_t>& pipeline : means.pipelines) {
    for (std::size_t s = 0; s < pipeline.size(); ++s) {
      if (s == stages.size()) stages.emplace_back();
      Stage& stage = stages[s];
      const std::uint32_t rank = pipeline[s];
      const auto found = means.ranks.find(rank);
      if (found == means.ranks.end()) continue;  // in no step that counts
      const MeanTimes& mean = found->second;
      double waiting = 0;
      if (const auto own = means.exchanges.find(rank); own != means.exchanges.end()) {
        for (const MeanExchange& exchange : own->second) {
          if (!means.is_between_stages(time.groups[exchange.one->group])) continue;
          waiting += exchange.exposed;
          if (!stage.longest || exchange.one->longest > stage.longest->longest) stage.longest = exchange.one;
        }
      }
      stage.ranks.push_back(rank);
      stage.computing += mean.computing;
      stage.waiting += waiting;
      stage.other += std::max(0.0, mean.length - mean.computing - waiting);
    }
  }
  std::erase_if(stages, [](const Stage& stage) { return stage.ranks.empty(); });
  for (Stage& stage : stages) {
    for (double* part : {&stage.computing, &stage.other, &stage.waiting})
      *part /= static_cast<double>(stage.ranks.size());
    std::ranges::sort(stage.ranks);
  }
  return stages;
}

// Returns the type of kernels of which a stage computes most more than the mean of the others, and by how many ps a step.
std::pair<std::string, double> computed_more(const ProfiledTime& time, const Stage& slow,
                                             const std::vector<Stage>& stages) {
  std::map<std::string, double> more;
  double others = 0;
  for (const Stage& stage : stages)
    if (stage.ranks != slow.ranks) others += static_cast<double>(stage.ranks.size());
  for (const KernelTime& kernel : time.kernels) {
    const double part = picoseconds(kernel.alone) / steps_of(time, kernel.rank);
    if (std::ranges::binary_search(slow.ranks, kernel.rank))
      more[kernel.type] += part / static_cast<double>(slow.ranks.size());
    else if (others > 0)
      more[kernel.type] -= part / others;
  }
  const auto most = std::ranges::max_element(more, {}, [](const auto& entry) { return entry.second; });
  return most == more.end() ? std::pair<std::string, double>() : std::pair<std::string, double>(*most);
}

// Stages of a pipeline, for which the others wait, or all of which wait for each other.
class PipelineRule final : public CauseRule {
 public:
  explicit PipelineRule(bool unequal) : unequal_(unequal) {}

  std::vector<Finding> diagnose_slowdown(const Slowdown&, const RuleData&) const override { return {}; }

  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    const ProfiledTime* time = job.observation.profiled_time();
    if (!time) return {};
    const ProfileMeans means = profile_means(job);
    const std::vector<Stage> stages = stages_of(*time, means);
    if (stages.size() < 2) return {};
    const auto slow = std::ranges::max_element(stages, {}, &Stage::own);
    double own = 0, waiting = 0;
    for (const Stage& stage : stages) {
      own += stage.own() / static_cast<double>(stages.size());
      waiting += stage.waiting / static_cast<double>(stages.size());
    }
    // With equal stages a step is as much shorter as the slow stage works longer than the mean. What the others wait beyond
    // that is the pipeline's filling and draining.
    const double unequal = std::min(waiting, slow->own() - own);
    const double lost = unequal_ ? unequal : waiting - unequal, limit = data.at("standing") * job.took;
    if (lost <= limit) return {};
    const auto number = static_cast<std::size_t>(slow - stages.begin());
    return {unequal_ ? slow_stage(job, *time, stages, number, lost, limit)
                     : bubble(job, *time, stages, lost, limit)};
  }

 private:
  static std::string called(const std::vector<Stage>& stages, std::size_t number) {
    const Stage& stage = stages[number];
    return fmt::format("stage {} of {} (rank{} {})", number, stages.size(), stage.ranks.size() > 1 ? "s" : "",
                       fmt::join(stage.ranks, ", "));
  }

  static Finding slow_stage(const SteadyState& job, const ProfiledTime& time,
                            const std::vector<Stage>& stages, std::size_t number, double lost, double limit) {
    const Stage& slow = stages[number];
    Finding finding;
    finding.ranks = slow.ranks;
    finding.lost_ms = lost / kPicosecondsOfMs;
    finding.explains = 1;
    double computing = 0, other = 0;
    for (const Stage& stage : stages) {
      computing += stage.computing / static_cast<double>(stages.size());
      other += stage.other / static_cast<double>(stages.size());
    }
    const std::string name = called(stages, number);
    finding.add({name + " works {} longer than the mean of all stages", "ms per step",
                 lost / kPicosecondsOfMs, limit / kPicosecondsOfMs, job.place(slow.ranks.front())});
    if (slow.computing > computing) {
      finding.add({name + " computes {} more", "ms per step", (slow.computing - computing) / kPicosecondsOfMs,
                   0, job.place(slow.ranks.front())});
      const auto [type, more] = computed_more(time, slow, stages);
      if (more > 0) {
        finding.operators.push_back(type);
        finding.add({"most of that is " + type + ", {} more than in other stages", "ms per step",
                     more / kPicosecondsOfMs, 0, job.place(slow.ranks.front())});
      }
    }
    if (slow.other > other)
      finding.add({name + " is free or exchanges data within the stage for {} longer", "ms per step",
                   (slow.other - other) / kPicosecondsOfMs, 0, job.place(slow.ranks.front())});
    for (std::size_t s = 0; s < stages.size(); ++s)
      if (s != number && stages[s].longest)
        finding.add(
            {fmt::format("{} waits {{}} for other stages while nothing is computed", called(stages, s)),
             "ms per step", stages[s].waiting / kPicosecondsOfMs, 0,
             place_in_table(time, stages[s].longest->rank, stages[s].longest->line)});
    return finding;
  }

  static Finding bubble(const SteadyState& job, const ProfiledTime& time, const std::vector<Stage>& stages,
                        double lost, double limit) {
    Finding finding;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      const Stage& stage = stages[s];
      finding.ranks.insert(finding.ranks.end(), stage.ranks.begin(), stage.ranks.end());
      finding.add({fmt::format("{} waits {{}} for other stages while nothing is computed", called(stages, s)),
                   "ms per step", stage.waiting / kPicosecondsOfMs, limit / kPicosecondsOfMs,
                   stage.longest ? place_in_table(time, stage.longest->rank, stage.longest->line)
                                 : job.place(stage.ranks.front())});
    }
    std::ranges::sort(finding.ranks);
    finding.lost_ms = lost / kPicosecondsOfMs;
    finding.explains = 1;
    return finding;
  }

  bool unequal_;
};

A3SIM_REGISTER(CauseRule, "pipeline.stage",
               "a stage of the pipeline works longer than the others, which wait for it", PipelineRule(true));
A3SIM_REGISTER(CauseRule, "pipeline.bubble", "stages of the pipeline wait for each other",
               PipelineRule(false));

}  // namespace
}  // namespace a3sim
