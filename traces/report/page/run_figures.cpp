#include "traces/report/page/run_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "traces/report/table.h"

namespace a3sim {
namespace {

constexpr double kTera = 1e12;

std::vector<std::string> operator_names(const Trace& trace) {
  std::vector<std::string> names;
  for (const TraceOperator& op : trace.operators) names.push_back(op.name);
  return names;
}

// Returns a roof: the memory's slope up to where arithmetic ends it, as far as the figure shows it.
FigureSeries roof_of(double peak, double bytes_per_second, const Figure& figure) {
  FigureSeries roof{"", FigureKind::kPlain, kTextColor, false, {}};
  const double knee = std::clamp(peak / bytes_per_second, figure.x.low, figure.x.high);
  const double enters = std::max(figure.x.low, figure.y.low * kTera / bytes_per_second);
  for (const double at : {std::min(enters, knee), knee, figure.x.high})
    roof.points.push_back(FigurePoint::at(at, std::min(peak, at * bytes_per_second) / kTera));
  return roof;
}

// The store whose rate is the slope of the roof: the HBM, or the L2 if it holds most operators back.
struct Store {
  std::string name;
  double rate = 0;  // bytes per second
  double Roofline::* intensity = nullptr;
};

Store store_that_binds(const Trace& trace, const std::vector<Roofline>& roofs) {
  std::size_t by_l2 = 0, all = 0;
  for (std::size_t op = 0; op < roofs.size(); ++op) {
    if (trace.operators[op].unit == TaskUnit::kPut || roofs[op].memory <= 0) continue;
    ++all;
    by_l2 += roofs[op].l2_bound ? 1 : 0;
  }
  if (2 * by_l2 > all) return {"L2", trace.machine.l2_read, &Roofline::l2_intensity};
  return {"HBM", trace.machine.hbm_read, &Roofline::intensity};
}

// Names the roofs on the figure: the store's slope at a third of its length, each peak at its right end.
void name_roofs(Figure& figure, const double (&peaks)[2], const Store& store) {
  constexpr const char* kPeaks[2] = {"cubes' peak", "vector cores' peak"};
  const double most = std::max(peaks[0], peaks[1]);
  const double enters = std::max(figure.x.low, figure.y.low * kTera / store.rate), knee = most / store.rate;
  constexpr double kPlace = 0.35, kBelow = 1.6;  // beside the slope, not on it
  const double at = enters * std::pow(knee / enters, kPlace);
  figure.marks.push_back(
      {at, at * store.rate / kTera / kBelow, fmt::format("{}, {}B/s", store.name, with_prefix(store.rate))});
  for (std::size_t unit = 0; unit < 2; ++unit) {
    if (peaks[unit] > 0)
      figure.marks.push_back({figure.x.high, peaks[unit] / kTera,
                              fmt::format("{}, {}/s", kPeaks[unit], with_prefix(peaks[unit]))});
  }
}

FigureSeries bars(std::string_view name, std::size_t color) {
  return {std::string(name), FigureKind::kBars, static_cast<std::uint32_t>(color), false, {}};
}

FigureAxis joined(FigureAxis a, const FigureAxis& b) {
  a.low = std::min(a.low, b.low);
  a.high = std::max(a.high, b.high);
  return a;
}

}  // namespace

std::optional<Figure> laid_over(const Figure& first, const std::string& first_name, const Figure& second,
                                const std::string& second_name) {
  if (first.x.names != second.x.names || first.x.name != second.x.name || first.x.log != second.x.log)
    return std::nullopt;
  Figure both = second;
  both.title = fmt::format("{}; hollow: {}", second.title, first_name);
  both.series.clear();
  for (FigureSeries series : first.series) {
    if (series.kind == FigureKind::kPlain) continue;  // the roof is the machine's
    series.hollow = true;
    if (!series.name.empty()) series.name += ", " + first_name;
    both.series.push_back(std::move(series));
  }
  for (FigureSeries series : second.series) {
    if (!series.name.empty()) series.name += ", " + second_name;
    both.series.push_back(std::move(series));
  }
  both.x = joined(first.x, second.x);
  both.y = joined(first.y, second.y);
  return both;
}

Figure roofline_figure(const std::string& title, const TracedPass& pass, const std::vector<Roofline>& roofs) {
  const Trace& trace = pass.trace;
  Figure figure;
  const Store store = store_that_binds(trace, roofs);
  figure.title = fmt::format("Roofline of the {}, {}", store.name, title);
  figure.origin = fmt::format(
      "operators of a mean rank while they run; the roof is the rate of the {}, which holds most of them "
      "back, "
      "and the peak of the operator's workers",
      store.name);
  std::vector<double> xs, ys;
  double peaks[2] = {0, 0};
  for (std::size_t op = 0; op < roofs.size(); ++op) {
    const Roofline& roof = roofs[op];
    if (trace.operators[op].unit == TaskUnit::kPut || roof.*store.intensity <= 0 || roof.achieved <= 0)
      continue;
    double& peak = peaks[trace.operators[op].unit == TaskUnit::kVector];
    peak = std::max(peak, roof.peak);
    FigureSeries& point = figure.series.emplace_back();
    point = {trace.operators[op].name, FigureKind::kPoints, static_cast<std::uint32_t>(op), false, {}};
    point.points.push_back(FigurePoint::at(roof.*store.intensity, roof.achieved / kTera));
    xs.push_back(roof.*store.intensity);
    ys.insert(ys.end(), {roof.achieved / kTera, roof.peak / kTera});
  }
  if (xs.empty()) return {};
  // Leaves room on both sides of the roof's bend.
  const double rate = store.rate;
  for (const double peak : peaks) {
    if (peak > 0 && rate > 0) xs.insert(xs.end(), {peak / rate / 4, peak / rate * 4});
  }
  const auto log_axis = [](std::string name, const std::vector<double>& values) {
    return FigureAxis{
        std::move(name), true, false, std::ranges::min(values) / 1.5, std::ranges::max(values) * 1.5, {}, {}};
  };
  figure.x = log_axis(fmt::format("operations per byte of {}", store.name), xs);
  figure.y = log_axis("T operations/s", ys);
  for (const double peak : peaks) {
    if (peak > 0 && rate > 0) figure.series.push_back(roof_of(peak, rate, figure));
  }
  if (rate > 0) name_roofs(figure, peaks, store);
  figure.legend = "operator";
  return figure;
}

bool has_reuse(const Trace& trace) {
  return std::ranges::any_of(trace.operators, [](const TraceOperator& op) {
    return std::ranges::any_of(op.left_by, [](double bytes) { return bytes > 0; });
  });
}

Figure reuse_figure(const std::string& title, const Trace& trace) {
  Figure figure;
  figure.title = "L2 read hits by who left the lines, " + title;
  figure.origin = "% of what the operator in the row reads through the L2";
  std::vector<std::string> names = operator_names(trace), rows(names.rbegin(), names.rend());
  figure.x = names_axis("left by", names);
  figure.y = names_axis("read by", rows);
  for (std::size_t reader = 0; reader < trace.operators.size(); ++reader) {
    const TraceOperator& op = trace.operators[reader];
    for (std::size_t writer = 0; writer < op.left_by.size() && op.l2_read > 0; ++writer) {
      if (op.left_by[writer] > 0)
        figure.cells.push_back({static_cast<double>(writer), static_cast<double>(rows.size() - 1 - reader),
                                100 * op.left_by[writer] / op.l2_read});
    }
  }
  figure.color = {"%", false, false, 0, 100, {}, {}};
  return figure;
}

Figure workers_figure(const std::string& title, const WorkerKinds& kinds, const Explanation& explanation) {
  Figure figure;
  figure.title = "Workers' time, " + title;
  figure.origin = "all ranks";
  figure.stacked = true;
  figure.legend = "state";
  std::vector<std::string> names;
  for (const WorkerKind& kind : kinds) names.push_back(kind.name);
  figure.x = names_axis("", names);
  figure.y = {"% of the time", false, false, 0, 100, {}, {}};
  for (std::uint32_t t = 0; t < kWorkerTimes; ++t) {
    FigureSeries& series = figure.series.emplace_back(bars(kNamesOf<WorkerTime>[t], t));
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      double part = 0, whole = 0;
      for (const auto& rank : explanation.workers) {
        part += seconds(rank[kind][t]);
        for (const Duration time : rank[kind]) whole += seconds(time);
      }
      series.points.push_back(FigurePoint::at(static_cast<double>(kind), whole > 0 ? 100 * part / whole : 0));
    }
  }
  return figure;
}

Figure blame_figure(const std::string& title, const OperatorBlame& blame) {
  Figure figure;
  figure.title = title;
  figure.stacked = true;
  figure.legend = "spent on";
  figure.x = names_axis("", blame.operators);
  // Negative parts of a difference lie below the axis.
  std::vector<double> above(blame.operators.size(), 0.0), below = above;
  constexpr double kPerMillisecond = 1e9;  // picoseconds
  for (std::uint32_t b = 0; b < kBlames; ++b) {
    FigureSeries series = bars(kNamesOf<Blame>[b], figure.series.size());
    bool any = false;
    for (std::size_t op = 0; op < blame.blame.size(); ++op) {
      const double ms = static_cast<double>(blame.blame[op][b].count()) / kPerMillisecond;
      any = any || ms != 0;
      (ms < 0 ? below : above)[op] += ms;
      series.points.push_back(FigurePoint::at(static_cast<double>(op), ms));
    }
    if (any) figure.series.push_back(std::move(series));
  }
  above.insert(above.end(), below.begin(), below.end());
  above.push_back(0);
  figure.y = axis_from_zero("ms of the critical path", above);
  return figure;
}

Figure hits_figure(const std::string& title, const Trace& trace) {
  Figure figure;
  figure.title = "L2 read hits, " + title;
  figure.legend = "operator";
  figure.origin = "requests that found their line, of those that did not bypass the L2";
  figure.x = names_axis("", operator_names(trace));
  figure.y = {"%", false, false, 0, 100, {}, {}};
  FigureSeries& series = figure.series.emplace_back(bars("", 0));
  for (std::size_t op = 0; op < trace.operators.size(); ++op) {
    const double requests = trace.operators[op].l2_hit + trace.operators[op].l2_missed;
    if (requests > 0)
      series.points.push_back(
          FigurePoint::at(static_cast<double>(op), 100 * trace.operators[op].l2_hit / requests));
  }
  return figure;
}

}  // namespace a3sim
