#include "traces/analysis/waterfall.h"

#include <algorithm>
#include <array>
#include <map>

namespace a3sim {
namespace {

// A bound's resource: its name in words, what the critical path spends on it, and time in which it is used
// in part.
struct Resource {
  std::string_view binding, words, in_part;
  std::vector<Blame> own;
};

const Resource& resource_of(std::string_view binding) {
  static const std::array<Resource, 4> kResources{
      {{"cube", "cube arithmetic", "cubes not all busy", {Blame::kCube}},
       {"vector", "vector arithmetic", "vector cores not all busy", {Blame::kVector}},
       {"HBM", "HBM traffic", "HBM used in part", {Blame::kHbm, Blame::kMiss}},
       {"link", "the busiest port", "port used in part", {Blame::kPut, Blame::kLink, Blame::kCollective}}}};
  static const Resource kOther{"", "", "", {}};
  const auto found = std::ranges::find(kResources, binding, &Resource::binding);
  return found == kResources.end() ? kOther : *found;
}

// Names the time in which the path was spent on a cause, and the cause that gives it its colour.
struct Named {
  std::string_view name;
  Blame cause;
};

Named named(Blame blame) {
  switch (blame) {
    case Blame::kCube:
      return {"matrix products", Blame::kCube};
    case Blame::kVector:
      return {"vector work", Blame::kVector};
    case Blame::kCore:
      return {"cores' own loads and starts", Blame::kCore};
    case Blame::kL2Read:
    case Blame::kL2Write:
      return {"L2 shared with other tasks", Blame::kL2Read};
    case Blame::kHbm:
      return {"HBM shared with other tasks", Blame::kHbm};
    case Blame::kMiss:
      return {"L2 misses", Blame::kMiss};
    case Blame::kPut:
    case Blame::kLink:
    case Blame::kHop:
    case Blame::kCollective:
      return {"exposed exchange", Blame::kPut};
    case Blame::kPoll:
    case Blame::kScheduling:
      return {"scheduling and polling", Blame::kScheduling};
    case Blame::kLaunch:
      return {"launches", Blame::kLaunch};
    case Blame::kHost:
      return {"the host's work", Blame::kHost};
    case Blame::kUnknown:
      return {"kernels known only by their time", Blame::kUnknown};
  }
  return {"", blame};
}

// Uses of a resource by one rank: amounts, each spread evenly over a stretch of time.
struct Use {
  Duration from{}, to{};
  double amount = 0;
};

double amount_of(const Trace& trace, const TraceTask& task, std::string_view binding) {
  const TaskUnit unit = trace.operators[task.op].unit;
  if (binding == "cube" && unit == TaskUnit::kCube) return static_cast<double>(task.arithmetic.count());
  if (binding == "vector" && unit == TaskUnit::kVector) return static_cast<double>(task.arithmetic.count());
  if (binding == "HBM") return static_cast<double>(task.hbm_bytes);
  if (binding == "link" && task.remote) return static_cast<double>(task.put_bytes);
  return 0;
}

// Returns the uses of the rank that uses most. A port has two sides, out and in.
std::vector<Use> busiest_uses(const Trace& trace, std::string_view binding) {
  const std::size_t ranks = trace.ranks.size();
  std::vector<std::vector<Use>> uses(2 * ranks);
  std::vector<double> sums(uses.size());
  const auto add = [&](std::size_t side, const Use& use) {
    uses[side].push_back(use);
    sums[side] += use.amount;
  };
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (const TraceTask& task : trace.ranks[rank]) {
      const Use use{task.start, binding == "link" ? task.done : task.end, amount_of(trace, task, binding)};
      if (use.amount <= 0 || use.to <= use.from) continue;
      add(rank, use);
      if (binding == "link") add(ranks + trace.rank_of(task.dst), use);
    }
  }
  return std::move(uses[static_cast<std::size_t>(std::ranges::max_element(sums) - sums.begin())]);
}

// Returns the amount used within each of the consecutive segments.
std::vector<double> amounts_in(const std::vector<PathSegment>& segments, const std::vector<Use>& uses) {
  std::map<Duration, double> changes;  // of the rate
  for (const Use& use : uses) {
    const double rate = use.amount / static_cast<double>((use.to - use.from).count());
    changes[use.from] += rate;
    changes[use.to] -= rate;
  }
  std::vector<double> amounts;
  double rate = 0;
  Duration at{};
  auto change = changes.begin();
  const auto advance = [&](Duration to) {
    double amount = 0;
    while (at < to) {
      const Duration next = change == changes.end() ? to : std::min(to, std::max(at, change->first));
      amount += rate * static_cast<double>((next - at).count());
      at = next;
      for (; change != changes.end() && change->first <= at; ++change) rate += change->second;
    }
    return std::max(0.0, amount);
  };
  for (const PathSegment& segment : segments) {
    advance(segment.from);
    amounts.push_back(advance(segment.to));
  }
  return amounts;
}

// Splits `whole` in proportion to the weights. The parts sum to it; none exceeds its weight if their sum does
// not fall short of `whole`.
std::vector<Duration> split(Duration whole, const std::vector<Duration>& weights) {
  __extension__ using Wide = __int128;
  Duration sum{}, until{}, given{};
  for (const Duration weight : weights) sum += weight;
  std::vector<Duration> parts;
  for (const Duration weight : weights) {
    until += weight;
    const Duration now =
        sum > Duration::zero()
            ? Duration(static_cast<std::int64_t>(Wide{whole.count()} * until.count() / sum.count()))
            : Duration::zero();
    parts.push_back(now - given);
    given = now;
  }
  return parts;
}

Duration length(const PathSegment& segment) { return segment.to - segment.from; }

// Returns for how long the resource counts as used to the full in each segment; sums to the bound.
std::vector<Duration> used_in(const Trace& trace, const std::vector<PathSegment>& segments, Duration bound,
                              std::string_view binding) {
  const std::vector<double> amounts = amounts_in(segments, busiest_uses(trace, binding));
  double all = 0;
  for (const double amount : amounts) all += amount;
  std::vector<Duration> used, free;
  Duration sum{};
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const double part = all > 0 ? amounts[i] / all * static_cast<double>(bound.count()) : 0;
    used.push_back(std::min({length(segments[i]), bound - sum, Duration(static_cast<std::int64_t>(part))}));
    sum += used.back();
    free.push_back(length(segments[i]) - used.back());
  }
  const std::vector<Duration> more = split(bound - sum, free);
  for (std::size_t i = 0; i < segments.size(); ++i) used[i] += more[i];
  return used;
}

// Collects time by name.
class Parts {
 public:
  void add(std::string_view name, Blame cause, Duration time) {
    if (time == Duration::zero()) return;
    const auto found = std::ranges::find(parts_, name, &WaterfallPart::name);
    if (found == parts_.end())
      parts_.push_back({std::string(name), cause, time});
    else
      found->time += time;
  }

  // Returns the parts, the largest first, with the small ones as one.
  std::vector<WaterfallPart> sorted(Duration latency) && {
    std::ranges::stable_sort(parts_, std::greater{}, &WaterfallPart::time);
    constexpr std::int64_t kSmall = 200;  // a part of the latency
    const auto small =
        std::ranges::find_if(parts_, [&](const WaterfallPart& part) { return part.time * kSmall < latency; });
    if (parts_.end() - small > 1) {
      WaterfallPart rest{"the rest", small->cause, {}};
      for (auto part = small; part != parts_.end(); ++part) rest.time += part->time;
      parts_.erase(small, parts_.end());
      parts_.push_back(std::move(rest));
    }
    return std::move(parts_);
  }

 private:
  std::vector<WaterfallPart> parts_;
};

// Adds the time of a segment in which the resource was not used to the full.
void add_rest(const PathSegment& segment, Duration rest, const Resource& resource, Parts& parts) {
  std::vector<Duration> others(segment.blame.begin(), segment.blame.end());
  for (const Blame blame : resource.own) others[static_cast<std::size_t>(blame)] = {};
  Duration sum{};
  for (const Duration other : others) sum += other;
  const std::vector<Duration> times = split(std::min(rest, sum), others);
  for (std::uint32_t b = 0; b < kBlames; ++b) {
    const Named part = named(static_cast<Blame>(b));
    parts.add(part.name, part.cause, times[b]);
  }
  if (rest > sum) parts.add(resource.in_part, resource.own.front(), rest - sum);
}

}  // namespace

Waterfall waterfall_of(const Trace& trace, const CriticalPath& path, Duration bound,
                       std::string_view bound_by) {
  // A cable carries what ports send.
  const bool cable = bound_by.starts_with("cable ");
  const std::string_view binding = cable ? "link" : bound_by;
  const Resource& resource = resource_of(binding);
  Waterfall waterfall;
  for (const PathSegment& segment : path.segments) waterfall.latency += length(segment);
  waterfall.bound = std::min(bound, waterfall.latency);
  if (waterfall.bound > Duration::zero())
    waterfall.limiter = cable ? std::string(bound_by)
                        : resource.words.empty()
                            ? (binding == "path" ? "the longest chain of tasks" : std::string(binding))
                            : std::string(resource.words);
  const std::vector<Duration> used = used_in(trace, path.segments, waterfall.bound, binding);
  Parts parts;
  for (std::size_t i = 0; i < path.segments.size(); ++i)
    add_rest(path.segments[i], length(path.segments[i]) - used[i], resource, parts);
  waterfall.parts = std::move(parts).sorted(waterfall.latency);
  return waterfall;
}

}  // namespace a3sim
