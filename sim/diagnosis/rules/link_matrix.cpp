#include "sim/diagnosis/rules/link_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "sim/core/statistics.h"

namespace a3sim {

LinkRates rates_of_matrix(const SteadyState& job, const ProfiledTime& time) {
  std::set<std::uint64_t> usual_steps;
  for (const FullStep& step : job.full) usual_steps.insert(job.observation.number_of(step.step));
  using Kind = std::tuple<std::string_view, std::uint32_t, std::string_view>;
  std::map<Kind, std::vector<const ProfiledLink*>> kinds;
  for (const ProfiledLink& link : time.links)
    if (std::max(link.from, link.to) < job.mean.size() && link.rate() > 0 &&
        (usual_steps.empty() || usual_steps.contains(link.step)))
      kinds[{link.name, link.group, link.transport}].push_back(&link);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<double>> cells;
  for (auto& [kind, links] : kinds) {
    std::vector<double> bytes, rates;
    for (const ProfiledLink* link : links) bytes.push_back(link->bytes);
    const double least = job.shared.at("matrix_as_large") * median(std::move(bytes));
    std::erase_if(links, [&](const ProfiledLink* link) { return link->bytes < least; });
    for (const ProfiledLink* link : links) rates.push_back(std::log(link->rate()));
    const double usual = median(rates);
    for (const ProfiledLink* link : links)
      cells[{link->from, link->to}].push_back(std::log(link->rate()) - usual);
  }
  if (cells.empty()) return {};
  LinkRates rates(job.mean.size());
  for (auto& [link, own] : cells) rates.cells[link.first][link.second] = median(std::move(own));
  return rates;
}

void add_matrix_link(const SlowLink& slow, const ProfiledTime& time, double threshold, Finding& finding) {
  constexpr double kGiga = 1e9;
  const auto is_on = [&](const ProfiledLink& link) {
    if (slow.kind == SlowLink::Kind::kPath) return link.from == slow.from && link.to == slow.to;
    return (slow.egress && std::ranges::binary_search(slow.ranks, link.from)) ||
           (slow.ingress && std::ranges::binary_search(slow.ranks, link.to));
  };
  const ProfiledLink* longest = nullptr;
  for (const ProfiledLink& link : time.links)
    if (is_on(link) && (!longest || link.transit > longest->transit)) longest = &link;
  if (!longest) return;
  std::vector<double> alike;
  for (const ProfiledLink& link : time.links)
    if (link.name == longest->name && link.group == longest->group && link.transport == longest->transport)
      alike.push_back(link.rate() / kGiga);
  const double usual = median(std::move(alike));
  finding.add(
      {fmt::format("{} from rank {} to rank {} over {}, {:.4g} MB; the usual pair has {:.4g}", longest->name,
                   longest->from, longest->to, longest->transport, longest->bytes / 1e6, usual),
       "GB/s", longest->rate() / kGiga, threshold * usual,
       RecordPlace(fmt::format("{}/communication_matrix.json: step {}", time.folders[longest->told_by],
                               longest->step))});
}

const ProfiledTime* matrix_of(const SteadyState& job) {
  const ProfiledTime* time = job.observation.profiled_time();
  const bool transfers =
      std::ranges::any_of(job.full, [](const FullStep& step) { return !step.transfers.empty(); });
  return time && !transfers && !time->links.empty() ? time : nullptr;
}

}  // namespace a3sim
