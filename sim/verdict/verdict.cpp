#include "sim/verdict/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "sim/variation/noise.h"
#include "traces/analysis/explanation.h"
#include "traces/analysis/held_links.h"
#include "traces/analysis/operator_blame.h"

namespace a3sim {
namespace {

constexpr double kNamedShare = 0.05;  // of the path; less is not named
constexpr std::size_t kNamedCauses = 3;
constexpr double kNoGain = 0.001, kShown = 0.0005;

// "puts that share a port", or the cables if these delay puts more.
std::string cause_name(const Trace& trace, const CriticalPath& path, Blame cause) {
  if (cause == Blame::kLink) {
    const std::string link = link_name(trace, path, Duration::zero(), trace.makespan);
    if (link != name_of(Blame::kLink))
      return fmt::format("{} that share {}", transfers_of(trace.machine), link);
  }
  return described(cause, trace.machine);
}

// "GMM1, SwiGLU and GMM2"
std::string enumerated(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

// "cube arithmetic 67.7 % (GMM1 and GMM2)"
std::string share_of_path(const PathShare& share) {
  return fmt::format("{} {}{}", share.name, in_percent(share.part),
                     share.operators.empty() ? "" : fmt::format(" ({})", enumerated(share.operators)));
}

std::string path_sentence(const Verdict& verdict) {
  std::vector<std::string> named;
  for (const PathShare& share : verdict.path)
    if (named.empty() || (named.size() < kNamedCauses && share.part >= kNamedShare))
      named.push_back(share_of_path(share));
  return named.empty() ? std::string() : fmt::format("On the critical path: {}.", enumerated(named));
}

// "3.8 % (+3.1..+4.0 %)"; "nothing but noise (-0.1..+0.2 %)"
std::string gain_of(const MedianInterval& gain) {
  const std::string interval = interval_in_percent(gain);
  if (is_noise(gain)) return fmt::format("nothing but noise ({})", interval.substr(0, interval.find(',')));
  return in_percent(gain.median) + (interval.empty() ? "" : fmt::format(" ({})", interval));
}

std::string gains_of(const LimitCandidate& candidate) {
  if (!candidate.better) return fmt::format("{}: without it {}", candidate.name, gain_of(*candidate.free));
  std::string text = fmt::format("{}: 10 % better gains {}", candidate.name, gain_of(*candidate.better));
  if (candidate.free) text += fmt::format(", free {}", gain_of(*candidate.free));
  return text;
}

// "put 30.1 %, link 60.1 %": all causes that are the candidate's own.
std::string evidence_of(const Verdict& verdict, const LimitCandidate& candidate) {
  std::string text = evidence_of(verdict, candidate.cause);
  for (const std::string& cause : candidate.also) {
    const std::string more = evidence_of(verdict, cause);
    text += (text.empty() || more.empty() ? "" : ", ") + more;
  }
  return text;
}

double gain_if_free(const LimitCandidate& candidate) {
  return candidate.free && !is_noise(*candidate.free) ? candidate.free->median : -1;
}

bool has_part(const LimitCandidate& candidate, const std::string& name) {
  return std::ranges::find(candidate.parts, name) != candidate.parts.end();
}

// Names the part that binds, the next one that is no part of it nor holds it, and those that would gain more than both if they
// were free.
std::string gain_sentence(const Verdict& verdict) {
  const std::vector<LimitCandidate>& all = verdict.candidates;
  const LimitCandidate& first = all.front();
  const bool binds = first.gain() >= kNoGain;
  const auto other = [&](const LimitCandidate& one) {
    const bool alone = !has_part(first, one.name) && !has_part(one, first.name);
    return alone && one.name != first.name && one.gain() >= kNoGain;
  };
  std::string text = binds ? fmt::format("Limited by {}", gains_of(first))
                           : fmt::format("No part gains {} if it is 10 % better", in_percent(kNoGain));
  const auto next = std::ranges::find_if(all, other);
  if (binds && next != all.end()) text += fmt::format("; next {}", gains_of(*next));
  const auto most = std::ranges::max_element(all, {}, gain_if_free);
  if (gain_if_free(*most) >= kNoGain && most != next && (!binds || most != all.begin()))
    text += fmt::format("; {}, {} would gain most: {}", most->better ? "free" : "absent", most->name,
                        gain_of(*most->free));
  return text + ".";
}

// Says where the path spends far more time on a cause than its part gains if it is free.
std::string contrast_sentence(const Verdict& verdict) {
  if (verdict.path.empty() || verdict.path.front().part < kNamedShare) return {};
  const PathShare& most = verdict.path.front();
  // Of several that the cause may be of, as ports and cables, the one that gains most.
  const auto gain = [&](const LimitCandidate& candidate) {
    const bool own = candidate.cause == name_of(most.cause) ||
                     std::ranges::find(candidate.also, name_of(most.cause)) != candidate.also.end();
    return own && candidate.free && !candidate.together() ? candidate.free->median : -1;
  };
  const auto own = std::ranges::max_element(verdict.candidates, {}, gain);
  if (own == verdict.candidates.end() || gain(*own) < 0 || gain(*own) > most.part / kFarLess)
    return path_sentence(verdict);
  const auto group = std::ranges::find_if(verdict.candidates, &LimitCandidate::together);
  std::string why = "other parts take nearly as long at the same time";
  if (group != verdict.candidates.end())
    why = group == verdict.candidates.begin()
              ? fmt::format("these {} parts pace the same tasks", group->parts.size())
              : fmt::format("{} pace the same tasks, and free together they gain {}", group->name,
                            gain_of(*group->free));
  return fmt::format("The critical path spends {} on {}{}, yet {} free gains {}{}: {}.",
                     in_percent(most.part), most.name,
                     most.operators.empty() ? "" : " in " + enumerated(most.operators), own->name,
                     is_noise(*own->free) ? "" : "only ", gain_of(*own->free), why);
}

// Says which kernels hide what binds them, unless a part of the machine that paces them was tried, as a link to the host is.
std::string unknown_sentence(const Verdict& verdict) {
  const auto unknown = std::ranges::find(verdict.path, Blame::kUnknown, &PathShare::cause);
  if (unknown == verdict.path.end() || unknown->part < kNamedShare) return {};
  const auto paces = [](const LimitCandidate& one) {
    return one.cause == name_of(Blame::kUnknown) && one.gain() >= kNoGain;
  };
  if (std::ranges::any_of(verdict.candidates, paces)) return {};
  return fmt::format("What binds {}, {} of the critical path, is not known: only {} is.",
                     unknown->operators.empty() ? "its kernels" : enumerated(unknown->operators),
                     in_percent(unknown->part), unknown->operators.size() == 1 ? "its time" : "their time");
}

std::string order_sentence(const Verdict& verdict) {
  if (verdict.bound <= Duration::zero()) return {};
  return fmt::format("{} at most {}: the bound is {} ({}).",
                     verdict.streams ? "The same kernels at other times gain" : "Another order gains",
                     in_percent(verdict.room()), in_ms_or_s(verdict.bound), verdict.bound_by);
}

std::string other_order(const Verdict& verdict) {
  return verdict.streams ? "other times of the kernels" : "another order";
}

// Where nothing was tried: the causes, and the order.
void add_path(Report& report, const Verdict& verdict) {
  if (verdict.path.empty()) return;
  Table& table =
      report.table("path", {Column::words(verdict.pass + ": on the critical path", "cause"),
                            Column::percent("of it", "share"), Column::words("mostly in", "operators")});
  for (const PathShare& share : verdict.path)
    table.add({share.name, share.part, enumerated(share.operators)},
              share.part >= kShown ? Audience::kAll : Audience::kPrograms);
  if (verdict.bound > Duration::zero())
    table.add(
        {other_order(verdict) + (verdict.streams ? " gain at most" : " gains at most"), verdict.room(), ""},
        Audience::kPeople);
}

}  // namespace

double part_of_path(const Verdict& verdict, std::string_view cause) {
  const auto found =
      std::ranges::find(verdict.path, cause, [](const PathShare& share) { return name_of(share.cause); });
  return found == verdict.path.end() ? 0 : found->part;
}

std::string evidence_of(const Verdict& verdict, std::string_view cause) {
  const double part = part_of_path(verdict, cause);
  return part > 0 ? fmt::format("{} {}", cause, in_percent(part)) : "";
}

std::string bound_name(const Bounds& bounds) {
  const Bound binding = bounds.binding();
  return binding == Bound::kCable ? "cable " + bounds.cable : std::string(name_of(binding));
}

Verdict verdict_of(std::string pass, const Trace& trace, const CriticalPath* path, Duration bound,
                   std::string bound_by) {
  Verdict verdict{std::move(pass), trace.latency(), bound, std::move(bound_by), {}};
  if (trace.machine.streams) verdict.on_streams();
  if (!path) return verdict;
  for (const MainBlame& blame : ranked_blame(blame_of(trace, *path)))
    verdict.path.push_back({blame.blame, cause_name(trace, *path, blame.blame), blame.part, blame.operators});
  return verdict;
}

void Verdict::on_streams() {
  streams = true;
  if (bound_by == name_of(Bound::kCube)) bound_by = "kernels of one die";
}

void rank(Verdict& verdict) {
  std::ranges::stable_sort(verdict.candidates, std::greater{}, &LimitCandidate::gain);
}

std::string joined_name(const std::vector<std::string>& parts) {
  std::string name;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t comma = parts[i].find(", ");
    const std::string start = parts[i].substr(0, comma);
    std::string kinds = comma == std::string::npos ? "" : parts[i].substr(comma + 2);
    while (!kinds.empty() && i + 1 < parts.size() && parts[i + 1].starts_with(start + ", "))
      kinds += parts[++i].substr(start.size());
    name += (name.empty() ? "" : " + ") + start + (kinds.empty() ? "" : fmt::format(" ({})", kinds));
  }
  return name;
}

std::string verdict_text(const Verdict& verdict) {
  std::vector<std::string> sentences;
  if (verdict.candidates.empty()) {
    sentences.push_back(path_sentence(verdict));
    if (!verdict.path.empty())
      sentences.push_back(verdict.not_tried.empty()
                              ? "'a3sim explain' says what each part of the machine would gain."
                              : verdict.not_tried);
  } else {
    sentences = {gain_sentence(verdict), contrast_sentence(verdict)};
  }
  sentences.push_back(unknown_sentence(verdict));
  sentences.push_back(order_sentence(verdict));
  std::erase(sentences, std::string());
  return fmt::format("{}{}{}", verdict.pass, verdict.pass.empty() ? "" : ": ", fmt::join(sentences, " "));
}

void add_limits(Report& report, const Verdict& verdict) {
  if (verdict.candidates.empty()) return add_path(report, verdict);
  const auto interval_of = [](const std::optional<MedianInterval>& gain) {
    return gain ? interval_in_percent(*gain) : std::string();
  };
  const bool intervals = std::ranges::any_of(verdict.candidates, [&](const LimitCandidate& candidate) {
    return !interval_of(candidate.better).empty() || !interval_of(candidate.free).empty();
  });
  std::vector<Column> columns{Column::words(verdict.pass + ": what limits it", "limit"),
                              Column::percent("10 % better gains", "gain_10_percent")};
  if (intervals) columns.push_back(Column::words("95 %").for_people());
  columns.push_back(Column::percent("free gains", "gain_free"));
  if (intervals) columns.push_back(Column::words("95 % if free", "95 %").for_people());
  columns.push_back(Column::words("on the critical path", "blamed"));
  Table& table = report.table("limits", std::move(columns));
  using Gain = std::optional<MedianInterval>;
  const auto add = [&](const std::string& name, const Gain& better, const Gain& free,
                       const std::string& evidence, Audience seen) {
    std::vector<Cell> row{name};
    for (const Gain* const gain : {&better, &free}) {
      row.push_back(*gain ? Cell((*gain)->median) : Cell());
      if (intervals) row.emplace_back(interval_of(*gain));
    }
    row.emplace_back(evidence);
    table.add(std::move(row), seen);
  };
  // People see what gains anything, and what the path is blamed on.
  const auto shows = [&](const LimitCandidate& candidate) {
    const auto gains = [](const Gain& gain) { return gain && std::abs(gain->median) >= kShown; };
    return gains(candidate.better) || gains(candidate.free) ||
           part_of_path(verdict, candidate.cause) >= kNamedShare;
  };
  for (const LimitCandidate& candidate : verdict.candidates)
    add(candidate.name, candidate.better, candidate.free, evidence_of(verdict, candidate),
        shows(candidate) ? Audience::kAll : Audience::kPrograms);
  if (verdict.bound > Duration::zero())
    add(other_order(verdict) + ", at most", std::nullopt,
        MedianInterval{verdict.room(), verdict.room(), verdict.room()},
        fmt::format("bound {}, {}", in_ms_or_s(verdict.bound), verdict.bound_by), Audience::kAll);
}

void add_verdict(Report& report, const Verdict& verdict) {
  add_limits(report, verdict);
  report.say(verdict_text(verdict) + '\n', "verdict");
}

}  // namespace a3sim
