#include "bench/score/truth.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/core/json_error.h"
#include "sim/core/read_file.h"
#include "sim/core/statistics.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kAfter = 4;  // steps until queues have filled again
constexpr double kFelt = 1.03;

// Returns an entry without its ranks, its factor and its steps: the part that stays the same if a fault
// drifts or moves.
std::string kept_of(const std::string& entry) {
  std::string kept;
  for (std::size_t at = 0; at < entry.size();) {
    const std::size_t end = std::min(entry.find(", ", at), entry.size());
    const std::string_view item = std::string_view(entry).substr(at, end - at);
    const bool changes = item.starts_with("ranks") || item.starts_with("factor") || item.starts_with("steps");
    // The items of a list of ranks have no key.
    if (!changes && item.find(':') != std::string_view::npos) kept += std::string(item) + ", ";
    at = end + 2;
  }
  return kept;
}

std::vector<Truth> joined(std::vector<Truth> truths) {
  std::vector<Truth> all;
  for (Truth& truth : truths) {
    const auto before = std::ranges::find_if(all, [&](const Truth& other) {
      return other.kind == truth.kind && other.last + 1 == truth.first &&
             kept_of(other.entry) == kept_of(truth.entry);
    });
    if (before == all.end()) {
      all.push_back(std::move(truth));
      continue;
    }
    before->last = truth.last;
    before->entries.insert(before->entries.end(), truth.entries.begin(), truth.entries.end());
    before->ranks.insert(truth.ranks.begin(), truth.ranks.end());
  }
  return all;
}

}  // namespace

std::vector<Truth> read_truth(const std::filesystem::path& file) {
  try {
    std::vector<Truth> truths;
    const nlohmann::json json = nlohmann::json::parse(read_file(file));
    for (const auto& fault : json.at("faults")) {
      Truth& truth = truths.emplace_back();
      truth.kind = fault.at("kind");
      truth.entry = fault.at("entry");
      truth.entries = {truth.entry};
      truth.ranks = fault.at("ranks").get<std::set<std::uint32_t>>();
      truth.operators = fault.at("operators").get<std::set<std::string>>();
      truth.cables = fault.value("cables", std::set<std::string>{});
      for (const auto& link : fault.at("links")) truth.links.emplace(link.at(0), link.at(1));
      truth.first = fault.at("steps").at(0);
      truth.last = fault.at("steps").at(1);
    }
    return joined(std::move(truths));
  } catch (const nlohmann::json::exception& error) {
    throw json_error(file.string(), error);
  }
}

bool in_a_fault(const std::vector<Truth>& truths, std::uint32_t step) {
  return std::ranges::any_of(
      truths, [&](const Truth& truth) { return truth.first <= step && step <= truth.last + kAfter; });
}

// Compares steps with those in which the same other faults act. Of all such sets of other faults, takes the
// one with most steps of this fault.
TruthEffect effect_of(const Truth& truth, const std::vector<Truth>& truths, const std::vector<double>& took,
                      double usual) {
  struct Steps {
    std::vector<double> with, without;
  };
  std::map<std::vector<bool>, Steps> by_others;
  for (std::uint32_t step = 0; step < took.size(); ++step) {
    std::vector<bool> others;
    bool after = false;
    for (const Truth& other : truths) {
      others.push_back(&other != &truth && other.in(step));
      after = after || (other.last < step && step <= other.last + kAfter);
    }
    if (truth.in(step))
      by_others[others].with.push_back(took[step]);
    else if (!after)
      by_others[others].without.push_back(took[step]);
  }
  const Steps* best = nullptr;
  for (const auto& [others, steps] : by_others)
    if (!steps.with.empty() && !steps.without.empty() && (!best || steps.with.size() > best->with.size()))
      best = &steps;
  const double healthy = best ? arithmetic_mean(best->without) : usual;
  TruthEffect effect;
  effect.felt = truth.first;
  if (healthy <= 0) return effect;
  std::vector<double> with;
  std::optional<std::uint32_t> felt;
  for (std::uint32_t step = truth.first; step <= truth.last && step < took.size(); ++step) {
    if (!best) with.push_back(took[step]);
    if (!felt && took[step] > kFelt * healthy) felt = step;
  }
  effect.felt = felt.value_or(truth.first);
  effect.slowdown = arithmetic_mean(best ? best->with : with) / healthy - 1;
  return effect;
}

TruthEffect effect_of(const Truth& truth, const std::vector<double>& took,
                      const std::vector<double>& without) {
  TruthEffect effect;
  effect.felt = truth.first;
  double with = 0, alone = 0;
  std::optional<std::uint32_t> felt;
  for (std::uint32_t step = truth.first; step <= truth.last && step < took.size(); ++step) {
    with += took[step];
    alone += without[step];
    if (!felt && took[step] > kFelt * without[step]) felt = step;
  }
  effect.felt = felt.value_or(truth.first);
  effect.slowdown = alone > 0 ? with / alone - 1 : 0;
  return effect;
}

}  // namespace a3sim
