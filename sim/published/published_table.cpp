#include "sim/published/published_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "sim/core/closest.h"
#include "sim/core/config/config.h"
#include "sim/core/config/decimal.h"
#include "sim/core/error.h"
#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/config/overrides.h"
#include "sim/experiment/metric.h"
#include "sim/published/direction_turns.h"
#include "sim/published/evaluation.h"
#include "sim/result/metrics/metric_unit.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

void read_variants(const Config& root, const fs::path& folder, PublishedTable& table) {
  for (const Config& variant : root.maps("variants")) {
    table.variants.push_back(
        {variant.text("name"), coordinates_below(variant, "when"), overrides_below(variant, "set", folder)});
    variant.finish();
  }
}

void read_directions(const Config& root, const fs::path& folder, PublishedTable& table) {
  constexpr double kMostTimes = 1000;
  for (const Config& item : root.maps("directions")) {
    PublishedDirection& direction = table.directions.emplace_back();
    direction.what = item.text("what");
    direction.source = item.text("source");
    direction.faster = coordinates_below(item, "faster");
    direction.than = coordinates_below(item, "than");
    direction.published = item.number("published", 0, kMostTimes);
    direction.if_not = item.text("if_not", "");
    static_cast<void>(read_turns(item, folder));  // direction_turns() reads them when it needs them
    item.finish();
  }
}

// Evaluations without cases have their own columns, which are not checked here.
void check_columns(const Config& item, const char* key, const std::vector<std::string>& names,
                   const PublishedTable& table) {
  if (table.columns.empty()) return;
  for (const std::string& name : names) {
    if (std::ranges::find(table.columns, name) == table.columns.end())
      item.error(key,
                 fmt::format("'{}' is none of the table's keys: {}", name, fmt::join(table.columns, ", ")));
  }
}

void read_figures(const Config& root, PublishedTable& table) {
  if (!root.has("figures")) return;
  for (const Config& item : root.maps("figures")) {
    PublishedFigure& figure = table.figures.emplace_back();
    figure.title = item.text("title");
    figure.metric = item.text("metric");
    if (!table.metrics.empty() &&
        std::ranges::find(table.metrics, figure.metric, &PublishedMetric::name) == table.metrics.end())
      item.error("metric", fmt::format("'{}' is none of the table's metrics", figure.metric));
    figure.x = item.yaml("x").starts_with('[') ? item.texts("x") : std::vector{item.text("x")};
    figure.series = item.text("series", "");
    check_columns(item, "x", figure.x, table);
    if (!figure.series.empty()) check_columns(item, "series", {figure.series}, table);
    figure.lines = item.choice("kind", {"bars", "lines"}, "bars") == 1;
    if (figure.lines && figure.x.size() != 1) item.error("x", "lines lie over one key");
    figure.where = coordinates_below(item, "where");
    if (item.has("where")) check_columns(item, "where", item.map("where").keys(), table);
    item.finish();
  }
}

void read_signs(const Config& root, PublishedTable& table) {
  if (!root.has("signs")) return;
  const Config signs = root.map("signs");
  table.signs = {signs.text("key"), signs.text("reference"), signs.texts("values")};
  check_columns(signs, "key", {table.signs.key}, table);
  signs.finish();
}

void read_gain(const Config& root, PublishedTable& table) {
  if (!root.has("gain")) return;
  const Config gain = root.map("gain");
  table.gain = {gain.text("metric"), gain.text("quantity"), gain.text("key"), gain.text("over"),
                coordinates_below(gain, "of")};
  check_columns(gain, "key", {table.gain->key}, table);
  check_columns(gain, "over", {table.gain->over}, table);
  if (!metric_unit(table.gain->metric, "points"))
    gain.error("metric", "expected one that is counted in points");
  gain.finish();
}

void read_timelines(const Config& root, PublishedTable& table) {
  if (!root.has("timelines")) return;
  table.timelines = coordinates_below(root, "timelines");
  check_columns(root, "timelines", root.map("timelines").keys(), table);
}

}  // namespace

std::vector<std::string> published_tables(const fs::path& configs) { return names_in(configs / "published"); }

std::vector<std::string> with_groups(const fs::path& configs, const std::vector<std::string>& names) {
  const std::vector<std::string> known = published_tables(configs);
  std::vector<std::string> tables;
  for (const std::string& name : names) {
    const std::size_t before = tables.size();
    for (const std::string& table : known)
      if (table != name && read_published_table(configs, table).group == name) tables.push_back(table);
    const bool own = std::ranges::find(known, name) != known.end() || tables.size() == before;
    if (own) tables.push_back(name);
  }
  return tables;
}

PublishedTable read_published_table(const fs::path& configs, const std::string& name) {
  const bool own = name.ends_with(".yaml");
  const std::vector<std::string> known = published_tables(configs);
  if (!own && std::ranges::find(known, name) == known.end())
    throw InputError(fmt::format("unknown experiment '{}'{}", name, suggestion(name, known)));
  const fs::path file = own ? fs::path(name) : configs / "published" / (name + ".yaml");
  Diagnostics diagnostics;
  const Config root = Config::load(file, {}, diagnostics);
  PublishedTable table = read_published_table(root, fs::absolute(file).parent_path(), file.stem().string());
  diagnostics.throw_if_any();
  return table;
}

PublishedTable read_published_table(const Config& root, const fs::path& folder, const std::string& name) {
  PublishedTable table;
  table.name = name;
  table.description = root.text("description");
  table.heading = root.text("heading", "");
  table.notes = root.text("notes", "");
  table.lacks = root.text("lacks", "");
  table.with = root.texts("with");
  for (const std::string& other : table.with) {
    if (!fs::exists(folder / (other + ".yaml")))
      root.error("with", fmt::format("'{}': no such table in this folder", other));
  }
  table.evaluation = root.registered<Evaluation>("evaluation", "runs").value_or("runs");
  table.group = root.text("group", "");
  table.is_long = root.boolean("long", false);
  if (root.has("error_bars")) table.barred = coordinates_below(root, "error_bars");
  table.references = read_references(root);
  read_variants(root, folder, table);
  const Evaluation& evaluation = Evaluations::get(table.evaluation);
  if (evaluation.read) evaluation.read({root, folder}, table);
  read_signs(root, table);
  read_gain(root, table);
  read_figures(root, table);
  read_timelines(root, table);
  read_directions(root, folder, table);
  root.finish();
  return table;
}

}  // namespace a3sim
