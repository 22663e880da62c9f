#include <algorithm>

#include "traces/import/job_reader.h"

// Tells which ranks exchange data with each other, and for what: groups of tensor, expert, pipeline and data parallelism.
namespace a3sim {
namespace {

// Returns the communicator of "hcom_allReduce__483_0_1@1234"; without one, the tag 483, which is its name's end.
std::string communicator_of(std::string_view name) {
  const std::size_t at = name.find('@');
  if (at != std::string_view::npos && at + 1 < name.size()) return printable(name.substr(at + 1));
  const std::size_t tag = name.find("__");
  if (tag == std::string_view::npos) return "";
  const std::string_view rest = name.substr(tag + 2);
  return printable(rest.substr(0, rest.find('_')));
}

// Returns what a framework's name of a group means: "tp", "dp_cp", "pp", "ep", "tensor_model_parallel".
GroupKind kind_of_use(const std::string& use) {
  struct Use {
    std::string_view part;
    GroupKind kind;
  };
  constexpr std::array kUses{Use{"pp", GroupKind::kPipeline}, Use{"pipeline", GroupKind::kPipeline},
                             Use{"ep", GroupKind::kExpert},   Use{"exp", GroupKind::kExpert},
                             Use{"dp", GroupKind::kData},     Use{"data", GroupKind::kData},
                             Use{"tp", GroupKind::kTensor},   Use{"tensor", GroupKind::kTensor}};
  for (const Use& known : kUses)
    if (use.starts_with(known.part)) return known.kind;
  return GroupKind::kUnknown;
}

bool has_part(std::string_view name, std::string_view part) {
  return std::ranges::search(name, part, [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
         }).begin() != name.end();
}

// The figures of a group's exchanges.
struct GroupCalls {
  double pairs = 0, alltoall = 0, collectives = 0;  // number of calls
  double exposed = 0, elapsed = 0;                  // seconds of collectives
  std::set<std::pair<std::uint64_t, std::uint32_t>> rank_steps;
  double calls_per_step() const {
    return collectives / static_cast<double>(std::max<std::size_t>(1, rank_steps.size()));
  }
};

// Ranks of a pipeline send to each other, those of experts exchange rows. Partial sums of a layer are needed at once, many
// times per step, and between neighbours; gradients are summed up few times, beside computing or behind it.
GroupKind inferred(const GroupCalls& seen, const std::vector<std::uint32_t>& ranks) {
  constexpr double kOften = 8, kAlone = 0.5;
  if (seen.pairs > seen.collectives) return GroupKind::kPipeline;
  if (seen.collectives == 0) return GroupKind::kUnknown;
  if (2 * seen.alltoall > seen.collectives) return GroupKind::kExpert;
  if (ranks.size() < 2) return GroupKind::kUnknown;  // who else is in it was not profiled
  const bool neighbours = ranks.back() - ranks.front() + 1 == ranks.size();
  if (seen.calls_per_step() >= kOften && seen.exposed > kAlone * seen.elapsed && neighbours)
    return GroupKind::kTensor;
  return GroupKind::kData;
}

}  // namespace

void JobReader::group(const std::string& name, const std::string& use, std::span<const std::uint32_t> ranks) {
  constexpr std::size_t kMostGroups = 100'000;
  const auto [found, added] =
      groups_.try_emplace(printable(name), static_cast<std::uint32_t>(to_.time_.groups.size()));
  if (!added || to_.time_.groups.size() == kMostGroups) return;
  ProfiledGroup& group = to_.time_.groups.emplace_back();
  group.name = found->first;
  group.kind = kind_of_use(use);
  group.told = group.kind != GroupKind::kUnknown;
  group.ranks.assign(ranks.begin(), ranks.end());
  std::ranges::sort(group.ranks);
}

std::uint32_t JobReader::group_of(std::string_view exchange, std::uint32_t rank) {
  constexpr std::size_t kMostGroups = 100'000;
  std::string name = communicator_of(exchange);
  // A table of kernels has the end of the communicator's name alone.
  if (!groups_.contains(name) && exchange.find('@') == std::string_view::npos && !name.empty())
    for (const auto& [known, index] : groups_)
      if (known.size() > name.size() && known.ends_with(name)) {
        name = known;
        break;
      }
  auto found = groups_.find(name);
  if (found == groups_.end()) {
    if (to_.time_.groups.size() == kMostGroups) return 0;
    found = groups_.try_emplace(name, static_cast<std::uint32_t>(to_.time_.groups.size())).first;
    to_.time_.groups.emplace_back().name = name;
  }
  std::vector<std::uint32_t>& ranks = to_.time_.groups[found->second].ranks;
  const auto place = std::ranges::lower_bound(ranks, rank);
  if (place == ranks.end() || *place != rank) ranks.insert(place, rank);
  return found->second;
}

std::uint32_t JobReader::call_of(std::string_view name) {
  return calls_.try_emplace(printable(name), static_cast<std::uint32_t>(calls_.size())).first->second;
}

void JobReader::name_groups() {
  std::vector<ProfiledGroup>& groups = to_.time_.groups;
  std::vector<GroupCalls> seen(groups.size());
  for (const auto& [number, ranks] : seen_) {
    for (const auto& [rank, step] : ranks) {
      for (const GatheredRankStep::Exchange& exchange : step.exchanges) {
        GroupCalls& sum = seen[exchange.group];
        sum.rank_steps.emplace(number, rank);
        if (!exchange.collective) {
          ++sum.pairs;
          continue;
        }
        ++sum.collectives;
        sum.alltoall += has_part(to_.job_.names[exchange.name], "alltoall");
        if (exchange.start >= exchange.end) continue;
        sum.elapsed += seconds(exchange.end - exchange.start);
        sum.exposed += seconds(exchange.end - exchange.start) -
                       seconds(length_of(times_within(step.kernels, exchange.start, exchange.end)));
      }
    }
  }
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (!groups[g].told) groups[g].kind = inferred(seen[g], groups[g].ranks);
}

}  // namespace a3sim
