#include "sim/published/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/experiment/outcome/run_trace.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/published/formula_verdict.h"
#include "traces/analysis/explanation.h"

namespace a3sim {
namespace {

const Comparison* find(const std::vector<Comparison>& comparisons, const nlohmann::ordered_json& coordinates,
                       std::string_view metric) {
  const auto found = std::ranges::find_if(comparisons, [&](const Comparison& c) {
    return c.point.variant.empty() && c.point.metric == metric &&
           same_coordinates(c.point.coordinates, coordinates);
  });
  return found == comparisons.end() ? nullptr : &*found;
}

// Returns "10.5 (10.2, +2.9 %)".
std::string cell(const Comparison* comparison) {
  if (!comparison) return "-";
  std::string text = fmt::format("{:.2f}", comparison->point.value);
  if (!comparison->reference) return text;
  return text + fmt::format(" ({:.4g}, {:+.1f} %)", comparison->reference->in(comparison->point.unit),
                            100 * error_of(*comparison));
}

PathTimes path_of(const Scenario& scenario, const std::string& execution) {
  const Experiment experiment = scenario.load("ep4", {"experiment.execution=" + execution});
  PathTimes sum;
  for (const Trace& trace : traces_of(experiment, run_experiment(experiment, true))) {
    sum.makespan += milliseconds(trace.makespan);
    for (const BlameTimes& times : explain(trace).path.blame) {
      const auto add = [&](double& to, std::initializer_list<Blame> what) {
        for (const Blame b : what) to += milliseconds(times[static_cast<std::size_t>(b)]);
      };
      add(sum.communication, {Blame::kPut, Blame::kLink, Blame::kHop, Blame::kCollective});
      add(sum.launches, {Blame::kLaunch});
    }
  }
  return sum;
}

}  // namespace

Table main_table(const std::vector<Compared>& all) {
  Column bound = Column::milliseconds("bound ms", "bound_ps");
  bound.decimals = 2;
  Table table({Column::count("EP"), Column::words("pass"), Column::words("kernel by kernel ms"),
               Column::words("static ms"), Column::words("5..95 %"), bound, Column::words("speed-up"),
               Column::words("dynamic ms")});
  const auto moe = std::ranges::find(all, "moe_ffn", &Compared::experiment);
  if (moe == all.end()) return table;
  for (const std::uint32_t ep : {4U, 8U, 16U}) {
    for (const char* pass : {"forward", "backward", "total"}) {
      const auto point = [&](const char* execution, const char* metric) {
        return find(moe->comparisons, {{"ep", ep}, {"pass", pass}, {"execution", execution}}, metric);
      };
      const Comparison* tiles = point("static", "latency");
      if (!tiles) continue;
      const std::optional<ErrorBar> bar = moe->bars ? moe->bars(tiles->point) : std::nullopt;
      table.add({whole(ep), pass, cell(point("kernel", "latency")), cell(tiles), bar ? bar->text() : "-",
                 tiles->point.bound, cell(point("static", "speedup")), cell(point("dynamic", "latency"))});
    }
  }
  return table;
}

Table trust_table(const std::vector<Compared>& all) {
  Table table({Column::words("experiment"), Column::count("predictions"), Column::count("published"),
               Column::count("used for the fit"), Column::percent("mean error", ""),
               Column::percent("largest", ""), Column::percent("formula", ""), Column::words("half of it"),
               Column::count("inside 5..95 %")});
  for (const auto& [experiment, comparisons, bars] : all) {
    std::uint64_t published = 0, fitted = 0, inside = 0;
    for (const Comparison& c : comparisons) {
      if (!c.reference || c.reference->follows) continue;
      ++published;
      fitted += c.reference->use == Use::kCalibration;
      const std::optional<ErrorBar> bar = bars ? bars(c.point) : std::nullopt;
      inside += bar && bar->holds(c.reference->in(c.point.unit)) ? 1 : 0;
    }
    const FormulaVerdict verdict = verdict_of(comparisons);
    const auto percent = [&](double error, const MeanError& mean_error) {
      return mean_error.points > 0 ? Cell(error) : Cell();
    };
    table.add({experiment, whole(comparisons.size()), whole(published), whole(fitted),
               percent(verdict.predicted.mean(), verdict.predicted),
               percent(verdict.predicted.largest, verdict.predicted),
               percent(verdict.by_formula.mean(), verdict.by_formula),
               verdict.half() ? Cell(std::string(*verdict.half()     ? "yes"
                                                 : *verdict.better() ? "no"
                                                                     : "worse"))
                              : Cell(),
               bars && published > 0 ? whole(inside) : Cell()});
  }
  return table;
}

std::string trust_sentence(const Compared& one) {
  const FormulaVerdict verdict = verdict_of(one.comparisons);
  if (verdict.predicted.points == 0) return {};
  std::string text = fmt::format("{}: {} published value{}, mean error {}, largest {}", one.experiment,
                                 verdict.predicted.points, verdict.predicted.points == 1 ? "" : "s",
                                 in_percent(verdict.predicted.mean()), in_percent(verdict.predicted.largest));
  if (verdict.by_formula.points > 0) {
    text +=
        fmt::format("; the simplest formula errs by {} in the mean", in_percent(verdict.by_formula.mean()));
    if (verdict.by_formula.points != verdict.predicted.points)
      text += fmt::format(" of the {} that it covers", verdict.by_formula.points);
  }
  return text + ".";
}

StaticGain static_gain(const Scenario& scenario) {
  return {path_of(scenario, "kernel"), path_of(scenario, "static")};
}

std::string why_static_wins(const StaticGain& gain) {
  const auto& [kernel, tiles] = gain;
  if (kernel.makespan <= tiles.makespan) {
    return fmt::format(
        "Static does not win here: EP4 takes {:.1f} ms as tiles, {:.1f} ms kernel by kernel.\n",
        tiles.makespan, kernel.makespan);
  }
  return fmt::format(
      "Why static wins: of the {:.1f} ms that it saves at EP4, {:.1f} ms are communication that left the "
      "critical path\n"
      "({:.1f} ms of it kernel by kernel, {:.1f} ms as tiles), {:.1f} ms launches, {:.1f} ms the cores' work "
      "and its memory.\n",
      kernel.makespan - tiles.makespan, kernel.communication - tiles.communication, kernel.communication,
      tiles.communication, kernel.launches - tiles.launches, kernel.cores() - tiles.cores());
}

Table static_gain_table(const StaticGain& gain) {
  const auto ms = [](const char* head) { return Column::number(head, "", 1); };
  Table table({Column::words("EP4: on the critical path"), ms("kernel by kernel ms"), ms("static ms"),
               ms("saved ms")});
  const auto add = [&](const char* what, double kernel, double tiles) {
    table.add({what, kernel, tiles, kernel - tiles});
  };
  const auto& [kernel, tiles] = gain;
  add("communication", kernel.communication, tiles.communication);
  add("launches", kernel.launches, tiles.launches);
  add("the cores' work and its memory", kernel.cores(), tiles.cores());
  add("all", kernel.makespan, tiles.makespan);
  return table;
}

}  // namespace a3sim
