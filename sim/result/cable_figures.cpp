#include "sim/result/cable_figures.h"

#include <fmt/format.h>

#include <algorithm>

namespace a3sim {

namespace {

constexpr std::size_t kHottest = 10;
constexpr double kMega = 1e6, kGiga = 1e9, kHundred = 100;

// Returns "0 to 4: 12.5 MB, 0 to 5: 12.5 MB, 46 more".
std::string told_traffic(const CableUse& cable) {
  constexpr std::size_t kNamed = 3;
  std::string text;
  for (std::size_t t = 0; t < std::min(kNamed, cable.traffic.size()); ++t) {
    const CableTraffic& traffic = cable.traffic[t];
    text += fmt::format("{}{} to {}: {:.1f} MB", t > 0 ? ", " : "", traffic.src, traffic.dst,
                        traffic.bytes / kMega);
  }
  if (cable.traffic.size() > kNamed) text += fmt::format(", {} more", cable.traffic.size() - kNamed);
  return text;
}

}  // namespace

Table hottest_cables(const std::vector<CableUse>& cables) {
  Table table({Column::words("hottest cables"), Column::words("level"), Column::number("GB/s", "gb_per_s", 1),
               Column::mega("MB", "bytes"), Column::percent("mean use"), Column::percent("peak"),
               Column::milliseconds("full ms"), Column::words("from rank to rank")});
  for (std::size_t c = 0; c < std::min(kHottest, cables.size()); ++c) {
    const CableUse& cable = cables[c];
    table.add({cable.name, cable.level, static_cast<double>(cable.rate.count) / kGiga, cable.bytes,
               cable.used, unless_zero(cable.peak), cable.full, told_traffic(cable)});
  }
  return table;
}

Figure cables_over_time(const std::string& title, Duration makespan, const std::vector<CableUse>& cables) {
  Figure figure;
  figure.title = "Use of the hottest cables, " + title;
  figure.origin = "% of a cable's rate";
  figure.x = {"ms", false, false, 0, seconds(makespan) * 1e3, {}, {}};
  figure.y = {"%", false, false, 0, kHundred, {}, {}};
  figure.legend = "cable";
  std::vector<std::vector<double>> drawn;
  std::vector<std::size_t> alike;
  for (std::size_t c = 0; c < std::min(kHottest, cables.size()); ++c) {
    const CableUse& cable = cables[c];
    if (cable.over_time.empty()) continue;
    const auto same = std::ranges::find(drawn, cable.over_time);
    if (same != drawn.end()) {
      ++alike[static_cast<std::size_t>(same - drawn.begin())];
      continue;
    }
    drawn.push_back(cable.over_time);
    alike.push_back(0);
    FigureSeries& series = figure.series.emplace_back(FigureSeries{
        cable.name, FigureKind::kPlain, static_cast<std::uint32_t>(drawn.size() - 1), false, {}});
    const auto stretches = static_cast<double>(cable.over_time.size());
    for (std::size_t s = 0; s < cable.over_time.size(); ++s) {
      const double middle = (static_cast<double>(s) + 0.5) / stretches * figure.x.high;
      series.points.push_back(FigurePoint::at(middle, kHundred * cable.over_time[s]));
    }
  }
  for (std::size_t i = 0; i < drawn.size(); ++i)
    if (alike[i] > 0) figure.series[i].name += fmt::format(" and {} like it", alike[i]);
  return figure;
}

}  // namespace a3sim
