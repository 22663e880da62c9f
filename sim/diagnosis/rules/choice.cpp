#include "sim/diagnosis/rules/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "sim/diagnosis/rules/hosts.h"

namespace a3sim {
namespace {

constexpr double kLeast = 0.25;  // part of the lag: a cause that explains less is dropped
constexpr double kSure = 0.5;    // part of the lag: a cause that explains more rules out what follows from it
constexpr double kBeside = 0.3;  // part of the strongest cause: another one holds beside it

bool is_of(const Finding& finding, std::string_view family) { return finding.cause.starts_with(family); }

bool share_place(const Finding& a, const Finding& b) {
  return std::ranges::any_of(
             a.ranks, [&](std::uint32_t r) { return std::ranges::find(b.ranks, r) != b.ranks.end(); }) ||
         (a.ranks.empty() && b.ranks.empty());
}

// Returns whether `other` follows from `cause`.
bool follows(const Finding& cause, const Finding& other) {
  // Transfers to a rank with more rows share its port with more transfers.
  if (cause.cause == "load.imbalance" && is_of(other, "comm.") && share_place(cause, other))
    return cause.confidence >= kLeast;
  if (cause.confidence < kSure) return false;
  if (is_of(cause, "io.")) return !is_of(other, "io.");
  if (is_of(cause, "host.")) return !is_of(other, "io.") && !is_of(other, "host.");
  if (cause.cause == "load.imbalance") return is_of(other, "compute.") || is_of(other, "comm.");
  if (cause.cause == "comm.small")
    return is_of(other, "comm.") || is_of(other, "compute.") || is_of(other, "parallel.");
  if (cause.cause == "comm.resend" && (other.cause == "comm.link" || other.cause == "comm.flapping"))
    return true;
  if (cause.cause == "compute.clock" && is_of(other, "compute.")) return share_place(cause, other);
  if (is_of(cause, "comm.") && (other.cause == "comm.config" || other.cause == "comm.contention"))
    return true;
  return is_of(cause, "comm.") && other.cause == "parallel.overlap";
}

bool same_place(const Finding& a, const Finding& b) {
  return a.ranks == b.ranks && a.links == b.links && a.operators == b.operators;
}

void merge(Finding& into, const Finding& other) {
  const double a = into.last - into.first + 1, b = other.last - other.first + 1;
  std::set<std::uint32_t> ranks(into.ranks.begin(), into.ranks.end());
  ranks.insert(other.ranks.begin(), other.ranks.end());
  into.ranks.assign(ranks.begin(), ranks.end());
  const double lost = into.lost_ms * a + other.lost_ms * b, share = into.share * a + other.share * b;
  if (other.lost_ms * b > into.lost_ms * a) {
    into.evidence = other.evidence;
    into.confidence = other.confidence;
    into.factor = other.factor;
  }
  into.first = std::min(into.first, other.first);
  into.last = std::max(into.last, other.last);
  const double length = into.last - into.first + 1;
  into.lost_ms = lost / length;
  into.share = share / length;
  for (Remedy& remedy : into.remedies) remedy.gain_ms = into.lost_ms;
}

}  // namespace

std::vector<Finding> choose(std::vector<Finding> candidates) {
  std::ranges::stable_sort(candidates,
                           [](const Finding& a, const Finding& b) { return a.confidence > b.confidence; });
  std::vector<Finding> chosen;
  for (const Finding& candidate : candidates) {
    if (candidate.confidence < kLeast) continue;
    const bool follows_from_one = std::ranges::any_of(
        candidates, [&](const Finding& other) { return &other != &candidate && follows(other, candidate); });
    if (follows_from_one) continue;
    const bool weak = !chosen.empty() && candidate.confidence < kBeside * chosen.front().confidence;
    // Whether a chosen cause explains the same time of the same ranks.
    const bool told = std::ranges::any_of(chosen, [&](const Finding& other) {
      return share_place(candidate, other) && candidate.confidence + other.confidence > 1.2;
    });
    if (!weak && !told) chosen.push_back(candidate);
  }
  return chosen;
}

std::vector<RuledOut> ruled_out(const Slowdown& slowdown, const Finding& finding,
                                const std::vector<Finding>& chosen) {
  constexpr double kMs = 1e-9;
  std::vector<RuledOut> out;
  const auto other = [&](std::string_view family) {
    return !is_of(finding, family) &&
           std::ranges::none_of(chosen, [&](const Finding& of_it) { return is_of(of_it, family); });
  };
  const HostLag host = host_lag(slowdown);
  if (other("io.") && other("host.") && !host.found())
    out.push_back({"host, io",
                   fmt::format("no device waited for its host: at most {:.3f} ms a step", host.most * kMs)});
  else if (other("io.") && host.found() && !waits_for_batches(slowdown))
    out.push_back({"io", "batches were ready for the devices"});
  double clock = 2, rows = 0, slowest = 0;
  for (const OperatorLag& lag : slowdown.operators)
    if (!(static_cast<double>(lag.now.clock) >= clock)) clock = static_cast<double>(lag.now.clock);
  for (std::uint32_t r = 0; r < slowdown.observation.ranks(); ++r)
    rows = std::max(rows, slowdown.ratio(Measure::kRows, r));
  for (const auto& row : slowdown.transfers.rates.cells)
    for (const double cell : row) slowest = std::min(slowest, cell);
  if (other("compute.clock") && clock <= 1)
    out.push_back(
        {"compute.clock", fmt::format("the lowest clock that was recorded is {:.3f} of the nominal", clock)});
  if (other("load.imbalance"))
    out.push_back({"load.imbalance", fmt::format("no rank has more than {:.3f} of its usual rows", rows)});
  if (other("comm.") && !slowdown.transfers.puts.empty())
    out.push_back({"comm", fmt::format("the slowest way between ranks has {:.3f} of its usual rate",
                                       std::exp(slowest))});
  return out;
}

std::vector<Finding> join(std::vector<Finding> findings) {
  constexpr std::uint32_t kApart = 8;
  std::ranges::stable_sort(findings, {}, &Finding::first);
  std::vector<Finding> joined;
  for (Finding& finding : findings) {
    const auto same = std::ranges::find_if(joined, [&](const Finding& other) {
      return other.cause == finding.cause && other.side == finding.side && same_place(other, finding) &&
             finding.first <= other.last + kApart;
    });
    if (same == joined.end())
      joined.push_back(std::move(finding));
    else
      merge(*same, finding);
  }
  std::ranges::stable_sort(joined, [](const Finding& a, const Finding& b) {
    return a.lost_ms * (a.last - a.first + 1) > b.lost_ms * (b.last - b.first + 1);
  });
  return joined;
}

}  // namespace a3sim
