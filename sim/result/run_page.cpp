#include "sim/result/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/diagnosis/rules/finding_section.h"
#include "sim/experiment/run/run_estimate.h"
#include "sim/result/analysed_run.h"
#include "sim/result/cable_figures.h"
#include "sim/result/cable_report.h"
#include "sim/result/inference_section.h"
#include "sim/result/l2_section.h"
#include "sim/result/run_answer.h"
#include "sim/result/step_section.h"
#include "sim/result/waterfall_section.h"
#include "traces/analysis/operator_blame.h"
#include "traces/report/page/run_figures.h"
#include "traces/report/page/run_section.h"

namespace a3sim {
namespace {

// Adds the differences between passes of the same name.
void add_differences(Page& page, const AnalysedRun& first, const AnalysedRun& other) {
  if (!first.traced() || !other.traced()) return;
  PageBlocks blocks;
  for (const AnalysedPass& b : other.passes) {
    const auto same = [&](const AnalysedPass& a) { return a.pass->name == b.pass->name; };
    const auto a = std::ranges::find_if(first.passes, same);
    if (a == first.passes.end()) continue;
    const OperatorBlame blame =
        blame_difference(b.pass->trace, b.explained->path, a->pass->trace, a->explained->path);
    const std::string title =
        fmt::format("{}: {} less {}, ms of the critical path", b.pass->name, other.name, first.name);
    blocks.say(fmt::format("{}: {} takes {}, {} {}.", b.pass->name, other.name,
                           in_ms_or_s(b.pass->trace.makespan), first.name,
                           in_ms_or_s(a->pass->trace.makespan)));
    Report table;
    add_blame(table, title, blame);
    blocks.report(table);
    blocks.figure(blame_figure(title, blame));
  }
  if (!blocks.json.empty()) page.add(fmt::format("{} against {}", other.name, first.name), blocks);
}

// A pass of a run, with the name that a figure's title has.
struct NamedPass {
  std::string run;
  const AnalysedPass* pass;
};

// Returns the passes by name, each with its runs in order, so that what is compared stands together.
std::vector<std::vector<NamedPass>> passes_of(const std::vector<AnalysedRun>& runs) {
  std::vector<std::vector<NamedPass>> passes;
  for (const AnalysedRun& run : runs) {
    for (const AnalysedPass& pass : run.passes) {
      const auto same = [&](const std::vector<NamedPass>& of) {
        return of.front().pass->pass->name == pass.pass->name;
      };
      auto found = std::ranges::find_if(passes, same);
      if (found == passes.end()) found = passes.insert(found, std::vector<NamedPass>{});
      found->push_back({run.name, &pass});
    }
  }
  return passes;
}

// Adds the figures that `draw` makes of each run's pass. Two runs lie over one another.
template <class Draw>
void add_laid_over(PageBlocks& blocks, const std::vector<NamedPass>& passes, const Draw& draw) {
  std::vector<Figure> figures;
  for (const NamedPass& named : passes) {
    Figure figure = draw(fmt::format("{}, {}", named.run, named.pass->pass->name), *named.pass);
    if (!figure.series.empty()) figures.push_back(std::move(figure));
  }
  if (figures.size() == 2 && passes.size() == 2) {
    const auto both = laid_over(figures[0], passes[0].run, figures[1], passes[1].run);
    if (both) figures = {*both};
  }
  for (const Figure& figure : figures) blocks.figure(figure);
}

Figure hits_of(const std::string& title, const AnalysedPass& pass) {
  const auto reads = [](const TraceOperator& op) { return op.l2_hit + op.l2_missed > 0; };
  return std::ranges::any_of(pass.pass->trace.operators, reads) ? hits_figure(title, pass.pass->trace)
                                                                : Figure{};
}

Figure roofline_of(const std::string& title, const AnalysedPass& pass) {
  return pass.explained ? roofline_figure(title, *pass.pass, pass.explained->roofs) : Figure{};
}

// Adds figures whose bars are stacked: those of several runs stand side by side on one axis.
void add_times(PageBlocks& time, const std::vector<NamedPass>& passes) {
  std::vector<Figure> blames, workers;
  for (const auto& [run, pass] : passes) {
    if (!pass->explained) continue;
    const Trace& trace = pass->pass->trace;
    const std::string title = fmt::format("{}, {}", run, pass->pass->name);
    blames.push_back(blame_figure("Critical path, " + title, blame_of(trace, pass->explained->path)));
    workers.push_back(workers_figure(title, trace.machine.workers, *pass->explained));
  }
  double most = 0;
  for (const Figure& figure : blames) most = std::max(most, figure.y.high);
  for (Figure& figure : blames) figure.y.high = most;
  if (blames.size() == 1) {
    time.figure(blames.front()).figure(workers.front());
    return;
  }
  for (const Figure& figure : blames) time.figure(figure);
  for (const Figure& figure : workers) time.figure(figure);
}

// Adds what the L2 held over each traced pass of a run. What its configuration or this program does not allow is no reason to
// show less; what takes long is left out.
void add_l2_over_time(PageBlocks& blocks, const AnalysedRun& run, unsigned threads) {
  constexpr double kMostSeconds = 20;  // as foreseen
  std::error_code error;
  if (!run.traced() || !std::filesystem::is_regular_file(run.run->configuration(), error)) return;
  try {
    const Experiment experiment = load_experiment(run.run->configuration(), {});
    if (!experiment.work->why_no_schedule_run().empty()) return;
    if (experiment.work->estimate(experiment, false).seconds > kMostSeconds) return;
    const auto work = experiment.work->prepare(experiment, threads);
    for (std::size_t p = 0; p < run.passes.size(); ++p) {
      const TracedPass& pass = *run.passes[p].pass;
      const auto figure =
          l2_over_time(fmt::format("{}, {}", run.name, pass.name), experiment, *work, p, pass.trace);
      if (figure) blocks.figure(*figure);
    }
  } catch (const Error& failed) {
    if (failed.code() == ExitCode::kInterrupted) throw;
  }
}

void add_figures(Page& page, const std::vector<AnalysedRun>& runs, unsigned threads) {
  PageBlocks time, l2, roofs;
  for (const std::vector<NamedPass>& passes : passes_of(runs)) {
    add_times(time, passes);
    add_laid_over(l2, passes, hits_of);
    for (const auto& [run, pass] : passes) {
      const Trace& trace = pass->pass->trace;
      if (has_reuse(trace)) l2.figure(reuse_figure(fmt::format("{}, {}", run, pass->pass->name), trace));
    }
    add_laid_over(roofs, passes, roofline_of);
  }
  for (const AnalysedRun& run : runs) add_l2_over_time(l2, run, threads);
  const bool several = runs.size() > 1;  // their difference stands above
  if (!time.json.empty()) page.add("Where the time goes", time, several);
  if (!l2.json.empty()) page.add("L2", l2, several);
  if (!roofs.json.empty()) page.add("Roofline", roofs);
}

void add_cable_figures(Page& page, const std::vector<AnalysedRun>& runs) {
  PageBlocks blocks;
  for (const AnalysedRun& run : runs) {
    for (std::size_t p = 0; p < run.passes.size(); ++p) {
      const std::vector<CableUse>& cables = run.run->cables[p];
      if (cables.empty()) continue;
      const Trace& trace = run.passes[p].pass->trace;
      const std::string title = fmt::format("{}, {}", run.name, run.passes[p].pass->name);
      const std::string full = full_cable(run.passes[p].pass->name, trace.makespan, cables);
      if (!full.empty()) blocks.verdict(full);
      const Figure map = cable_map(title, cables);
      if (!map.links.empty()) blocks.figure(map);
      const Figure over_time = cables_over_time(title, trace.makespan, cables);
      if (!over_time.series.empty()) blocks.figure(over_time);
      blocks.table(hottest_cables(cables));
    }
  }
  if (!blocks.json.empty()) page.add("Cables and switches", blocks);
}

void add_tables(Page& page, const AnalysedRun& run, bool several) {
  PageBlocks blocks;
  for (std::size_t p = 0; p < run.passes.size(); ++p) blocks.report(told_pass(run, p, kNone));
  page.add(several ? "Tables, " + run.name : "Tables", blocks, true);
}

void add_files(Page& page, const AnalysedRun& run, bool several) {
  const std::string suffix = several ? ", " + run.name : "";
  for (const auto& [title, name] :
       {std::pair("Summary", "summary.txt"), std::pair("Configuration", "resolved.yaml")}) {
    const std::filesystem::path file = run.run->directory / name;
    std::error_code error;
    if (std::filesystem::is_regular_file(file, error))
      page.add(title + suffix, PageBlocks().code(read_file(file)), true);
  }
}

}  // namespace

std::vector<std::string> distinct_names(const std::vector<std::filesystem::path>& directories) {
  std::vector<std::string> names, last;
  for (const std::filesystem::path& directory : directories) {
    const std::filesystem::path whole = std::filesystem::absolute(directory).lexically_normal();
    last.push_back((whole.has_filename() ? whole : whole.parent_path()).filename().string());
    names.push_back(last.back());
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::count(last, last[i]) > 1) names[i] = directories[i].string();
  }
  return names;
}

void add_saved_runs(Page& page, std::span<const SavedRun> saved, unsigned threads) {
  std::vector<AnalysedRun> runs;
  // Runs of one experiment are named by their directories.
  std::vector<std::filesystem::path> directories;
  for (const SavedRun& run : saved) directories.push_back(run.directory);
  const std::vector<std::string> names = distinct_names(directories);
  const bool several = saved.size() > 1;
  for (std::size_t i = 0; i < saved.size(); ++i)
    runs.push_back(analyse(saved[i], several ? names[i] : saved[i].name, threads));
  for (const AnalysedRun& run : runs) {
    if (has_step(run.run->directory))
      add_step(page, run.run->directory, several ? "Step, " + run.name : "Step");
    add_inference(page, run.run->directory, several ? "Step, " + run.name : "Step");
  }
  if (runs.size() == 2 &&
      std::ranges::all_of(runs, [](const AnalysedRun& run) { return has_step(run.run->directory); }))
    add_step_lead(page, {runs[0].run->directory, runs[1].run->directory}, {runs[0].name, runs[1].name});
  add_answer(page, runs);
  add_waterfalls(page, runs);
  std::vector<NamedRun> traced;
  for (const AnalysedRun& run : runs) {
    if (run.traced()) traced.push_back({run.name, run.run->passes, run.experts_per_rank});
  }
  if (!traced.empty()) add_runs(page, traced);
  for (std::size_t i = 1; i < runs.size(); ++i) add_differences(page, runs.front(), runs[i]);
  add_candidates(page, runs);
  std::vector<PassFindings> findings;
  for (const AnalysedRun& run : runs)
    for (const AnalysedPass& pass : run.passes)
      if (pass.advice) findings.push_back({run.name, pass.pass, &*pass.advice});
  add_findings(page, findings);
  add_cable_figures(page, runs);
  add_figures(page, runs, threads);
  for (const AnalysedRun& run : runs) add_tables(page, run, several);
  for (const AnalysedRun& run : runs) add_files(page, run, several);
}

}  // namespace a3sim
