#include "sim/result/waterfall_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/analysis/waterfall.h"

namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;

Waterfall waterfall_of_pass(const AnalysedPass& pass) {
  return waterfall_of(pass.pass->trace, pass.explained->path, pass.verdict.bound, pass.verdict.bound_by);
}

// Returns a bar: a whole that begins at zero, or a part that goes on where the one before ended.
Json bar(const std::string& name, Duration time, bool whole, std::string_view cause = "") {
  return {{"name", name}, {"ps", time.count()}, {"whole", whole}, {"cause", cause}};
}

std::string bound_name(const Waterfall& waterfall) { return "bound: " + waterfall.limiter; }

Json bars_of(const Waterfall& waterfall) {
  Json bars = Json::array();
  if (waterfall.bound > Duration::zero()) bars.push_back(bar(bound_name(waterfall), waterfall.bound, true));
  for (const WaterfallPart& part : waterfall.parts)
    bars.push_back(bar(part.name, part.time, false, name_of(part.cause)));
  bars.push_back(bar("latency", waterfall.latency, true));
  return bars;
}

// Adds the differences of the parts, the largest first.
void add_differences(const Waterfall& from, const Waterfall& to, Json& bars) {
  std::vector<WaterfallPart> parts = to.parts;
  for (const WaterfallPart& part : from.parts) {
    const auto same = std::ranges::find(parts, part.name, &WaterfallPart::name);
    if (same == parts.end())
      parts.push_back({part.name, part.cause, -part.time});
    else
      same->time -= part.time;
  }
  const auto size = [](const WaterfallPart& part) { return std::max(part.time, -part.time); };
  std::ranges::stable_sort(parts, std::greater{}, size);
  for (const WaterfallPart& part : parts) {
    if (part.time != Duration::zero()) bars.push_back(bar(part.name, part.time, false, name_of(part.cause)));
  }
}

Json bars_between(const std::string& first, const Waterfall& from, const std::string& other,
                  const Waterfall& to) {
  Json bars = Json::array({bar(first, from.latency, true)});
  if (from.bound != to.bound) {
    const std::string name = from.limiter == to.limiter
                                 ? bound_name(to)
                                 : fmt::format("{} instead of {}", bound_name(to), from.limiter);
    bars.push_back(bar(name, to.bound - from.bound, false));
  }
  add_differences(from, to, bars);
  bars.push_back(bar(other, to.latency, true));
  return bars;
}

void add_ways_between(const AnalysedRun& first, const AnalysedRun& other, Json& list) {
  for (const AnalysedPass& pass : other.passes) {
    const auto same = [&](const AnalysedPass& a) { return a.pass->name == pass.pass->name; };
    const auto before = std::ranges::find_if(first.passes, same);
    if (before == first.passes.end() || !before->explained || !pass.explained) continue;
    list.push_back({{"title", fmt::format("{}: from {} to {}", pass.pass->name, first.name, other.name)},
                    {"bars", bars_between(first.name, waterfall_of_pass(*before), other.name,
                                          waterfall_of_pass(pass))}});
  }
}

}  // namespace

void add_waterfalls(Page& page, const std::vector<AnalysedRun>& runs) {
  Json list = Json::array();
  for (std::size_t run = 1; run < runs.size(); ++run) add_ways_between(runs.front(), runs[run], list);
  const bool several = runs.size() > 1;
  if (!several) {
    for (const AnalysedPass& pass : runs.front().passes) {
      if (pass.explained)
        list.push_back({{"title", pass.pass->name}, {"bars", bars_of(waterfall_of_pass(pass))}});
    }
  }
  if (list.empty()) return;
  page.add({{"kind", "waterfalls"},
            {"title", several ? "What makes the difference" : "From the bound to the latency"},
            {"list", std::move(list)}});
}

}  // namespace a3sim
