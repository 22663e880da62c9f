#include "sim/study/published/published_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "sim/core/closest.h"
#include "sim/core/config/config.h"
#include "sim/core/config/decimal.h"
#include "sim/core/error.h"
#include "sim/experiment/configs_folder.h"
#include "sim/experiment/overrides.h"
#include "sim/study/metrics/metric.h"
#include "sim/study/metrics/metric_unit.h"
#include "sim/study/published/direction_turns.h"
#include "sim/study/published/evaluation.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kPass = "pass";

// The key that the values of a column set.
struct ColumnKey {
  std::string name;
  std::string path;  // takes the value itself; or, by value:
  std::map<std::string, std::vector<std::string>> overrides;
};

std::string_view key_of(std::string_view override) { return override.substr(0, override.find('=')); }

// Adds overrides. They replace values of the same keys; files that are laid over one another all stay.
void lay_over(std::vector<std::string>& overrides, const std::vector<std::string>& more) {
  for (const std::string& override : more) {
    const auto same = std::ranges::find(overrides, key_of(override), key_of);
    if (same == overrides.end() || key_of(override) == "include")
      overrides.push_back(override);
    else
      *same = override;
  }
}

std::vector<std::string> overrides_of(const Config& config, const char* key, const fs::path& folder) {
  std::vector<std::string> texts;
  if (!config.has(key)) return texts;
  for (const Override& override : read_overrides(config.map(key), folder)) texts.push_back(override.text());
  return texts;
}

// Returns a mapping's values as coordinates; ignores what they set.
Json coordinates_of(const Config& config, const char* key) {
  if (!config.has(key)) return nullptr;
  Json coordinates = Json::object();
  const Config map = config.map(key);
  for (const std::string& name : map.names()) coordinates[name] = coordinate_of(map.text(name));
  return coordinates;
}

// Reads the cases of the evaluation `runs`.
class CaseReader {
 public:
  CaseReader(const Config& root, const fs::path& folder, PublishedTable& table)
      : root_(root), folder_(folder), table_(table) {}

  void read() {
    read_columns(root_.map("keys"));
    common_ = overrides_of(root_, "set", folder_);
    against_ = coordinates_of(root_, "against");
    // The first key of `each` varies slowest. Each combination has all cases.
    cross(root_.map("each"), Json::object(), 0, [&](const Json& outer) { add_groups(outer); });
    root_.map("each").finish();
    for (const Config& group : root_.maps("cases")) group.finish();
  }

 private:
  void read_columns(const Config& keys) {
    for (const std::string& name : keys.names()) {
      ColumnKey& column = columns_.emplace_back(ColumnKey{name, {}, {}});
      table_.columns.push_back(name);
      const std::string yaml = keys.yaml(name);
      if (yaml.starts_with('{')) {
        const Config values = keys.map(name);
        for (const std::string& value : values.names())
          column.overrides[value] = overrides_of(values, value.c_str(), folder_);
      } else if (yaml != "null") {
        column.path = keys.text(name);
      }
    }
  }

  // Calls `done` for each combination of the mapping's values, laid over `coordinates`. The last key in the
  // file varies fastest.
  void cross(const Config& map, const Json& coordinates, std::size_t key,
             const std::function<void(const Json&)>& done) const {
    for (const std::string& column : table_.columns) map.has(column);
    std::vector<std::string> names = map.names({"set", "against"});
    std::erase_if(names, [&](const std::string& name) {
      const bool column = std::ranges::find(table_.columns, name) != table_.columns.end();
      if (!column && name != kPass && key == 0 && coordinates.empty())
        map.error(name, "unknown key" + suggestion(name, table_.columns));
      return name == kPass || !column;
    });
    if (key == names.size()) return done(coordinates);
    const std::string yaml = map.yaml(names[key]);
    const bool is_list = yaml.starts_with('[');
    for (const std::string& value :
         is_list ? map.texts(names[key]) : std::vector<std::string>{map.text(names[key])}) {
      Json with = coordinates;
      with[names[key]] = yaml.starts_with('"') ? Json(value) : coordinate_of(value);
      cross(map, with, key + 1, done);
    }
  }

  // Adds the cases below one combination of `each`: those of `cases`, or the combination alone. With
  // neither, adds all cases with a published value.
  void add_groups(const Json& outer) {
    if (!root_.has("cases")) {
      if (root_.has("each")) return add_group({case_of(outer, root_, {})});
      for (const Reference& reference : table_.references) {
        const PublishedCase one = case_of(reference.coordinates, root_, {});
        if (std::ranges::find(table_.cases, one.coordinates, &PublishedCase::coordinates) ==
            table_.cases.end())
          add_group({one});
      }
      return;
    }
    for (const Config& group : root_.maps("cases")) {
      std::vector<PublishedCase> cases;
      const std::vector<std::string> own = overrides_of(group, "set", folder_);
      cross(group, outer, 0,
            [&](const Json& coordinates) { cases.push_back(case_of(coordinates, group, own)); });
      add_group(cases);
    }
  }

  // Adds cases, then their variants.
  void add_group(const std::vector<PublishedCase>& cases) {
    table_.cases.insert(table_.cases.end(), cases.begin(), cases.end());
    for (const PublishedCase& published_case : cases) {
      for (const PublishedVariant& variant : table_.variants) {
        if (!matches(published_case.coordinates, variant.when) || sets_nothing_new(published_case, variant))
          continue;
        PublishedCase& added = table_.cases.emplace_back(published_case);
        added.variant = variant.name;
        lay_over(added.overrides, variant.overrides);
      }
    }
  }

  static bool matches(const Json& coordinates, const Json& when) {
    if (when.is_null()) return true;
    return std::ranges::all_of(when.items(), [&](const auto& item) {
      return coordinates.contains(item.key()) && coordinates[item.key()] == item.value();
    });
  }
  static bool sets_nothing_new(const PublishedCase& published_case, const PublishedVariant& variant) {
    return std::ranges::all_of(variant.overrides, [&](const std::string& override) {
      return std::ranges::find(published_case.overrides, override) != published_case.overrides.end();
    });
  }

  PublishedCase case_of(const Json& coordinates, const Config& where,
                        const std::vector<std::string>& own) const {
    PublishedCase result{Json::object(), common_, nullptr};
    for (const ColumnKey& column : columns_) {
      if (column.name == kPass || !coordinates.contains(column.name)) continue;
      const Json& value = coordinates[column.name];
      const std::string text = text_of(value);
      result.coordinates[column.name] = value;
      if (!column.path.empty()) lay_over(result.overrides, {column.path + '=' + text});
      if (column.overrides.empty()) continue;
      const auto named = column.overrides.find(text);
      if (named == column.overrides.end()) {
        where.error(column.name, fmt::format("'{}' is none of the values below keys.{}", text, column.name));
        continue;
      }
      lay_over(result.overrides, named->second);
    }
    lay_over(result.overrides, own);
    const Json against = where.has("against") ? coordinates_of(where, "against") : against_;
    if (!against.is_null()) {
      result.against = result.coordinates;
      result.against.update(against);
    }
    return result;
  }

  const Config& root_;
  const fs::path& folder_;
  PublishedTable& table_;
  std::vector<ColumnKey> columns_;
  std::vector<std::string> common_;
  Json against_;
};

void read_variants(const Config& root, const fs::path& folder, PublishedTable& table) {
  for (const Config& variant : root.maps("variants")) {
    table.variants.push_back({variant.text("name"), coordinates_of(variant, "when"),
                              overrides_of(variant, "set", folder), variant.texts("methods")});
    variant.finish();
  }
}

void read_kernels(const Config& root, const fs::path& folder, PublishedTable& table) {
  constexpr std::int64_t kMost = std::int64_t{1} << 50;
  const std::string experiment = root.text("experiment");
  for (const Config& item : root.maps("kernels")) {
    PublishedKernel& kernel = table.kernels.emplace_back();
    kernel.coordinates = coordinates_of(item, "case");
    kernel.metric = item.text("metric");
    kernel.unit = item.text("unit");
    if (!metric_unit(kernel.metric, kernel.unit))
      item.error("unit", fmt::format("'{}' is no unit of {}", kernel.unit, kernel.metric));
    kernel.measure = item.text("measure");
    kernel.experiment = item.text("experiment", experiment);
    kernel.overrides = overrides_of(item, "set", folder);
    kernel.against = overrides_of(item, "against", folder);
    for (const char* key : {"m", "n", "k", "experts", "ranks", "bytes", "elements", "operation_ns",
                            "patterns", "seed", "nodes", "rack", "devices", "groups", "tokens", "top_k"})
      if (item.has(key)) kernel.numbers[key] = item.integer(key, 1, kMost);
    item.finish();
  }
}

void read_batches(const Config& root, PublishedTable& table) {
  const Config config = root.map("batches");
  PublishedBatches& batches = table.batches;
  batches.experiments = config.texts("experiments");
  if (batches.experiments.empty()) config.error("experiments", "none, expected at least one");
  batches.methods = config.texts("methods");
  const auto of_methods = [&](const char* key, const std::vector<std::string>& names) {
    for (const std::string& name : names)
      if (std::ranges::find(batches.methods, name) == batches.methods.end())
        config.error(key, fmt::format("'{}' is none of the methods that run: {}", name,
                                      fmt::join(batches.methods, ", ")));
    return names;
  };
  batches.reference = of_methods("reference", {config.text("reference")}).front();
  batches.latencies = of_methods("latencies", config.texts("latencies"));
  batches.stragglers = of_methods("stragglers", config.texts("stragglers"));
  batches.phases = of_methods("phases", config.texts("phases"));
  batches.signs = of_methods("signs", config.texts("signs"));
  for (const std::string& text : config.texts("dyns")) {
    std::int64_t dyn = 0;
    if (!decimal_integer(text, dyn) || dyn < 1 || dyn > 1000)
      config.error("dyns", fmt::format("'{}', expected a whole number from 1 to 1000", text));
    batches.dyns.push_back(static_cast<std::uint32_t>(dyn));
  }
  batches.varied = config.text("varied");
  batches.variant_seeds = static_cast<std::uint32_t>(config.integer("variant_seeds", 1, 1000));
  config.finish();
}

void read_timeline(const Config& root, const fs::path& folder, PublishedTable& table) {
  const Config config = root.map("timeline");
  PublishedTimeline& timeline = table.timeline;
  timeline.rank = static_cast<std::uint32_t>(config.integer("rank", 0, 65535, 0));
  timeline.coordinates = coordinates_of(config, "case");
  timeline.overrides = overrides_of(config, "set", folder);
  const Config stages = config.map("stages");
  for (const std::string& name : stages.names()) {
    const Config stage = stages.map(name);
    constexpr const char* kBy[] = {"", "expert", "segment"};
    const auto by = stage.choice("by", {"nothing", "expert", "segment"}, "nothing");
    timeline.stages.push_back({name, stage.texts("operators"), kBy[by]});
    stage.finish();
  }
  stages.finish();
  const auto known = [&](const Config& at, const char* key) {
    const std::string name = at.text(key);
    if (std::ranges::find(timeline.stages, name, &PublishedTimeline::Stage::name) == timeline.stages.end())
      at.error(key, fmt::format("'{}' is none of the stages", name));
    return name;
  };
  for (const Config& overlap : config.maps("overlaps")) {
    timeline.overlaps.emplace_back(known(overlap, "stage"), known(overlap, "beside"));
    overlap.finish();
  }
  config.finish();
}

void read_ratio(const Config& root, const fs::path& folder, PublishedTable& table) {
  const Config config = root.map("ratio");
  const auto part = [&](const char* key) {
    const Config time = config.map(key);
    PublishedRatio::Part read{time.text("metric", ""), time.text("experiment", table.experiment),
                              overrides_of(time, "set", folder)};
    if (!read.metric.empty() && !metric_unit(read.metric, "us"))
      time.error("metric", fmt::format("'{}' is no metric in us", read.metric));
    time.finish();
    return read;
  };
  table.ratio.metric = config.text("metric");
  if (!metric_unit(table.ratio.metric, "ratio"))
    config.error("metric", fmt::format("'{}' is no metric whose unit is ratio", table.ratio.metric));
  table.ratio.numerator = part("of");
  table.ratio.denominator = part("over");
  config.finish();
}

PublishedTuner read_tuner(const Config& root, const fs::path& folder) {
  PublishedTuner tuner;
  const Config axes = root.map("axes");
  for (const std::string& name : axes.names()) {
    PublishedTuner::Axis& axis = tuner.axes.emplace_back(PublishedTuner::Axis{name, {}});
    const Config values = axes.map(name);
    for (const std::string& value : values.names())
      axis.values.push_back({value, overrides_of(values, value.c_str(), folder)});
    if (axis.values.empty()) axes.error(name, "no values, expected at least one");
    values.finish();
  }
  axes.finish();
  for (const Config& part : root.maps("parts")) {
    tuner.parts.push_back({part.text("metric"), part.text("unit"), overrides_of(part, "set", folder)});
    const PublishedTuner::Part& read = tuner.parts.back();
    if (!metric_unit(read.metric, read.unit))
      part.error("unit", fmt::format("'{}' is no unit of {}", read.unit, read.metric));
    part.finish();
  }
  if (tuner.parts.empty()) root.error("parts", "none, expected at least one");
  return tuner;
}

void read_metrics(const Config& root, PublishedTable& table) {
  for (const Config& metric : root.maps("metrics")) {
    PublishedMetric& read = table.metrics.emplace_back(PublishedMetric{
        metric.text("metric"), metric.text("unit"), metric.texts("columns"), metric.text("operator", "")});
    if (!metric_unit(read.name, read.unit))
      metric.error("unit", fmt::format("'{}' is no unit of {}", read.unit, read.name));
    const Metric* known = Metrics::find(read.name);
    if (!known || (!known->amount && !known->of_operator))
      metric.error("metric", fmt::format("'{}' is nothing that one run has", read.name));
    else if (read.op.empty() == static_cast<bool>(known->of_operator))
      metric.error("operator", read.op.empty()
                                   ? fmt::format("expected the operator whose {} it is", read.name)
                                   : fmt::format("{} is of a pass, not of an operator", read.name));
    metric.finish();
  }
}

void read_directions(const Config& root, const fs::path& folder, PublishedTable& table) {
  constexpr double kMostTimes = 1000;
  for (const Config& item : root.maps("directions")) {
    PublishedDirection& direction = table.directions.emplace_back();
    direction.what = item.text("what");
    direction.source = item.text("source");
    direction.faster = coordinates_of(item, "faster");
    direction.than = coordinates_of(item, "than");
    direction.published = item.number("published", 0, kMostTimes);
    direction.if_not = item.text("if_not", "");
    static_cast<void>(read_turns(item, folder));  // direction_turns() reads them when it needs them
    item.finish();
  }
}

// Other evaluations have their own columns, which are not checked here.
void check_columns(const Config& item, const char* key, const std::vector<std::string>& names,
                   const PublishedTable& table) {
  if (table.evaluation != "runs") return;
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
    if (table.evaluation == "runs" &&
        std::ranges::find(table.metrics, figure.metric, &PublishedMetric::name) == table.metrics.end())
      item.error("metric", fmt::format("'{}' is none of the table's metrics", figure.metric));
    figure.x = item.yaml("x").starts_with('[') ? item.texts("x") : std::vector{item.text("x")};
    figure.series = item.text("series", "");
    check_columns(item, "x", figure.x, table);
    if (!figure.series.empty()) check_columns(item, "series", {figure.series}, table);
    figure.lines = item.choice("kind", {"bars", "lines"}, "bars") == 1;
    if (figure.lines && figure.x.size() != 1) item.error("x", "lines lie over one key");
    figure.where = coordinates_of(item, "where");
    if (item.has("where")) check_columns(item, "where", item.map("where").keys(), table);
    item.finish();
  }
}

void read_timelines(const Config& root, PublishedTable& table) {
  if (!root.has("timelines")) return;
  table.timelines = coordinates_of(root, "timelines");
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
  if (root.has("error_bars")) table.barred = coordinates_of(root, "error_bars");
  table.references = read_references(root);
  read_variants(root, folder, table);
  if (table.evaluation == "batches") read_batches(root, table);
  constexpr std::string_view kOfKernels[] = {"single kernels", "layer kernels", "steps", "traffic"};
  if (std::ranges::find(kOfKernels, table.evaluation) != std::end(kOfKernels))
    read_kernels(root, folder, table);
  if (table.evaluation == "replayed") {
    table.experiment = root.text("experiment");
    table.draws = static_cast<std::uint32_t>(root.integer("draws", 1, 1000));
    CaseReader(root, folder, table).read();
  }
  if (table.evaluation == "timeline") {
    table.experiment = root.text("experiment");
    read_timeline(root, folder, table);
  }
  if (table.evaluation == "ratios") {
    table.experiment = root.text("experiment");
    read_ratio(root, folder, table);
    CaseReader(root, folder, table).read();
  }
  const auto timed_from_kernel = [&] {
    return root.choice("timed_from", {"launch", "kernel"}, "launch") == 1;
  };
  if (table.evaluation == "tuned") {
    table.experiment = root.text("experiment");
    table.timed_from_kernel = timed_from_kernel();
    table.tuner = read_tuner(root, folder);
    CaseReader(root, folder, table).read();
  }
  if (table.evaluation == "runs") {
    table.experiment = root.text("experiment");
    table.timed_from_kernel = timed_from_kernel();
    read_metrics(root, table);
    CaseReader(root, folder, table).read();
  }
  read_figures(root, table);
  read_timelines(root, table);
  read_directions(root, folder, table);
  root.finish();
  return table;
}

}  // namespace a3sim
