#include "sim/diagnosis/rules/kernel_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/diagnosis/rules/rule.h"

namespace a3sim {
namespace {

constexpr double kGigabytes = 1e-9;

bool is_scalar(Pipe pipe) { return pipe == Pipe::kCubeScalar || pipe == Pipe::kVectorScalar; }
bool computes(Pipe pipe) { return pipe == Pipe::kCube || pipe == Pipe::kVector; }

// Returns "aiv_mte2 0.998" and, if shapes tell it, the rate at which the kernel reads and writes.
std::string busy_text(const KernelTime& kernel, const Bound& bound) {
  std::string text = fmt::format("{} is busy for {{}} of that", name_of(bound.pipe));
  if (kernel.sized_time > 0)
    text += fmt::format(", {:.0f} GB/s by its shapes", kGigabytes * kernel.bytes / kernel.sized_time);
  return text;
}

// Kernels that a condition selects, and what they take, in every step.
using Selects = bool (*)(const KernelTime&);

bool runs_on_cpu(const KernelTime& kernel) { return kernel.core.starts_with("AI_CPU"); }
bool converts(const KernelTime& kernel) {
  constexpr std::array<std::string_view, 7> kTypes{"TransData", "Transpose",  "Cast",      "AsStrided",
                                                   "ViewCopy",  "FormatCast", "TensorMove"};
  return std::ranges::any_of(kTypes, [&](std::string_view type) { return kernel.type.starts_with(type); });
}
// Most of a type's kernels are shorter than it takes to launch one.
bool is_small(const KernelTime& kernel) {
  return 2 * kernel.little > kernel.count && !runs_on_cpu(kernel) && !converts(kernel);
}

// Kernels that should not be there: the time in which nothing else runs beside them is lost.
class SuperfluousRule final : public CauseRule {
 public:
  SuperfluousRule(Selects selects, const char* what) : selects_(selects), what_(what) {}

  std::vector<Finding> diagnose_slowdown(const Slowdown&, const RuleData&) const override { return {}; }

  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    const ProfiledTime* time = job.observation.profiled_time();
    if (!time) return {};
    std::map<std::string, std::pair<double, const KernelTime*>> types;
    std::map<std::uint32_t, double> sooner;
    std::set<std::uint32_t> ranks;
    for (const auto& [rank, mean] : profile_means(job).ranks) sooner[rank];
    for (const KernelTime& kernel : time->kernels) {
      if (!selects_(kernel)) continue;
      const double alone = picoseconds(kernel.alone) / steps_of(*time, kernel.rank);
      sooner[kernel.rank] += alone;
      ranks.insert(kernel.rank);
      auto& [most, one] = types[kernel.type];
      if (one && alone <= most) continue;
      most = alone;
      one = &kernel;
    }
    const double base = base_of_kernels(job), limit = data.at("standing") * base;
    double most = 0;
    for (const auto& [rank, alone] : sooner) most = std::max(most, alone);
    if (most < limit) return {};
    Finding finding;
    finding.ranks.assign(ranks.begin(), ranks.end());
    add_types(*time, types, limit, finding);
    finding.explains = 1;
    finding.lost_ms = job.gain_of_computing(job.for_all_ranks(sooner)) / kPicosecondsOfMs;
    if (base < job.took) finding.of_ms = base / kPicosecondsOfMs;
    return {finding};
  }

 private:
  void add_types(const ProfiledTime& time,
                 const std::map<std::string, std::pair<double, const KernelTime*>>& types, double limit,
                 Finding& finding) const {
    constexpr std::size_t kMostNamed = 5;
    std::vector<std::pair<std::string, std::pair<double, const KernelTime*>>> order(types.begin(),
                                                                                    types.end());
    std::ranges::stable_sort(order,
                             [](const auto& a, const auto& b) { return a.second.first > b.second.first; });
    if (order.size() > kMostNamed) order.resize(kMostNamed);
    for (const auto& [type, sum] : order) {
      const auto& [alone, kernel] = sum;
      finding.operators.push_back(type);
      finding.add(
          {fmt::format("{} of rank {} takes {{}} in {} kernels {}", type, kernel->rank, kernel->count, what_),
           "ms per step", alone / kPicosecondsOfMs, limit / kPicosecondsOfMs,
           place_in_table(time, kernel->rank, kernel->line)});
    }
  }

  Selects selects_;
  const char* what_;
};

// Kernels whose scalar units are busy all the time, so that neither arithmetic nor memory is used.
class ScalarRule final : public CauseRule {
 public:
  std::vector<Finding> diagnose_slowdown(const Slowdown&, const RuleData&) const override { return {}; }

  std::vector<Finding> diagnose_steady_state(const SteadyState& job, const RuleData& data) const override {
    const ProfiledTime* time = job.observation.profiled_time();
    if (!time) return {};
    const double used = data.at("used"), base = base_of_kernels(job);
    std::vector<BoundKernel> bound;
    std::map<std::uint32_t, double> sooner;
    for (const auto& [rank, mean] : profile_means(job).ranks) sooner[rank];
    for (const KernelTime& kernel : time->kernels) {
      const Bound binds = bound_of(kernel, used);
      const double alone = picoseconds(kernel.alone) / steps_of(*time, kernel.rank);
      const double lost = alone * (1 - binds.useful / used);
      if (binds.by != Bound::By::kScalar || lost < data.at("standing") * base) continue;
      sooner[kernel.rank] += lost;
      bound.push_back({&kernel, lost, binds});
    }
    if (bound.empty()) return {};
    Finding finding = bound_finding(job, *time, bound, used);
    finding.lost_ms = job.gain_of_computing(job.for_all_ranks(sooner)) / kPicosecondsOfMs;
    return {finding};
  }
};

A3SIM_REGISTER(CauseRule, "compute.scalar",
               "scalar units are busy, and neither arithmetic nor memory is used", ScalarRule);
A3SIM_REGISTER(CauseRule, "compute.cpu", "operators run on the AI CPU",
               SuperfluousRule(runs_on_cpu, "on the AI CPU"));
A3SIM_REGISTER(CauseRule, "compute.formats", "data is transposed, converted or copied between formats",
               SuperfluousRule(converts, "that convert"));
A3SIM_REGISTER(CauseRule, "compute.small", "many operators are shorter than launching them takes",
               SuperfluousRule(is_small, "shorter than a launch"));

}  // namespace

Bound bound_of(const KernelTime& kernel, double used) {
  Bound bound;
  if (kernel.piped <= Duration::zero()) return bound;
  Pipe data = Pipe::kCube;
  for (std::size_t p = 0; p < kCountOf<Pipe>; ++p) {
    const auto pipe = static_cast<Pipe>(p);
    const double busy = kernel.busy(pipe);
    if (busy > bound.busy) {
      bound.busy = busy;
      bound.pipe = pipe;
    }
    if (is_scalar(pipe) || busy <= bound.useful) continue;
    bound.useful = busy;
    data = pipe;
  }
  if (bound.busy <= 0) return bound;  // no core that has these pipes ran it
  bound.by = Bound::By::kNothing;
  if (bound.useful >= used) {
    bound.pipe = data;
    bound.busy = bound.useful;
    bound.by = computes(data) ? Bound::By::kCores : Bound::By::kMemory;
  } else if (bound.busy >= used) {
    bound.by = Bound::By::kScalar;
  }
  return bound;
}

Finding bound_finding(const SteadyState& job, const ProfiledTime& time, std::vector<BoundKernel> kernels,
                      double used) {
  constexpr std::size_t kMostNamed = 6;
  std::ranges::stable_sort(kernels, std::ranges::greater(), &BoundKernel::lost);
  Finding finding;
  std::set<std::uint32_t> ranks;
  for (const BoundKernel& one : kernels) {
    const KernelTime& kernel = *one.kernel;
    ranks.insert(kernel.rank);
    if (std::ranges::find(finding.operators, kernel.type) != finding.operators.end()) continue;
    finding.operators.push_back(kernel.type);
    if (finding.evidence.size() == kMostNamed) continue;
    finding.add({fmt::format("{} of rank {} takes {:.3f} ms in {} kernel{}; {}", kernel.type, kernel.rank,
                             milliseconds(kernel.time), kernel.count, kernel.count == 1 ? "" : "s",
                             busy_text(kernel, one.bound)),
                 "", one.bound.busy, used, place_in_table(time, kernel.rank, kernel.line)});
  }
  finding.ranks.assign(ranks.begin(), ranks.end());
  finding.explains = 1;
  const double base = base_of_kernels(job);
  if (base < job.took) finding.of_ms = base / kPicosecondsOfMs;
  return finding;
}

}  // namespace a3sim
