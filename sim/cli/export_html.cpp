#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/cli/command.h"
#include "sim/cli/result_directory.h"
#include "sim/core/atomic_file.h"
#include "sim/core/error.h"
#include "sim/core/open_file.h"
#include "sim/core/read_file.h"
#include "sim/study/results/sweep_section.h"
#include "sim/study/summary/run_page.h"
#include "traces/import/imported.h"
#include "traces/import/profile_report.h"
#include "version.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

Page sweeps_page(const fs::path& file) {
  const std::vector<SweepResults> sweeps = read_results(file);
  Page page(file.filename().string(),
            fmt::format("{} sweep{}", sweeps.size(), sweeps.size() == 1 ? "" : "s"));
  for (const SweepResults& sweep : sweeps) add_sweep(page, sweep);
  return page;
}

bool is_json(const fs::path& file) {
  std::ifstream in(file);
  return (in >> std::ws).peek() == '{';
}

// What `--json FILE` of 'a3sim search' or 'a3sim try' has written.
Page orders_page(const fs::path& file) {
  nlohmann::ordered_json result = nlohmann::ordered_json::parse(read_file(file), nullptr, false);
  const bool of_search = result.is_object() && result.contains("best") && result.contains("bound_distance");
  const bool of_try = result.is_object() && result.contains("orders") && result.contains("jitter");
  if (!of_search && !of_try)
    throw InputError(fmt::format("{}: is no result of 'a3sim search --json FILE' or 'a3sim try --json FILE'",
                                 file.string()));
  Page page(result.value("name", file.filename().string()),
            of_search ? "search for a faster order" : "an order beside the shipped ones");
  page.add({{"kind", of_search ? "search" : "try"},
            {"title", of_search ? "Search" : "Orders"},
            {"result", std::move(result)}});
  return page;
}

struct NamedProfile {
  std::string name;
  Profile profile;
};

// What profiles say, and what of it the runs say otherwise.
void add_profiles(Page& page, const std::vector<NamedProfile>& profiles, const std::vector<SavedRun>& runs) {
  for (const NamedProfile& named : profiles) {
    for (const SavedRun& run : runs) {
      if (!run.sums.empty()) continue;
      page.add(fmt::format("{}, simulated beside {}, measured", distinct_names({run.directory}).front(),
                           named.name),
               PageBlocks().report(
                   mismatch_report(named.profile, profile_of(run.passes, named.profile.unit), {})));
    }
    page.add(named.name + ", measured", PageBlocks().report(profile_report(named.profile, kNone)));
  }
}

Page runs_page(const std::vector<std::string>& directories) {
  std::vector<SavedRun> runs;
  std::vector<NamedProfile> profiles;
  const std::vector<std::string> names = distinct_names({directories.begin(), directories.end()});
  for (std::size_t i = 0; i < directories.size(); ++i) {
    const std::string& directory = directories[i];
    for (std::size_t before = 0; before < i; ++before) {
      if (fs::equivalent(directory, directories[before]))
        throw InputError(fmt::format("{}: is given twice", directory));
    }
    if (kind_of_result(directory) == "import") {
      check_result(directory, "import");
      profiles.push_back({names[i], read_imported(directory)});
      continue;
    }
    check_result(directory, "run");
    runs.push_back(read_run(directory, "", Tasks::kIfThere));
  }
  if (runs.empty()) {
    Page page(profiles.front().name, "measured");
    add_profiles(page, profiles, runs);
    return page;
  }
  std::string title = runs.front().name, versions = runs.front().version;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].name != runs.front().name) title += ", " + runs[i].name;
    if (runs[i].version != runs.front().version) versions += ", " + runs[i].version;
  }
  Page page(title, fmt::format("simulated by a3sim {}", versions));
  add_saved_runs(page, runs);
  add_profiles(page, profiles, runs);
  return page;
}

// The results are directories of runs and profiles, which are shown beside each other, or one database of sweeps, or what a
// search or a trial of an order has found.
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

struct HtmlOptions {
  std::vector<std::string> results;
  std::string output;
};

void write_page(const HtmlOptions& options) {
  write_file_atomically(options.output, report_page(options.results));
}

void add_html_options(CLI::App& app, HtmlOptions& options) {
  app.add_option("RESULT", options.results,
                 "what 'a3sim run --trace -o' or 'a3sim import -o' wrote; or, alone, a database of 'a3sim "
                 "sweep', or what "
                 "--json FILE of 'a3sim search' or 'a3sim try' wrote")
      ->required();
  app.add_option("-o,--output", options.output, "the file")->type_name("FILE.html")->required();
}

A3SIM_REGISTER(Command, "export --to html", "Runs, sweeps or searches as one HTML file to look at",
               Command(add_html_options, write_page));

}  // namespace
}  // namespace a3sim
