#include "sim/study/summary/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/read_file.h"
#include "sim/core/units.h"
#include "sim/diagnosis/rules/advice_report.h"
#include "sim/diagnosis/rules/finding_section.h"
#include "sim/experiment/configs_folder.h"
#include "sim/study/summary/run_observation.h"
#include "traces/analysis/explanation.h"
#include "traces/analysis/operator_blame.h"
#include "traces/report/page/run_figures.h"
#include "traces/report/page/run_section.h"

namespace a3sim {
namespace {

// What a saved run says about a pass beside its trace.
struct SavedBounds {
  std::string pass;
  Duration bound{};     // the largest lower bound; zero: none was written
  std::string binding;  // which it is: cube, vector, HBM, link, path
};

// Of a directory that read_run has read.
std::vector<SavedBounds> read_bounds(const std::filesystem::path& directory) {
  Diagnostics diagnostics;
  const Config result = Config::load(directory / "result.json", {}, diagnostics);
  std::vector<SavedBounds> all;
  for (const Config& pass : result.maps("passes")) {
    SavedBounds& of = all.emplace_back();
    of.pass = pass.text("pass");
    of.binding = pass.text("binding", "");
    if (!of.binding.empty() && pass.has("bounds_ps")) {
      constexpr std::int64_t kMostTime = std::int64_t{1} << 50;
      of.bound = Duration(pass.map("bounds_ps").integer(of.binding, 0, kMostTime));
    }
  }
  diagnostics.throw_if_any();
  return all;
}

// A pass of a run with what is known of it; `explained` needs tasks.
struct KnownPass {
  const TracedPass* pass = nullptr;
  SavedBounds bounds;
  std::optional<Explanation> explained;
  std::optional<Advice> advice;  // likewise
};

struct KnownRun {
  const SavedRun* run = nullptr;
  std::string name;  // no other run of the page has it
  std::vector<KnownPass> passes;

  bool traced() const { return run->sums.empty(); }
  Duration total() const {
    Duration sum{};
    for (const KnownPass& of : passes) sum += of.pass->trace.makespan;
    return sum;
  }
};

KnownRun know(const SavedRun& run, std::string name) {
  KnownRun known{&run, std::move(name), {}};
  const std::vector<SavedBounds> bounds = read_bounds(run.directory);
  const RuleBook rules = read_rules(configs_folder() / "advice");
  for (const TracedPass& pass : run.passes) {
    KnownPass& of = known.passes.emplace_back();
    of.pass = &pass;
    const auto found = std::ranges::find(bounds, pass.name, &SavedBounds::pass);
    if (found != bounds.end()) of.bounds = *found;
    if (!known.traced()) continue;
    of.explained = explain(pass.trace);
    of.advice = advise_on_pass(run, known.passes.size() - 1, rules);
  }
  return known;
}

std::string milliseconds(Duration time) { return in_milliseconds(time) + " ms"; }

std::string bound_note(const KnownPass& of) {
  const Duration makespan = of.pass->trace.makespan, bound = of.bounds.bound;
  if (bound <= Duration::zero() || makespan <= Duration::zero()) return "";
  return fmt::format("{} bound {}, {} of the time", of.bounds.binding, milliseconds(bound),
                     in_percent(seconds(bound) / seconds(makespan)));
}

// A card for the communication that no cube's work covers, where there is communication.
void add_exposed(const KnownPass& of, std::vector<PageBlocks::Card>& cards) {
  Duration exposed{}, all{};
  for (const Overlap& overlap : of.explained->overlaps) {
    exposed += overlap.exposed;
    all += overlap.exposed + overlap.hidden;
  }
  if (all <= Duration::zero()) return;
  const auto ranks = static_cast<std::int64_t>(of.explained->overlaps.size());
  cards.push_back({of.pass->name + ", communication exposed", milliseconds(exposed / ranks),
                   fmt::format("of {}, the mean of a rank", milliseconds(all / ranks))});
}

void add_hits(const KnownPass& of, std::vector<PageBlocks::Card>& cards) {
  double hits = 0, requests = 0;
  for (const TraceOperator& op : of.pass->trace.operators) {
    hits += op.l2_hit;
    requests += op.l2_hit + op.l2_missed;
  }
  if (requests > 0) cards.push_back({of.pass->name + ", L2 read hits", in_percent(hits / requests), ""});
}

void add_answer(Page& page, const std::vector<KnownRun>& runs) {
  PageBlocks blocks;
  for (const KnownRun& run : runs) {
    std::vector<PageBlocks::Card> cards;
    const bool several = runs.size() > 1;
    std::string total_note = several ? run.name : "all passes";
    if (&run != &runs.front()) {
      const double change = seconds(run.total()) / seconds(runs.front().total()) - 1;
      total_note +=
          fmt::format(", {}{} against {}", change < 0 ? "" : "+", in_percent(change), runs.front().name);
    }
    cards.push_back({"latency", milliseconds(run.total()), total_note});
    for (const KnownPass& of : run.passes)
      cards.push_back({of.pass->name, milliseconds(of.pass->trace.makespan), bound_note(of)});
    for (const KnownPass& of : run.passes) {
      if (of.explained) add_exposed(of, cards);
      add_hits(of, cards);
    }
    blocks.cards(cards);
  }
  for (const KnownRun& run : runs) {
    for (const KnownPass& of : run.passes) {
      if (of.explained)
        blocks.verdict(fmt::format("{}{}: {}", runs.size() > 1 ? run.name + ", " : "", of.pass->name,
                                   first_finding(*of.advice, "pass")));
    }
    if (!run.traced())
      blocks.say(fmt::format("{} was written without its tasks, so it has no timeline: {}.", run.name,
                             how_to_trace(run.run->directory)));
  }
  page.add("Answer", blocks);
}

// Passes of the other run beside those of the first with the same name.
void add_differences(Page& page, const KnownRun& first, const KnownRun& other) {
  if (!first.traced() || !other.traced()) return;
  PageBlocks blocks;
  for (const KnownPass& b : other.passes) {
    const auto same = [&](const KnownPass& a) { return a.pass->name == b.pass->name; };
    const auto a = std::ranges::find_if(first.passes, same);
    if (a == first.passes.end()) continue;
    const OperatorBlame blame =
        blame_difference(b.pass->trace, b.explained->path, a->pass->trace, a->explained->path);
    const std::string title =
        fmt::format("{}: {} less {}, ms of the critical path", b.pass->name, other.name, first.name);
    blocks.say(fmt::format("{}: {} takes {} ms, {} {} ms.", b.pass->name, other.name,
                           in_milliseconds(b.pass->trace.makespan), first.name,
                           in_milliseconds(a->pass->trace.makespan)));
    Report table;
    add_blame(table, title, blame);
    blocks.report(table);
    blocks.figure(blame_figure(title, blame));
  }
  if (!blocks.json.empty()) page.add(fmt::format("{} against {}", other.name, first.name), blocks);
}

void add_figures(Page& page, const std::vector<KnownRun>& runs, const OperatorColors& colors) {
  PageBlocks time, l2, roofs;
  for (const KnownRun& run : runs) {
    for (const KnownPass& of : run.passes) {
      const Trace& trace = of.pass->trace;
      const std::string title = fmt::format("{}, {}", run.name, of.pass->name);
      l2.figure(hits_figure(title, trace));
      if (has_reuse(trace)) l2.figure(reuse_figure(title, trace));
      if (!of.explained) continue;
      time.figure(blame_figure("Critical path, " + title, blame_of(trace, of.explained->path)));
      time.figure(workers_figure(title, trace.machine.workers, *of.explained));
      const Figure roof = roofline_figure(title, *of.pass, of.explained->roofs, colors);
      if (!roof.series.empty()) roofs.figure(roof);
    }
  }
  if (!time.json.empty()) page.add("Where the time goes", time);
  if (!l2.json.empty()) page.add("L2", l2);
  if (!roofs.json.empty()) page.add("Roofline", roofs);
}

void add_tables(Page& page, const KnownRun& run, bool several) {
  PageBlocks blocks;
  for (std::size_t p = 0; p < run.passes.size(); ++p) {
    const KnownPass& of = run.passes[p];
    blocks.report(of.explained ? explanation_report(of.pass->name, of.pass->trace, *of.explained, kNone,
                                                    first_finding(*of.advice, "pass"))
                               : sums_report(of.pass->name, of.pass->trace, run.run->sums[p], kNone));
  }
  page.add(several ? "Tables, " + run.name : "Tables", blocks, true);
}

void add_files(Page& page, const KnownRun& run, bool several) {
  const std::string of = several ? ", " + run.name : "";
  for (const auto& [title, name] :
       {std::pair("Summary", "summary.txt"), std::pair("Configuration", "resolved.yaml")}) {
    const std::filesystem::path file = run.run->directory / name;
    std::error_code error;
    if (std::filesystem::is_regular_file(file, error))
      page.add(title + of, PageBlocks().code(read_file(file)), true);
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

void add_saved_runs(Page& page, std::span<const SavedRun> saved) {
  std::vector<KnownRun> runs;
  // Runs of one experiment are told apart by their directories.
  std::vector<std::filesystem::path> directories;
  for (const SavedRun& run : saved) directories.push_back(run.directory);
  const std::vector<std::string> names = distinct_names(directories);
  const bool several = saved.size() > 1;
  for (std::size_t i = 0; i < saved.size(); ++i)
    runs.push_back(know(saved[i], several ? names[i] : saved[i].name));
  add_answer(page, runs);
  std::vector<PassFindings> findings;
  for (const KnownRun& run : runs)
    for (const KnownPass& of : run.passes)
      if (of.advice) findings.push_back({run.name, of.pass, &*of.advice});
  add_findings(page, findings);
  std::vector<NamedRun> traced;
  for (const KnownRun& run : runs) {
    if (run.traced()) traced.push_back({run.name, run.run->passes});
  }
  const OperatorColors colors(traced);
  if (!traced.empty()) add_runs(page, traced, colors);
  for (std::size_t i = 1; i < runs.size(); ++i) add_differences(page, runs.front(), runs[i]);
  add_figures(page, runs, colors);
  for (const KnownRun& run : runs) add_tables(page, run, several);
  for (const KnownRun& run : runs) add_files(page, run, several);
}

}  // namespace a3sim
