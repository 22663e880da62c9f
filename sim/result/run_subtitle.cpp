#include "sim/result/run_subtitle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/read_file.h"
#include "sim/result/run_page.h"

namespace a3sim {
namespace {

using Facts = std::vector<std::string>;

// Returns the text with single spaces.
std::string squeezed(const std::string& text) {
  std::istringstream words(text);
  std::string squeezed;
  for (std::string word; words >> word;) squeezed += (squeezed.empty() ? "" : " ") + word;
  return squeezed;
}

// Returns the lines of the summary between its title and its tables.
Facts summarised(const std::filesystem::path& file) {
  Facts facts;
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return facts;
  std::istringstream lines(read_file(file));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && !line.empty()) facts.push_back(squeezed(line));
  return facts;
}

// Returns the name of the program that runs on the machine; empty if the configuration does not say it.
std::string program_of(const std::filesystem::path& configuration) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(configuration, error)) return {};
  Diagnostics diagnostics;
  const Config root = Config::load(configuration, {}, diagnostics);
  return root.has("program") ? root.map("program").text("name", "") : "";
}

Facts facts_of(const SavedRun& run) {
  Facts facts = summarised(run.directory / "summary.txt");
  const std::string program = program_of(run.configuration());
  if (!program.empty()) facts.push_back("program " + program);
  facts.push_back("simulated by a3sim " + run.version);
  return facts;
}

// Returns what a configuration says in short.
std::string stated(const Config& root) {
  Facts facts;
  const auto add = [&](const char* section, const char* key, const char* words) {
    if (!root.has(section) || !root.map(section).has(key)) return;
    facts.push_back(fmt::format(fmt::runtime(words), root.map(section).text(key)));
  };
  add("model", "name", "model {}");
  add("parallel", "ep", "EP{}");
  add("model", "tokens", "{} tokens per rank");
  add("model", "hidden", "hidden {}");
  add("model", "intermediate", "intermediate {}");
  add("routing", "kind", "routing {}");
  add("hardware", "name", "machine {}");
  add("program", "name", "program {}");
  add("experiment", "execution", "execution {}");
  add("order", "name", "order {}");
  return fmt::format("{}", fmt::join(facts, " · "));
}

}  // namespace

std::string subtitle_of(const std::filesystem::path& configuration) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(configuration, error)) return {};
  Diagnostics diagnostics;
  return stated(Config::load(configuration, {}, diagnostics));
}

std::string subtitle_of(const Experiment& experiment) {
  Diagnostics diagnostics;
  return stated(Config::from(*experiment.tree, {}, diagnostics));
}

std::string subtitle_of(std::span<const SavedRun> runs) {
  std::vector<Facts> all;
  std::vector<std::filesystem::path> directories;
  for (const SavedRun& run : runs) {
    all.push_back(facts_of(run));
    directories.push_back(run.directory);
  }
  const auto shared = [&](const std::string& fact) {
    return std::ranges::all_of(all, [&](const Facts& facts) { return std::ranges::count(facts, fact) > 0; });
  };
  Facts common;
  for (const std::string& fact : all.front())
    if (shared(fact)) common.push_back(fact);
  std::string text = fmt::format("{}", fmt::join(common, " · "));
  const std::vector<std::string> names = distinct_names(directories);
  for (std::size_t run = 0; run < all.size(); ++run) {
    std::erase_if(all[run], [&](const std::string& fact) { return std::ranges::count(common, fact) > 0; });
    if (!all[run].empty()) text += fmt::format("\n{}: {}", names[run], fmt::join(all[run], " · "));
  }
  return text;
}

}  // namespace a3sim
