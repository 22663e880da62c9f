#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/core/closest.h"
#include "sim/core/error.h"
#include "sim/core/read_file.h"
#include "sim/describe/document.h"
#include "sim/describe/key_list.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/published/fit/intervals.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

fs::path shipped_file(const Document& document, std::string_view name) {
  std::vector<std::string> known;
  for (const fs::path& file : files_in(configs_folder() / document.folder)) {
    if (file.stem() == name) return file;
    known.push_back(file.stem().string());
  }
  throw InputError(fmt::format("--from: no '{}' in {}{}", name, (configs_folder() / document.folder).string(),
                               suggestion(name, known)));
}

constexpr std::string_view kPathCharacters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-";

// Makes a relative path to an existing file, as `../hardware/a3.yaml`, absolute. Other words stay as they
// are.
std::string absolute_path(const std::string& word, bool in_include, const fs::path& folder) {
  std::error_code error;
  const bool path = word.find('/') != std::string::npos || in_include || word.ends_with(".csv");
  if (!path || !(word.ends_with(".yaml") || word.ends_with(".csv")) ||
      !fs::is_regular_file(folder / word, error))
    return word;
  return fs::absolute(folder / word).lexically_normal().string();
}

// Makes the paths absolute, except in comments and in remarks about values.
std::string with_absolute_paths(const std::string& text, const fs::path& folder) {
  std::string result;
  std::istringstream lines(text);
  bool in_include = false;
  for (std::string line; std::getline(lines, line);) {
    // A list of files may follow the key, one per line.
    const std::size_t word = line.find_first_not_of(' ');
    const bool continues = in_include && word != std::string::npos && line[word] == '-';
    in_include = continues || line.find("include") != std::string::npos;
    const std::size_t last =
        std::min({line.find('#'), line.find("note:"), line.find("source:"), line.size()});
    std::size_t at = 0;
    while (at < last) {
      const std::size_t begin = std::min(line.find_first_of(kPathCharacters, at), last);
      const std::size_t end = std::min(line.find_first_not_of(kPathCharacters, begin), last);
      result +=
          line.substr(at, begin - at) + absolute_path(line.substr(begin, end - begin), in_include, folder);
      at = end;
    }
    result += line.substr(last) + '\n';
  }
  return result;
}

// Returns the keys that this file's reader asks for and does not find.
std::string keys_left_out(const Document& document, const fs::path& file) {
  const KeyTree& all = known_keys(document);
  const std::vector<ListedKey> known = listed_keys(all);
  Diagnostics diagnostics;
  const Config root = Config::load(file, {}, diagnostics);
  try {
    document.read(root, diagnostics, file);
  } catch (const Error& error) {  // the file may be only a part of an experiment
    spdlog::debug("{}: {}", file.string(), error.what());
  }
  const KeyTree here = root.known();
  std::string text;
  for (const ListedKey& key : listed_keys(here)) {
    const bool shown = document.has(key.path.substr(0, key.path.find('.')));
    if (!shown || key.known->present || key.path == "include" || key.path.find('*') != std::string::npos)
      continue;
    const ListedKey* const described = find_key(known, key.path);
    if (described == nullptr || described->known->forms.empty()) continue;
    const std::string fallback = key.fallback();
    text += fmt::format("#   {}{}: {}\n", key.path, fallback.empty() ? "" : " = " + fallback,
                        described->expected());
  }
  if (text.empty()) return "";
  return "\n# What else may stand here, as --set takes it, with what holds without it and what is taken:\n" +
         text;
}

// Returns, for each value, the largest change of a point of the published layer over the value's range.
std::vector<std::pair<double, std::string>> movers() {
  constexpr const char* kLayer = "moe_ffn";
  const nlohmann::ordered_json json = Intervals::open(Intervals::file_in(configs_folder())).json();
  std::map<std::string, double> moved;
  if (!json.contains("experiments") || !json["experiments"].contains(kLayer)) return {};
  for (const auto& point : json["experiments"][kLayer]["points"]) {
    for (const auto& mover : point["movers"]) {
      const double change = std::abs(mover["at_high"].get<double>() - mover["at_low"].get<double>()) /
                            point["value"].get<double>();
      double& most = moved[mover["parameter"].get<std::string>()];
      most = std::max(most, change);
    }
  }
  std::vector<std::pair<double, std::string>> sorted;
  for (const auto& [path, change] : moved) sorted.emplace_back(change, path);
  std::ranges::sort(sorted, std::greater{});
  return sorted;
}

std::string what_to_measure(std::string_view kind, const fs::path& file) {
  constexpr std::size_t kHandful = 6;
  Diagnostics diagnostics;
  const std::vector<SourcedValue> values = sourced_values(Config::load(file, {}, diagnostics));
  std::string text;
  std::size_t told = 0;
  for (const auto& [change, path] : movers()) {
    const auto value = std::ranges::find(values, path, &SourcedValue::path);
    if (value == values.end() || value->low.empty()) continue;
    if (told++ == kHandful) break;
    text += fmt::format("#   {:<40} {} (from {} to {}): {:.1f} %\n", path, value->value, value->low,
                        value->high, 100 * change);
  }
  if (text.empty()) return "";
  return fmt::format(
      "# To describe another {}, measure these first: what their ranges make of a layer's latency at\n"
      "# most ('a3sim reproduce --sensitivity'). How to take them: 'a3sim config init points -o "
      "points.yaml'. Then\n"
      "# 'a3sim calibrate --points points.yaml --{} THIS -o fitted.yaml' fits those with 'fitted: true'.\n{}",
      kind == "hardware" ? "machine" : kind, kind, text);
}

}  // namespace

std::string starter_file(std::string_view kind, const Document& document, std::string_view from,
                         const std::string& schema_file) {
  const fs::path file = shipped_file(document, from.empty() ? document.usual : from);
  std::string text = fmt::format("# yaml-language-server: $schema={}\n", schema_file);
  text += fmt::format("# To use it: {}\n", document.use);
  if (kind == "hardware" || kind == "program") text += what_to_measure(kind, file);
  text += '\n' + with_absolute_paths(read_file(file), file.parent_path());
  return text + keys_left_out(document, file);
}

}  // namespace a3sim
