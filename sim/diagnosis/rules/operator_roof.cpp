#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/diagnosis/rules/computing.h"
#include "sim/diagnosis/rules/kernel_bounds.h"
#include "sim/diagnosis/rules/rule.h"

namespace a3sim {
namespace {

constexpr double kPicosecond = 1e-12;
constexpr std::size_t kMostNamed = 4;

// The limit of an operator: memory, cores, or neither.
enum class Roof : std::uint8_t { kMemory, kCompute, kNeither };

// Says how close an operator of a rank is to the machine's limits.
struct RoofPart {
  Roof roof = Roof::kNeither;  // the limit; kMemory stands for HBM and L2
  double reached = 0;          // part of the nearer roof; 0: no roof is known
};

// `run` is in ps, summed over its workers. `used` is the part of a roof from which on it counts as the limit.
RoofPart roof_part(const Observation& observation, CoreKind core, double run, double operations,
                   double hbm_bytes, double l2_bytes, double used) {
  const ObservedMachine& machine = observation.machine();
  const double peak = core == CoreKind::kCube ? machine.cube_rate : machine.vector_rate;
  const double time = kPicosecond * run / machine.workers(core);
  if (time <= 0 || peak <= 0 || machine.hbm_read <= 0) return {};
  // Profiles may not tell what an operator moves: it then has no roof, unless its cores are used up.
  const bool untold = observation.profiled_time() && hbm_bytes <= 0 && l2_bytes <= 0;
  if (untold && operations / peak / time < used) return {};
  const double memory =
      std::max(hbm_bytes / machine.hbm_read, machine.l2_read > 0 ? l2_bytes / machine.l2_read : 0);
  const double cores = operations / peak;
  // Idle workers leave their share of the memory to the others, who then take less than `time` assumes.
  RoofPart part{Roof::kNeither, std::min(1.0, std::max(memory, cores) / time)};
  if (part.reached >= used) part.roof = memory > cores ? Roof::kMemory : Roof::kCompute;
  return part;
}

// Sums of an operator over all passes and ranks.
struct Sum {
  double lost = 0, exposed = 0,
         reached = 1;  // ps, the largest of a rank; the smallest part of the roof
  const OperatorRecord* worst = nullptr;
};

Finding steady_finding(const SteadyState& job, const std::map<std::uint32_t, Sum>& sums,
                       const std::set<std::uint32_t>& ranks, double used) {
  std::vector<std::pair<std::uint32_t, Sum>> order(sums.begin(), sums.end());
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) {
    return std::pair(a.second.lost, a.second.exposed) > std::pair(b.second.lost, b.second.exposed);
  });
  Finding finding;
  finding.ranks.assign(ranks.begin(), ranks.end());
  for (const auto& [op, sum] : order) {
    const std::string& name = job.observation.names()[op];
    finding.operators.push_back(name);
    if (finding.evidence.size() < kMostNamed)
      finding.add(
          {fmt::format("{} on rank {} reaches {{}} of what the machine allows", name, sum.worst->rank), "",
           sum.reached, used, job.observation.place_of(*sum.worst)});
  }
  finding.explains = 1;
  return finding;
}

// Operators that a roof limits, or that do not reach any roof.
class OperatorRoofRule final : public CauseRule {
 public:
  explicit OperatorRoofRule(Roof roof) : roof_(roof) {}

  // Finds operators that take longer than usual at equal work while others do not.
  std::vector<Finding> diagnose_slowdown(const Slowdown& slowdown, const RuleData& data) const override {
    struct Sum {
      double lost = 0;
      const OperatorLag* worst = nullptr;
      std::vector<std::uint32_t> ranks;
    };
    std::map<std::uint32_t, Sum> slow;  // by operator
    double all = 0;
    for (const RankOperators& rank : computing(slowdown)) {
      for (const OperatorLag* lag : rank.lags) {
        const double lost = lag->lag(slowdown.workers(lag->now.core)) / rank.steps;
        all += std::max(0.0, lost);
        // Compares times apart from the effect of the clock.
        const bool clock = lag->arithmetic() * lag->clock() > 1 + data.at("arithmetic");
        if (clock || lag->run() * lag->clock() < data.at("slower") || lost <= 0 ||
            !slowdown.may_matter(lag->now.op))
          continue;
        Sum& sum = slow[lag->now.op];
        sum.lost += lost - picoseconds(lag->usual.run) * (1 / lag->clock() - 1) /
                               slowdown.workers(lag->now.core) / rank.steps;
        if (std::ranges::find(sum.ranks, rank.rank) == sum.ranks.end()) sum.ranks.push_back(rank.rank);
        if (!sum.worst || lag->run() > sum.worst->run()) sum.worst = lag;
      }
    }
    std::vector<Finding> findings;
    for (const auto& [op, sum] : slow) {
      const double a_rank = sum.lost / static_cast<double>(sum.ranks.size());
      if (sum.lost < data.at("most_of") * all || a_rank < data.at("least") * slowdown.usual()) continue;
      // A slow operator is compared with the roofs of cores and HBM only, not of the L2.
      const OperatorRecord& worst = sum.worst->now;
      const RoofPart roof = roof_part(slowdown.observation, worst.core, picoseconds(worst.run),
                                      worst.operations, worst.hbm_bytes, 0, data.at("used"));
      if (roof.roof != roof_) continue;
      Finding finding;
      finding.ranks = busy_alike(slowdown, sum.ranks);
      finding.operators = {slowdown.observation.names()[op]};
      finding.factor = sum.worst->run();
      finding.explains = std::min(1.0, a_rank / slowdown.own_lag());
      // What other operators take longer too may be of the rank's memory, or of its clock.
      finding.doubt = std::clamp(1 - sum.lost / all, 0.0, 1.0);
      finding.add({fmt::format("at equal work, {} of rank {} takes {{}} of the usual time",
                               finding.operators.front(), sum.worst->now.rank),
                   "", sum.worst->run(), data.at("slower"), slowdown.observation.place_of(sum.worst->now)});
      finding.add({"it has {} of what operators take longer", "", sum.lost / all, data.at("most_of"),
                   slowdown.observation.place_of(sum.worst->now)});
      findings.push_back(finding);
    }
    return findings;
  }

  // Reports all such operators in one finding. They lose the exposed time above the time that the nearer roof
  // allows at `used`. An operator at a roof loses nothing, and the finding is for information.
  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    // The pipes of a profile say what binds a kernel; what it moves is a guess beside that.
    const ProfiledTime* time = job.observation.profiled_time();
    if (time && std::ranges::any_of(time->kernels,
                                    [](const KernelTime& kernel) { return kernel.piped > Duration::zero(); }))
      return by_pipes(job, *time, data);
    const double used = data.at("used");
    std::map<std::uint32_t, Sum> sums;
    std::set<std::uint32_t> ranks;
    std::map<std::uint32_t, double> sooner;
    for (const auto& [key, op] : job.operators) {
      sooner[key.rank];
      const RoofPart part =
          roof_part(job.observation, op.one->core, op.run, op.operations, op.hbm_bytes, op.l2_bytes, used);
      if (part.roof != roof_ || part.reached <= 0 || !job.may_matter(key.op)) continue;
      const double lost = op.exposed * std::max(0.0, 1 - part.reached / used);
      if ((roof_ == Roof::kNeither ? lost : op.exposed) < data.at("standing") * job.took) continue;
      sooner[key.rank] += lost;
      ranks.insert(key.rank);
      Sum& sum = sums[key.op];
      sum.lost = std::max(sum.lost, lost);
      sum.exposed = std::max(sum.exposed, op.exposed);
      if (sum.worst && part.reached >= sum.reached) continue;
      sum.reached = part.reached;
      sum.worst = op.one;
    }
    // A simulated operator near a roof is healthy; what a better machine gains is simulated (study/verdict).
    if (sums.empty() || (roof_ != Roof::kNeither && !time)) return {};
    Finding finding = steady_finding(job, sums, ranks, used);
    finding.info = roof_ != Roof::kNeither;
    if (!finding.info) finding.lost_ms = job.gain_of_computing(job.for_all_ranks(sooner)) / kPicosecondsOfMs;
    return {finding};
  }

 private:
  std::vector<Finding> by_pipes(const SteadyState& job, const ProfiledTime& time,
                                const RuleData& data) const {
    const double used = data.at("used"), base = base_of_kernels(job);
    std::vector<BoundKernel> bound;
    std::map<std::uint32_t, double> sooner;
    for (const auto& [rank, mean] : profile_means(job).ranks) sooner[rank];
    for (const KernelTime& kernel : time.kernels) {
      const Bound binds = bound_of(kernel, used);
      const bool mine = (roof_ == Roof::kMemory && binds.by == Bound::By::kMemory) ||
                        (roof_ == Roof::kCompute && binds.by == Bound::By::kCores) ||
                        (roof_ == Roof::kNeither && binds.by == Bound::By::kNothing);
      if (!mine) continue;
      const double alone = picoseconds(kernel.alone) / steps_of(time, kernel.rank);
      const double lost = roof_ == Roof::kNeither ? alone * std::max(0.0, 1 - binds.useful / used) : 0;
      if ((roof_ == Roof::kNeither ? lost : alone) < data.at("standing") * base) continue;
      sooner[kernel.rank] += lost;
      bound.push_back({&kernel, roof_ == Roof::kNeither ? lost : alone, binds});
    }
    if (bound.empty()) return {};
    Finding finding = bound_finding(job, time, bound, used);
    finding.info = roof_ != Roof::kNeither;
    if (!finding.info) finding.lost_ms = job.gain_of_computing(job.for_all_ranks(sooner)) / kPicosecondsOfMs;
    return {finding};
  }

  Roof roof_;
};

A3SIM_REGISTER(CauseRule, "compute.bound", "an operator is limited by its cores",
               OperatorRoofRule(Roof::kCompute));
A3SIM_REGISTER(CauseRule, "compute.memory", "an operator is limited by memory",
               OperatorRoofRule(Roof::kMemory));
A3SIM_REGISTER(CauseRule, "compute.underused",
               "an operator reaches neither what its cores nor what the memory give",
               OperatorRoofRule(Roof::kNeither));

}  // namespace
}  // namespace a3sim
