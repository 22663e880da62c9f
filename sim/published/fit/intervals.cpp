#include "sim/published/fit/intervals.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "sim/core/error.h"
#include "sim/core/open_file.h"
#include "traces/report/table.h"

namespace a3sim {
namespace {

constexpr int kSchema = 1;
constexpr std::size_t kMovers = 3;  // kept for each point
constexpr std::string_view kPrefix = "hardware.";

// Computes FNV-1a with 64 bits (Fowler, Noll, Vo), the same on every machine.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return hash;
}

nlohmann::ordered_json movers_of(const Sensitivity::PointRange& range,
                                 const std::vector<Parameter>& parameters) {
  nlohmann::ordered_json movers = nlohmann::ordered_json::array();
  for (const std::size_t p : range.movers()) {
    if (movers.size() == kMovers) break;
    movers.push_back(
        {{"parameter", parameters[p].path()}, {"at_low", range.ends[p][0]}, {"at_high", range.ends[p][1]}});
  }
  return movers;
}

}  // namespace

std::filesystem::path Intervals::file_in(const std::filesystem::path& configs) {
  return configs / "reference" / "sensitivity.json";
}

Intervals Intervals::open(const std::filesystem::path& file) {
  Intervals intervals;
  if (!std::filesystem::exists(file)) return intervals;
  std::ifstream stream = open_file(file);
  intervals.json_ = nlohmann::ordered_json::parse(stream, nullptr, false);
  const auto& json = intervals.json_;
  if (json.is_object() && json.value("schema_version", 0) == kSchema && json.contains("experiments"))
    return intervals;
  throw InputError(fmt::format("{}: not what 'a3sim reproduce --sensitivity' writes; remove it and run that",
                               file.string()));
}

void Intervals::set(const std::string& experiment, const Predictor& predictor, const Sensitivity& sensitivity,
                    const std::string& key) {
  json_["schema_version"] = kSchema;
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < predictor.points().size(); ++i) {
    const Point& point = predictor.points()[i].comparison.point;
    const Sensitivity::PointRange& range = sensitivity.values[i];
    points.push_back({{"case", point.coordinates},
                      {"metric", point.metric},
                      {"unit", point.unit},
                      {"value", range.nominal},
                      {"low", range.low},
                      {"high", range.high},
                      {"movers", movers_of(range, predictor.parameters())}});
  }
  // Sorts by name, in whichever order they were computed.
  std::map<std::string, nlohmann::ordered_json> experiments;
  for (const auto& [name, value] : json_["experiments"].items()) experiments[name] = value;
  experiments[experiment] = {{"key", key}, {"points", std::move(points)}};
  json_["experiments"] = experiments;
}

bool Intervals::has(const std::string& experiment) const {
  return json_.contains("experiments") && json_["experiments"].contains(experiment);
}

bool Intervals::fits(const std::string& experiment, const std::string& key) const {
  return has(experiment) && json_["experiments"][experiment].value("key", "") == key;
}

const nlohmann::ordered_json* Intervals::find(const std::string& experiment, const Point& point) const {
  if (!point.variant.empty() || !json_.contains("experiments")) return nullptr;
  const auto found = json_["experiments"].find(experiment);
  if (found == json_["experiments"].end()) return nullptr;
  for (const nlohmann::ordered_json& known : (*found)["points"]) {
    if (known["metric"] == point.metric && same_coordinates(known["case"], point.coordinates)) return &known;
  }
  return nullptr;
}

std::optional<ErrorBar> Intervals::bar(const std::string& experiment, const Point& point) const {
  const nlohmann::ordered_json* known = find(experiment, point);
  if (!known || !known->contains("low")) return std::nullopt;
  return ErrorBar{(*known)["low"], (*known)["high"]};
}

std::string Intervals::movers(const std::string& experiment, const Point& point) const {
  const nlohmann::ordered_json* known = find(experiment, point);
  std::string text;
  if (!known) return text;
  const double value = (*known)["value"];
  for (const nlohmann::ordered_json& mover : (*known)["movers"]) {
    std::string name = mover["parameter"];
    if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
    text += fmt::format("{}{} {:+.1f} {:+.1f} %", text.empty() ? "" : ", ", name,
                        100 * (mover["at_low"].get<double>() / value - 1),
                        100 * (mover["at_high"].get<double>() / value - 1));
  }
  return text;
}

std::string interval_key(const std::vector<Point>& points, std::span<const std::filesystem::path> files,
                         const SensitivityOptions& options) {
  // The key includes how the draws are made.
  std::string text = fmt::format("triangular {} {}\n", options.draws, options.seed);
  for (const Point& point : points) {
    if (!point.variant.empty()) continue;
    // Nine digits do not change with another compiler's rounding.
    text += fmt::format("{} {} {:.9g} {}\n", point.coordinates.dump(), point.metric, point.value, point.unit);
  }
  Diagnostics diagnostics;
  std::vector<std::string> known;  // places of values that several files include
  for (const std::filesystem::path& file : files) {
    for (const SourcedValue& value : sourced_values(Config::load(file, {}, diagnostics))) {
      if (std::ranges::find(known, value.mark.text()) != known.end()) continue;
      known.push_back(value.mark.text());
      text += fmt::format("{} {} {} {}\n", value.path, value.value, value.low, value.high);
    }
  }
  diagnostics.throw_if_any();
  return fmt::format("{:016x}", hash_of(text));
}

}  // namespace a3sim
