#include "sim/published/table_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "sim/core/closest.h"
#include "sim/experiment/config/overrides.h"
#include "sim/experiment/metric.h"
#include "sim/result/metrics/metric_unit.h"

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

// Reads cases, each with its variants.
class CaseReader {
 public:
  CaseReader(const Config& root, const fs::path& folder, PublishedTable& table)
      : root_(root), folder_(folder), table_(table) {}

  void read() {
    read_columns(root_.map("keys"));
    common_ = overrides_below(root_, "set", folder_);
    against_ = coordinates_below(root_, "against");
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
          column.overrides[value] = overrides_below(values, value.c_str(), folder_);
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
    std::vector<std::string> names = map.names({"set", "against", "experiment", "metrics", "over"});
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
      const std::vector<std::string> own = overrides_below(group, "set", folder_);
      cross(group, outer, 0,
            [&](const Json& coordinates) { cases.push_back(case_of(coordinates, group, own)); });
      add_group(cases);
    }
  }

  // Adds cases, then their variants.
  void add_group(const std::vector<PublishedCase>& cases) {
    table_.cases.insert(table_.cases.end(), cases.begin(), cases.end());
    for (const PublishedCase& published_case : cases) {
      const auto& metrics = published_case.metrics.empty() ? table_.metrics : published_case.metrics;
      if (!metrics.empty() && std::ranges::none_of(metrics, &PublishedMetric::variants)) continue;
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
    if (&where != &root_) {
      result.experiment = where.text("experiment", "");
      result.metrics = read_metrics(where);
    }
    if (const Config& stated = where.has("over") ? where : root_; stated.has("over")) {
      const Config over = stated.map("over");
      result.over = PublishedRun{over.text("experiment", ""), result.overrides};
      lay_over(result.over->overrides, overrides_below(over, "set", folder_));
      over.finish();
    }
    const Json against = where.has("against") ? coordinates_below(where, "against") : against_;
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

}  // namespace

std::vector<std::string> overrides_below(const Config& config, const char* key, const fs::path& folder) {
  std::vector<std::string> texts;
  if (!config.has(key)) return texts;
  for (const Override& override : read_overrides(config.map(key), folder)) texts.push_back(override.text());
  return texts;
}

Json coordinates_below(const Config& config, const char* key) {
  if (!config.has(key)) return nullptr;
  Json coordinates = Json::object();
  const Config map = config.map(key);
  for (const std::string& name : map.names()) coordinates[name] = coordinate_of(map.text(name));
  return coordinates;
}

void read_cases(const TableFile& file, PublishedTable& table) {
  table.experiment = file.root.text("experiment");
  CaseReader(file.root, file.folder, table).read();
}

bool read_timed_from_kernel(const TableFile& file) {
  return file.root.choice("timed_from", {"launch", "kernel"}, "launch") == 1;
}

void read_kernels(const TableFile& file, PublishedTable& table) {
  const auto& [root, folder] = file;
  constexpr std::int64_t kMost = std::int64_t{1} << 50;
  const std::string experiment = root.text("experiment");
  for (const Config& item : root.maps("kernels")) {
    PublishedKernel& kernel = table.kernels.emplace_back();
    kernel.coordinates = coordinates_below(item, "case");
    kernel.metric = item.text("metric");
    kernel.unit = item.text("unit");
    if (!metric_unit(kernel.metric, kernel.unit))
      item.error("unit", fmt::format("'{}' is no unit of {}", kernel.unit, kernel.metric));
    kernel.measure = item.text("measure");
    kernel.experiment = item.text("experiment", experiment);
    kernel.overrides = overrides_below(item, "set", folder);
    kernel.against = overrides_below(item, "against", folder);
    for (const char* key :
         {"experts", "bytes", "patterns", "seed", "nodes", "rack", "devices", "groups", "tokens", "top_k"})
      if (item.has(key)) kernel.numbers[key] = item.integer(key, 1, kMost);
    item.finish();
  }
}

std::vector<PublishedMetric> read_metrics(const Config& config) {
  std::vector<PublishedMetric> metrics;
  if (!config.has("metrics")) return metrics;
  for (const Config& metric : config.maps("metrics")) {
    PublishedMetric& read = metrics.emplace_back(PublishedMetric{
        metric.text("metric"), metric.text("unit"), metric.texts("columns"), metric.text("operator", ""),
        metric.text("pass", ""), metric.text("quantity", ""), metric.boolean("variants", true)});
    if (!metric_unit(read.name, read.unit))
      metric.error("unit", fmt::format("'{}' is no unit of {}", read.unit, read.name));
    const Metric* known = Metrics::find(read.read());
    const bool sampled = known && !known->amount && !known->of_operator;
    if (!known)
      metric.error("metric", fmt::format("'{}' is nothing that one run has", read.read()));
    else if (!sampled && (read.op.empty() ? !known->amount : !known->of_operator))
      metric.error("operator", read.op.empty()
                                   ? fmt::format("expected the operator whose {} it is", read.name)
                                   : fmt::format("{} is of a pass, not of an operator", read.name));
    metric.finish();
  }
  return metrics;
}

}  // namespace a3sim
