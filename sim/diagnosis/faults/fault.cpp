#include "sim/diagnosis/faults/fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sim/core/rng.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kMostSteps = 100'000'000;

// Reads a whole number below `end`.
bool is_number(std::string_view text, std::uint32_t end, std::uint32_t& number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && rest == text.data() + text.size() && number < end;
}

void read_ranks_of(const Config& entry, std::uint32_t ranks, Fault& fault) {
  for (std::uint32_t r = 0; r < ranks; ++r) fault.ranks.push_back(r);
  if (!entry.has("ranks"))
    return entry.error("ranks", "missing; expected 'all' or a list of ranks, like [3]");
  if (entry.yaml("ranks") == "all") return;
  fault.ranks.clear();
  for (const auto& [item, mark] : entry.yaml_items("ranks")) {
    std::uint32_t rank = 0;
    if (!is_number(item, ranks, rank))
      return entry.error("ranks", fmt::format("'{}' is no rank of the job: expected numbers from 0 to {}, or "
                                              "'all'",
                                              item, ranks - 1));
    if (std::ranges::find(fault.ranks, rank) == fault.ranks.end()) fault.ranks.push_back(rank);
  }
  if (fault.ranks.empty()) entry.error("ranks", "no rank: expected 'all' or a list of ranks, like [3]");
}

void read_steps(const Config& entry, Fault& fault) {
  if (!entry.has("steps")) return;
  const auto items = entry.yaml_items("steps");
  std::uint32_t steps[2] = {};
  const bool good = items.size() == 2 && is_number(items[0].first, kMostSteps, steps[0]) &&
                    is_number(items[1].first, kMostSteps, steps[1]) && steps[0] <= steps[1];
  if (!good) return entry.error("steps", "expected [first, last], both inclusive, like [40, 79]");
  fault.first = steps[0];
  fault.last = steps[1];
}

// A fault's seed is a hash of its text (FNV-1a, then one step of Rng), so that the order of faults does not
// matter.
std::uint64_t seed_of(std::string_view text, std::uint64_t seed) {
  constexpr std::uint64_t kOffset = 0xcbf29ce484222325, kPrime = 0x100000001b3;
  std::uint64_t hash = kOffset;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return Rng(seed, hash).next();
}

void read_fault(const Config& entry, const FaultSite& site, Injection& injection) {
  const std::optional<std::string> name = entry.registered<FaultKind>("kind");
  if (!name) return;
  const FaultKind& kind = FaultKinds::get(*name);
  Fault fault = kind.read(entry, site);
  fault.kind = *name;
  if (kind.of_ranks) read_ranks_of(entry, site.ranks, fault);
  read_steps(entry, fault);
  for (const auto& [path, value] : entry.values()) {
    const std::string key = path.substr(entry.path("kind").size() - std::string_view("kind").size());
    fault.text += fmt::format("{}{}: {}", fault.text.empty() ? "" : ", ", key, value);
  }
  fault.seed = seed_of(fault.text, site.seed);
  entry.finish();
  injection.faults.push_back(std::move(fault));
}

}  // namespace

StepConditions Injection::conditions(std::uint32_t step, std::uint32_t ranks, const DataOptions& data) const {
  StepConditions conditions(ranks, data);
  for (const Fault& fault : faults)
    if (fault.in(step)) fault.disturb(fault, step, conditions);
  return conditions;
}

void read_injection(const Config& root, FaultSite site, Injection& injection) {
  constexpr double kMostNoise = 0.5;
  constexpr std::int64_t kMostSeed = std::int64_t{1} << 53;
  if (const Config noise = root.map("noise"); root.has("noise")) {
    injection.noise.durations = read_share(noise, "durations", kMostNoise, 0);
    injection.noise.rates = read_share(noise, "rates", kMostNoise, 0);
    injection.noise.seed = static_cast<std::uint64_t>(noise.integer("seed", 0, kMostSeed, 1));
    noise.finish();
  }
  site.seed = injection.noise.seed;
  if (!root.has("faults")) return;
  for (const Config& entry : root.maps("faults")) read_fault(entry, site, injection);
}

double read_rate_factor(const Config& entry) {
  constexpr double kLeast = 0.001;
  return entry.number("factor", kLeast, 1);
}

}  // namespace a3sim
