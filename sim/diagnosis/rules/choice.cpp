#include "sim/diagnosis/rules/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "sim/diagnosis/rules/hosts.h"

namespace a3sim {
namespace {

constexpr double kLeast = 0.25;    // part of the lag: a cause that explains less is dropped,
constexpr double kLittle = 0.1;    // unless it explains this part, and
constexpr double kMatters = 0.03;  // this part of a usual step
constexpr double kSlowWay = 0.5;   // of the rate of other ways
constexpr double kSure = 0.5;    // part of the lag: a cause that explains more rules out what follows from it
constexpr double kBoth = 1.2;    // part of the lag: two causes that claim more claim the same time
constexpr double kBeside = 0.3;  // part of the strongest cause: another one holds beside it

bool is_of(const Finding& finding, std::string_view family) { return finding.cause.starts_with(family); }

// Returns the ranks that a finding names, and the ends of its links.
std::set<std::uint32_t> ends_of(const Finding& finding) {
  std::set<std::uint32_t> ranks(finding.ranks.begin(), finding.ranks.end());
  for (const auto& [from, to] : finding.links) ranks.insert({from, to});
  return ranks;
}

// Returns whether a cause is read from the records, whatever else slows the same ranks: a low clock, a timeout.
bool is_read(const Finding& finding) {
  return finding.cause == "compute.clock" || finding.cause == "comm.resend";
}

// Returns whether a finding is of a port or a path that is much slower than the others: small transfers make all ways slow, or
// all of a plane.
bool is_slow_way(const Finding& finding, const Finding& small) {
  const bool link = finding.cause == "comm.link" || finding.cause == "comm.flapping";
  return link && finding.factor < kSlowWay && 2 * finding.ranks.size() <= small.ranks.size();
}

// Returns whether `other` follows from `cause`.
bool follows(const Finding& cause, const Finding& other) {
  // Transfers to a rank with more rows share its port with more transfers. A way that carries less is slow itself.
  if (cause.cause == "load.imbalance" && is_of(other, "comm.") && other.cause != "comm.resend" &&
      !other.carries_less && share_place(cause, other))
    return cause.explains >= kLeast;
  // More rows take what operators load and store longer, not only their arithmetic.
  if (cause.cause == "load.imbalance" && other.cause == "compute.hbm") return cause.explains >= kLeast;
  // Where more is known of a slow rank, that is the cause.
  if (other.cause == "compute.straggler" && (is_of(cause, "compute.") || cause.cause == "load.imbalance"))
    return cause.cause != other.cause && 2 * cause.explains >= other.explains && share_place(cause, other);
  // Slow memory slows operators of its rank.
  if (cause.cause == "compute.hbm" && is_of(other, "compute.") && !other.operators.empty() &&
      share_place(cause, other))
    return cause.explains >= other.explains;
  // Cables are named only where they fit the slow transfers better than any port does.
  if (cause.cause == "comm.cable" && is_of(other, "comm.") && other.cause != "comm.cable")
    return cause.explains >= other.explains;
  // Single late puts make the rate of their way low too.
  if (cause.cause == "comm.resend" && (other.cause == "comm.link" || other.cause == "comm.flapping"))
    return cause.explains >= other.explains && share_place(cause, other);
  if (cause.explains < kSure) return false;
  // Time in which a rank waits for its host is not spent in its other work. A slowdown on another rank does
  // not follow from it.
  const bool of_host = is_of(other, "io.") || is_of(other, "host.");
  if (is_of(cause, "io.") || is_of(cause, "host."))
    return !of_host && !is_read(other) && share_place(cause, other) &&
           cause.explains + other.explains > kBoth;
  // More rows take longer, and send more. Operators are compared at equal work, clocks are read, and timeouts are alike.
  if (cause.cause == "load.imbalance")
    return is_of(other, "comm.") && other.cause != "comm.resend" && !other.carries_less;
  if (cause.cause == "comm.small")
    return !is_read(other) && !is_slow_way(other, cause) &&
           (is_of(other, "comm.") || is_of(other, "compute.") || is_of(other, "parallel."));
  if (is_of(cause, "comm.") && (other.cause == "comm.config" || other.cause == "comm.contention"))
    return true;
  return is_of(cause, "comm.") && other.cause == "parallel.overlap";
}

bool contains(const std::vector<std::uint32_t>& all, const std::vector<std::uint32_t>& some) {
  return std::ranges::includes(all, some);
}

// Returns whether two findings name the same place, even if one of them sees fewer of its ranks.
bool same_place(const Finding& a, const Finding& b) {
  const bool ranks =
      a.ranks.empty() == b.ranks.empty() && (contains(a.ranks, b.ranks) || contains(b.ranks, a.ranks));
  return ranks && a.side == b.side && a.links == b.links && a.operators == b.operators &&
         a.cables == b.cables;
}

// Returns whether two findings are of one cause whose ranks differ by chance: hosts are late now here, now there.
bool same_hosts(const Finding& a, const Finding& b) {
  return is_of(a, "host.") && a.cause == b.cause && share_place(a, b);
}

void merge(Finding& into, const Finding& other) {
  if (into.ranks != other.ranks)
    into.set = contains(into.ranks, other.ranks)   ? into.set
               : contains(other.ranks, into.ranks) ? other.set
                                                   : "";
  const double a = into.last - into.first + 1, b = other.last - other.first + 1;
  std::set<std::uint32_t> ranks(into.ranks.begin(), into.ranks.end());
  ranks.insert(other.ranks.begin(), other.ranks.end());
  into.ranks.assign(ranks.begin(), ranks.end());
  const double lost = into.lost_ms * a + other.lost_ms * b, share = into.share * a + other.share * b;
  if (other.lost_ms * b > into.lost_ms * a) {
    into.evidence = other.evidence;
    into.explains = other.explains;
    into.confidence = other.confidence;
    into.factor = other.factor;
  }
  into.first = std::min(into.first, other.first);
  into.last = std::max(into.last, other.last);
  const double length = into.last - into.first + 1;
  into.lost_ms = lost / length;
  into.share = share / length;
  into.parts.insert(into.parts.end(), other.parts.begin(), other.parts.end());
  for (Remedy& remedy : into.remedies) remedy.gain_ms = into.lost_ms;
}

constexpr std::uint32_t kApart = 8;  // steps between two parts of one finding

// Returns whether steps of two findings overlap or follow one another.
bool meet(const Finding& a, const Finding& b) { return a.first <= b.last + 1 && b.first <= a.last + 1; }

// Merges ports that look steadily slow in a part of the steps, or just before or after them, into the finding that they
// come and go.
void join_flapping(std::vector<Finding>& findings) {
  for (std::size_t at = 0; at < findings.size();) {
    const Finding& steady = findings[at];
    const auto flapping = std::ranges::find_if(findings, [&](const Finding& other) {
      return steady.cause == "comm.link" && !steady.ranks.empty() && other.cause == "comm.flapping" &&
             other.ranks == steady.ranks && meet(other, steady);
    });
    if (flapping == findings.end()) {
      ++at;
      continue;
    }
    const std::vector<Evidence> evidence = flapping->evidence;
    merge(*flapping, steady);
    flapping->evidence = evidence;
    findings.erase(findings.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

// Returns the findings of one cause that follow one another on different ranks, starting at `at`.
std::vector<std::size_t> path_of(const std::vector<Finding>& findings, std::size_t at) {
  std::vector<std::size_t> path{at};
  for (std::size_t i = at + 1; i < findings.size(); ++i) {
    const Finding &last = findings[path.back()], &next = findings[i];
    if (next.cause == last.cause && next.side == last.side && next.operators == last.operators &&
        next.links.empty() && last.links.empty() && next.ranks.size() == last.ranks.size() &&
        next.ranks != last.ranks && next.first + 1 >= last.last && next.first <= last.last + kApart)
      path.push_back(i);
  }
  return path;
}

// Merges the findings of a cause that moves through three places or more into one. The findings are in the
// order of their first steps.
void join_moves(std::vector<Finding>& findings) {
  constexpr std::size_t kPlaces = 3;
  for (std::size_t at = 0; at < findings.size(); ++at) {
    const std::vector<std::size_t> path = path_of(findings, at);
    if (path.size() < kPlaces || findings[at].ranks.empty()) continue;
    for (std::size_t p = 1; p < path.size(); ++p) merge(findings[at], findings[path[p]]);
    findings[at].moves = true;
    for (std::size_t p = path.size() - 1; p > 0; --p)
      findings.erase(findings.begin() + static_cast<std::ptrdiff_t>(path[p]));
  }
}

// Returns the part of the lag that hosts explain on ranks that a finding names.
double explained_beside(const Finding& finding, const std::vector<Finding>& chosen) {
  double sum = 0;
  for (const Finding& other : chosen)
    if ((is_of(other, "io.") || is_of(other, "host.")) && share_place(finding, other)) sum += other.explains;
  return std::min(1.0, sum);
}

// Leaves to small transfers what a way that is much slower than others does not explain, unless that way is slow for another
// reason.
void share_with_slow_ways(std::vector<Finding>& candidates) {
  for (Finding& small : candidates) {
    if (small.cause != "comm.small") continue;
    for (const Finding& way : candidates)
      if (is_slow_way(way, small) && std::ranges::none_of(candidates, [&](const Finding& cause) {
            return &cause != &way && follows(cause, way);
          }))
        small.explains = std::min(small.explains, 1 - way.explains);
  }
}

}  // namespace

bool share_place(const Finding& a, const Finding& b) {
  const std::set<std::uint32_t> of_a = ends_of(a), of_b = ends_of(b);
  return std::ranges::any_of(of_a, [&](std::uint32_t r) { return of_b.contains(r); }) ||
         (of_a.empty() && of_b.empty());
}

std::vector<Finding> choose(std::vector<Finding> candidates, double lag) {
  const auto matters = [&](const Finding& candidate) {
    return candidate.explains >= kLittle && candidate.explains * lag >= kMatters;
  };
  share_with_slow_ways(candidates);
  const auto is_resend = [](const Finding& finding) { return finding.cause == "comm.resend"; };
  std::ranges::stable_sort(candidates, [&](const Finding& a, const Finding& b) {
    return std::pair(is_resend(b), a.explains) > std::pair(is_resend(a), b.explains);
  });
  std::vector<Finding> chosen;
  for (Finding& candidate : candidates) {
    // A timeout was seen, whatever else is wrong: it costs what that leaves of the lag.
    if (is_resend(candidate))
      candidate.explains = std::min(candidate.explains, 1 - explained_beside(candidate, chosen));
    if (candidate.explains < kLeast && !matters(candidate)) continue;
    const bool follows_from_one = std::ranges::any_of(
        candidates, [&](const Finding& other) { return &other != &candidate && follows(other, candidate); });
    if (follows_from_one) continue;
    const bool weak =
        !chosen.empty() && !matters(candidate) && candidate.explains < kBeside * chosen.front().explains;
    // True if a chosen cause explains the same time of the same ranks.
    const bool told = std::ranges::any_of(chosen, [&](const Finding& other) {
      const bool read =
          is_read(candidate) && (is_of(other, "host.") || is_of(other, "io.") || other.cause == "comm.small");
      // Events of a host are recorded: a rank that the other cause leaves out waits for its own ones.
      const bool own_host =
          is_of(candidate, "host.") && is_of(other, "host.") && !contains(other.ranks, candidate.ranks);
      return !read && !own_host && share_place(candidate, other) &&
             candidate.explains + other.explains > kBoth;
    });
    if (!weak && !told) chosen.push_back(candidate);
  }
  return chosen;
}

std::vector<RuledOut> ruled_out(const Slowdown& slowdown, const Finding& finding,
                                const std::vector<Finding>& chosen, const RuleLimits& limits) {
  constexpr double kMs = 1e-9;
  std::vector<RuledOut> out;
  const auto other = [&](std::string_view family) {
    return !is_of(finding, family) &&
           std::ranges::none_of(chosen, [&](const Finding& of_it) { return is_of(of_it, family); });
  };
  const HostLag host = host_lag(slowdown);
  if (other("io.") && other("host.") && !host.found())
    out.push_back({"host, io", fmt::format("no device waited for its host: at most {:.3f} ms per step",
                                           host.most * kMs)});
  else if (other("io.") && host.found() && batches_were_ready(slowdown))
    out.push_back({"io", "batches were ready for the devices"});
  double clock = 2, rows = 0, slowest = 0;
  for (const OperatorLag& lag : slowdown.operators)
    if (!(static_cast<double>(lag.now.clock) >= clock)) clock = static_cast<double>(lag.now.clock);
  for (std::uint32_t r = 0; r < slowdown.observation.ranks(); ++r)
    rows = std::max(rows, slowdown.ratio(Measure::kRows, r));
  for (const auto& row : slowdown.transfers.rates.cells)
    for (const double cell : row) slowest = std::min(slowest, cell);
  if (other("compute.clock") && clock <= 1 && clock > 1 - limits("compute.clock", "low"))
    out.push_back(
        {"compute.clock", fmt::format("the lowest clock that was recorded is {:.3f} of the nominal", clock)});
  if (other("load.imbalance") && rows < 1 + limits("load.imbalance", "above"))
    out.push_back({"load.imbalance", fmt::format("no rank has more than {:.3f} of its usual rows", rows)});
  if (other("comm.") && !slowdown.transfers.puts.empty() && std::exp(slowest) > limits("comm.link", "slow"))
    out.push_back({"comm", fmt::format("the slowest way between ranks has {:.3f} of its usual rate",
                                       std::exp(slowest))});
  return out;
}

std::vector<Finding> join(std::vector<Finding> findings) {
  std::ranges::stable_sort(findings, {}, &Finding::first);
  std::vector<Finding> joined;
  for (Finding& finding : findings) {
    const auto same = std::ranges::find_if(joined, [&](const Finding& other) {
      return other.cause == finding.cause && finding.first <= other.last + kApart &&
             (same_place(other, finding) || same_hosts(other, finding));
    });
    if (same == joined.end())
      joined.push_back(std::move(finding));
    else
      merge(*same, finding);
  }
  join_flapping(joined);
  join_moves(joined);
  std::ranges::stable_sort(joined, [](const Finding& a, const Finding& b) {
    return a.lost_ms * (a.last - a.first + 1) > b.lost_ms * (b.last - b.first + 1);
  });
  return joined;
}

}  // namespace a3sim
