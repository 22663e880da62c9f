#include "sim/cli/export_html.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "sim/cli/command.h"
#include "sim/cli/options.h"
#include "sim/cli/profile_input.h"
#include "sim/cli/result_directory.h"
#include "sim/cli/run_first.h"
#include "sim/core/atomic_file.h"
#include "sim/core/error.h"
#include "sim/core/open_file.h"
#include "sim/core/read_file.h"
#include "sim/diagnosis/observe/file_observation.h"
#include "sim/diagnosis/pages/job_page.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/result/profile_page.h"
#include "sim/result/run_page.h"
#include "sim/result/run_subtitle.h"
#include "sim/sweep/results/shared_facts.h"
#include "sim/sweep/results/sweep_section.h"
#include "traces/import/imported.h"
#include "traces/import/imported_timeline.h"
#include "traces/import/profile_report.h"
#include "traces/import/profiled_job.h"
#include "version.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

Page sweeps_page(const fs::path& file) {
  const std::vector<SweepResults> sweeps = read_results(file);
  std::vector<std::string> sizes;
  for (const SweepResults& sweep : sweeps) {
    std::vector<std::string> axes;
    for (const ResultAxis& axis : sweep.axes) axes.push_back(axis.name);
    sizes.push_back(fmt::format("{}: {} of {} points done, over {}", sweep.name,
                                sweep.count(PointStatus::kDone), sweep.points.size(), fmt::join(axes, ", ")));
    if (const std::string facts = shared_facts(file, sweep.name); !facts.empty()) sizes.push_back(facts);
  }
  Page page(file.filename().string(), fmt::format("{}", fmt::join(sizes, "\n")));
  for (const SweepResults& sweep : sweeps) add_sweep(page, sweep);
  return page;
}

bool is_json(const fs::path& file) {
  std::ifstream in(file);
  return (in >> std::ws).peek() == '{';
}

// Returns the page of a file that `--json FILE` of 'a3sim search' or 'a3sim try' has written.
Page orders_page(const fs::path& file) {
  nlohmann::ordered_json result = nlohmann::ordered_json::parse(read_file(file), nullptr, false);
  const bool of_search = result.is_object() && result.contains("best") && result.contains("bound_distance");
  const bool of_try = result.is_object() && result.contains("orders") && result.contains("jitter");
  if (!of_search && !of_try)
    throw InputError(fmt::format("{}: is no result of 'a3sim search --json FILE' or 'a3sim try --json FILE'",
                                 file.string()));
  Page page(result.value("name", file.filename().string()),
            of_search ? "search for a faster order" : "an order and the shipped ones");
  page.add({{"kind", of_search ? "search" : "try"},
            {"title", of_search ? "Search" : "Orders"},
            {"result", std::move(result)}});
  return page;
}

NamedProfile imported_profile(const std::string& name, const fs::path& directory) {
  NamedProfile named{name, read_imported(directory), nullptr};
  if (fs::exists(directory / kKernelsCsv))
    named.steps = std::make_unique<ImportedTimeline>(directory / kKernelsCsv);
  return named;
}

// Returns the page of a watched job, by rules and thresholds of configs/advice: of 'a3sim run --steps', or of
// a profiler's directories.
Page job_page(const std::string& directory, const std::string& name) {
  const RuleBook rules = read_rules(configs_folder() / "advice");
  if (kind_of_result(directory) == "monitor") {
    const FileObservation job(directory);
    const std::string what = subtitle_of(fs::path(directory) / "resolved.yaml");
    Page page(job.file().name, fmt::format("{}{}{} steps of a job, simulated by a3sim {}", what,
                                           what.empty() ? "" : " · ", job.file().steps, job.file().version));
    add_job(page, job, advise(job, rules), name);
    return page;
  }
  const ProfiledJob job(directory);
  const Advice advice = advise(job, rules);
  const auto several = [](std::size_t number, const char* what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
  };
  Page page(name, fmt::format("recorded by a profiler · {} · {}, {} of them kernel by kernel",
                              several(advice.ranks, "rank"), several(advice.steps, "step"),
                              job.full_steps().size()));
  add_job(page, job, advice, name);
  page.add("Tables", PageBlocks().report(profile_report(read_profile(directory), kNone)), true);
  return page;
}

Page runs_page(const std::vector<std::string>& directories) {
  std::vector<SavedRun> runs;
  std::vector<NamedProfile> profiles;
  const std::vector<std::string> names = distinct_names({directories.begin(), directories.end()});
  if (directories.size() == 1 &&
      (kind_of_result(directories.front()) == "monitor" || is_raw_profile(directories.front())))
    return job_page(directories.front(), names.front());
  for (std::size_t i = 0; i < directories.size(); ++i) {
    const std::string& directory = directories[i];
    for (std::size_t before = 0; before < i; ++before) {
      if (fs::equivalent(directory, directories[before]))
        throw InputError(fmt::format("{}: is given twice", directory));
    }
    if (kind_of_result(directory) == "monitor")
      throw InputError(fmt::format("{}: is a job of many steps, which is shown alone", directory));
    if (is_raw_profile(directory)) {
      profiles.push_back({names[i], read_profile(directory), std::make_unique<ProfiledJob>(directory)});
      continue;
    }
    if (kind_of_result(directory) == "import") {
      check_result(directory, "import");
      profiles.push_back(imported_profile(names[i], directory));
      continue;
    }
    check_result(directory, "run");
    runs.push_back(read_run(directory, "", Tasks::kIfThere));
  }
  if (runs.empty()) {
    Page page(profiles.front().name, held_by(profiles.front().profile));
    add_profiles(page, profiles, runs);
    return page;
  }
  std::string title = runs.front().name;
  if (runs.size() == 2) {
    const std::vector<std::string> both = distinct_names({runs[0].directory, runs[1].directory});
    title = fmt::format("{} against {}", both[1], both[0]);
  }
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (runs.size() > 2 && runs[i].name != runs.front().name) title += ", " + runs[i].name;
  }
  if (!profiles.empty() && runs.size() == 1)
    title = fmt::format("{}, simulated, against {}, measured", title, profiles.front().name);
  Page page(title, subtitle_of(runs));
  add_measured_answer(page, profiles, runs);
  add_profiles(page, profiles, runs);
  add_saved_runs(page, runs, ThreadsOption().count);
  return page;
}

}  // namespace

std::string report_page(const std::vector<std::string>& results) {
  std::error_code error;
  const bool file = results.size() == 1 && fs::is_regular_file(results.front(), error);
  for (const std::string& result : results) {
    if (!fs::exists(result, error)) throw InputError(fmt::format("{}: {}", result, why_missing(result)));
    if (!file && !fs::is_directory(result, error))
      throw InputError(
          fmt::format("{}: is no directory; a database of sweeps, or JSON, is shown alone", result));
  }
  const Page page = !file                      ? runs_page(results)
                    : is_json(results.front()) ? orders_page(results.front())
                                               : sweeps_page(results.front());
  return page.html(fmt::format("a3sim {}", kVersion));
}

namespace {

struct HtmlOptions {
  std::vector<std::string> results, set;
  std::string output;
};

void write_page(const HtmlOptions& options) {
  std::vector<GivenResult> given;
  std::vector<std::string> directories;
  for (const std::string& result : options.results)
    directories.push_back(given.emplace_back(result, options.set, ThreadsOption().count).directory());
  check_set(options.set, std::ranges::any_of(given, &GivenResult::was_run));
  write_file_atomically(options.output, report_page(directories));
}

void add_html_options(CLI::App& app, HtmlOptions& options) {
  app.add_option(
         "RESULT", options.results,
         "experiments, which are run first; what 'a3sim run --trace -o' or 'a3sim import -o' wrote, or a "
         "profiler's directory; or, alone, what "
         "'a3sim run --steps N -o' wrote, a database of 'a3sim sweep', or what --json FILE of 'a3sim search' "
         "or 'a3sim try' wrote")
      ->required();
  add_set(app, options.set);
  app.add_option("-o,--output", options.output, "the file")->type_name("FILE.html")->required();
}

A3SIM_REGISTER(Command, "export --to html",
               "Runs, jobs, profiles, sweeps or searches as one HTML file to look at",
               Command(add_html_options, write_page));

}  // namespace
}  // namespace a3sim
