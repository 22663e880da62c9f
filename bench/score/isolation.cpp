#include "bench/score/isolation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sim/core/atomic_file.h"
#include "sim/core/json_error.h"
#include "sim/core/read_file.h"
#include "sim/diagnosis/jobs/job.h"
#include "sim/diagnosis/locate/rank_step.h"
#include "sim/diagnosis/observe/file_observation.h"

namespace a3sim {
namespace {

constexpr const char* kIsolatedFile = "without.json";

// Returns an entry of truth.json as a configuration has it: there, the paths of nested keys are one key each.
std::string as_written(const std::string& entry) {
  constexpr std::string_view kSet = "set.";
  std::vector<std::string> items, set;
  for (std::size_t at = 0; at < entry.size();) {
    const std::size_t end = std::min(entry.find(", ", at), entry.size());
    const std::string item = entry.substr(at, end - at);
    if (item.starts_with(kSet))
      set.push_back(item.substr(kSet.size()));
    else
      items.push_back(item);
    at = end + 2;
  }
  if (!set.empty()) items.push_back(fmt::format("set: {{{}}}", fmt::join(set, ", ")));
  return fmt::format("{{{}}}", fmt::join(items, ", "));
}

// Returns the entries of all faults but one.
std::vector<std::string> entries_of_others(const std::vector<Truth>& truths, const Truth& left_out) {
  std::vector<std::string> entries;
  for (const Truth& truth : truths)
    if (&truth != &left_out) std::ranges::transform(truth.entries, std::back_inserter(entries), as_written);
  return entries;
}

StepsWithout simulate(const std::filesystem::path& directory, const std::vector<std::string>& faults,
                      std::uint32_t ranks, std::uint32_t steps, unsigned threads) {
  const nlohmann::json noise = nlohmann::json::parse(read_file(directory / "truth.json")).at("noise");
  JobSpec spec = load_job(directory / "resolved.yaml",
                          {fmt::format("noise={{seed: {}}}", noise.at("seed").get<std::uint64_t>()),
                           fmt::format("faults=[{}]", fmt::join(faults, ", "))},
                          {});
  spec.injection.noise.durations = noise.at("durations");
  spec.injection.noise.rates = noise.at("rates");
  Job job(spec, threads);
  RankSteps light(ranks);
  StepsWithout took;
  job.run(steps, false, [&](JobStep&& step) {
    light.add(step.light);
    took.push_back(light.took());
  });
  return took;
}

}  // namespace

void isolate_faults(const std::filesystem::path& directory, unsigned threads) {
  const std::filesystem::path file = directory / kIsolatedFile;
  if (std::filesystem::exists(file)) return;
  const std::vector<Truth> truths = read_truth(directory / "truth.json");
  const FileObservation observation(directory);
  std::uint32_t steps = 0;
  observation.each_step([&](std::uint32_t, std::span<const LightRecord>) { ++steps; });
  nlohmann::ordered_json without = nlohmann::ordered_json::array();
  for (const Truth& truth : truths)
    without.push_back(
        simulate(directory, entries_of_others(truths, truth), observation.ranks(), steps, threads));
  write_file_atomically(file, nlohmann::ordered_json{{"steps_ps", std::move(without)}}.dump() + "\n");
}

std::vector<StepsWithout> read_isolated(const std::filesystem::path& directory,
                                        const std::vector<Truth>& truths, std::size_t steps) {
  const std::filesystem::path file = directory / kIsolatedFile;
  if (!std::filesystem::exists(file)) return {};
  try {
    auto without = nlohmann::json::parse(read_file(file)).at("steps_ps").get<std::vector<StepsWithout>>();
    const bool fits = without.size() == truths.size() &&
                      std::ranges::all_of(without, [&](const auto& one) { return one.size() == steps; });
    if (!fits)
      throw InputError(
          fmt::format("{}: not of this job, which has {} faults and {} steps; remove it and use --isolate",
                      file.string(), truths.size(), steps));
    return without;
  } catch (const nlohmann::json::exception& error) {
    throw json_error(file.string(), error);
  }
}

}  // namespace a3sim
