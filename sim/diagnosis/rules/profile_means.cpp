#include "sim/diagnosis/rules/profile_means.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace a3sim {
namespace {

// Joins groups of a pipeline that share a rank: some communicators link two stages only.
std::vector<std::vector<std::uint32_t>> pipelines_of(const ProfiledTime& time) {
  std::set<std::uint32_t> profiled;
  for (const StepTime& step : time.steps) profiled.insert(step.rank);
  std::vector<std::set<std::uint32_t>> joined;
  for (const ProfiledGroup& group : time.groups) {
    if (group.kind != GroupKind::kPipeline) continue;
    std::set<std::uint32_t> ranks;
    for (const std::uint32_t rank : group.ranks)
      if (profiled.contains(rank)) ranks.insert(rank);
    if (ranks.size() < 2) continue;
    std::erase_if(joined, [&](const std::set<std::uint32_t>& other) {
      const bool shares =
          std::ranges::any_of(other, [&](std::uint32_t rank) { return ranks.contains(rank); });
      if (shares) ranks.insert(other.begin(), other.end());
      return shares;
    });
    joined.push_back(std::move(ranks));
  }
  std::vector<std::vector<std::uint32_t>> pipelines;
  for (const std::set<std::uint32_t>& ranks : joined) pipelines.emplace_back(ranks.begin(), ranks.end());
  return pipelines;
}

void add(const StepTime& step, MeanTimes& to) {
  to.length += picoseconds(step.length);
  to.computing += picoseconds(step.computing);
  to.transferring += picoseconds(step.transferring);
  to.waiting += picoseconds(step.waiting);
  to.still += picoseconds(step.still);
  to.undecided += picoseconds(step.undecided);
  to.free += picoseconds(step.free);
  to.hidden += picoseconds(step.hidden);
  ++to.steps;
}

void add(const ExchangeTime& exchange, std::vector<MeanExchange>& to) {
  auto found = std::ranges::find_if(to, [&](const MeanExchange& other) {
    return other.one->group == exchange.group && other.one->name == exchange.name;
  });
  if (found == to.end()) found = to.insert(to.end(), MeanExchange{&exchange});
  found->exposed += picoseconds(exchange.exposed);
  found->elapsed += picoseconds(exchange.elapsed);
  found->transfer += picoseconds(exchange.transfer);
  found->waited += picoseconds(exchange.waited);
  found->bytes += exchange.bytes;
  found->split = found->split && exchange.split;
  if (exchange.longest > found->one->longest) found->one = &exchange;
}

}  // namespace

ProfileMeans profile_means(const ProfiledTime& time, const std::vector<std::uint64_t>& steps) {
  ProfileMeans means;
  const auto counts = [&](std::uint64_t step) {
    return steps.empty() || std::ranges::find(steps, step) != steps.end();
  };
  for (const StepTime& step : time.steps)
    if (counts(step.step)) add(step, means.ranks[step.rank]);
  for (const ExchangeTime& exchange : time.exchanges)
    if (counts(exchange.step) && means.ranks.contains(exchange.rank))
      add(exchange, means.exchanges[exchange.rank]);
  for (auto& [rank, mean] : means.ranks) {
    for (double* part : {&mean.length, &mean.computing, &mean.transferring, &mean.waiting, &mean.still,
                         &mean.undecided, &mean.free, &mean.hidden})
      *part /= mean.steps;
    for (MeanExchange& exchange : means.exchanges[rank])
      for (double* part :
           {&exchange.exposed, &exchange.elapsed, &exchange.transfer, &exchange.waited, &exchange.bytes})
        *part /= mean.steps;
  }
  means.pipelines = pipelines_of(time);
  return means;
}

ProfileMeans profile_means(const SteadyState& job) {
  std::vector<std::uint64_t> steps;
  for (const FullStep& step : job.full) steps.push_back(job.observation.number_of(step.step));
  return profile_means(*job.observation.profiled_time(), steps);
}

double steps_of(const ProfiledTime& time, std::uint32_t rank) {
  const auto count = std::ranges::count(time.steps, rank, &StepTime::rank);
  return static_cast<double>(std::max<std::ptrdiff_t>(1, count));
}

bool is_benchmark(const ProfiledTime& time) {
  constexpr double kAlmostAll = 0.8, kMatters = 0.02;
  constexpr std::ptrdiff_t kMostTypes = 3;
  double length = 0, free = 0, all = 0;
  for (const StepTime& step : time.steps) {
    length += seconds(step.length);
    free += seconds(step.free);
  }
  std::map<std::string_view, double> types;
  for (const KernelTime& kernel : time.kernels) {
    types[kernel.type] += seconds(kernel.time);
    all += seconds(kernel.time);
  }
  const auto matter =
      std::ranges::count_if(types, [&](const auto& type) { return type.second > kMatters * all; });
  return time.exchanges.empty() && free > kAlmostAll * length && matter <= kMostTypes && all > 0;
}

double base_of_kernels(const SteadyState& job) {
  const ProfiledTime& time = *job.observation.profiled_time();
  if (time.ordered && !is_benchmark(time)) return job.took;
  double most = 0;
  for (const auto& [rank, mean] : profile_means(job).ranks) most = std::max(most, mean.computing);
  return most > 0 ? std::min(most, job.took) : job.took;
}

RecordPlace place_in_table(const ProfiledTime& time, std::uint32_t rank, std::size_t line) {
  const std::string table = rank < time.tables.size() ? time.tables[rank] : std::string();
  return RecordPlace(
      line > 0 ? fmt::format("{}:{}", table, line)
               : fmt::format("{}/communication.json", rank < time.folders.size() ? time.folders[rank] : ""));
}

}  // namespace a3sim
