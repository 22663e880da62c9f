#include "sim/sweep/flat_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <vector>

namespace a3sim {
namespace {

constexpr std::size_t kMostFlatColumns = 1000;  // SQLite's limit is 2000

// Quotes a text for SQL.
std::string quoted_sql(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out += quote;
    out += c;
  }
  return out += quote;
}
std::string sql_text(std::string_view text) { return quoted_sql(text, '\''); }

// Makes unique names of columns. SQLite ignores their case.
class FlatNames {
 public:
  std::string unique(std::string name) {
    for (char& c : name)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    const std::string wanted = name;
    for (int n = 2; !taken_.insert(lower_case(name)).second; ++n) name = fmt::format("{}_{}", wanted, n);
    return quoted_sql(name, '"');
  }

 private:
  static std::string lower_case(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  }
  std::set<std::string> taken_{"position", "status", "error"};
};

bool axis_is_numeric(SQLite::Database& database, const std::string& sweep, const std::string& axis) {
  // Text that is a number equals SQLite's number, except for its digits.
  SQLite::Statement others(
      database,
      "SELECT 1 FROM coordinate WHERE sweep = ? AND axis = ? AND (value GLOB '*[^0-9.eE+-]*' "
      "OR value NOT GLOB '*[0-9]*' OR value GLOB '[eE]*')");
  others.bind(1, sweep);
  others.bind(2, axis);
  return !others.executeStep();
}

void add_axis_columns(SQLite::Database& database, const std::string& sweep, FlatNames& names,
                      std::vector<std::string>& columns) {
  SQLite::Statement axes(database, "SELECT name FROM axis WHERE sweep = ? ORDER BY position");
  axes.bind(1, sweep);
  while (axes.executeStep()) {
    const std::string axis = axes.getColumn(0).getString();
    const char* value = axis_is_numeric(database, sweep, axis) ? "CAST(value AS NUMERIC)" : "value";
    columns.push_back(
        fmt::format("(SELECT {} FROM coordinate WHERE coordinate.sweep = sweep_point.sweep AND "
                    "coordinate.position = sweep_point.position AND axis = {}) AS {}",
                    value, sql_text(axis), names.unique(axis)));
  }
}

void add_metric_columns(SQLite::Database& database, const std::string& sweep, FlatNames& names,
                        std::vector<std::string>& columns) {
  SQLite::Statement metrics(
      database,
      "SELECT DISTINCT pass, name FROM metric WHERE point IN (SELECT point FROM sweep_point "
      "WHERE sweep = ?) ORDER BY pass != 'total', pass, name");
  metrics.bind(1, sweep);
  while (metrics.executeStep() && columns.size() < kMostFlatColumns) {
    const std::string pass = metrics.getColumn(0).getString(), name = metrics.getColumn(1).getString();
    columns.push_back(fmt::format(
        "(SELECT value FROM metric WHERE metric.point = sweep_point.point AND pass = {} AND name = {}) "
        "AS {}",
        sql_text(pass), sql_text(name), names.unique(pass == "total" ? name : pass + "_" + name)));
  }
}

}  // namespace

void make_flat_view(SQLite::Database& database, const std::string& sweep) {
  FlatNames names;
  std::vector<std::string> columns{"sweep_point.position AS position", "status", "error"};
  add_axis_columns(database, sweep, names, columns);
  add_metric_columns(database, sweep, names, columns);
  const std::string view = quoted_sql("points_" + sweep, '"');
  database.exec("DROP VIEW IF EXISTS " + view);
  database.exec(fmt::format(
      "CREATE VIEW {} AS SELECT {} FROM sweep_point LEFT JOIN point ON point.id = sweep_point.point WHERE "
      "sweep_point.sweep = {} ORDER BY sweep_point.position",
      view, fmt::join(columns, ", "), sql_text(sweep)));
}

void make_flat_views(SQLite::Database& database) {
  std::vector<std::string> sweeps;
  SQLite::Statement rows(database, "SELECT name FROM sweep ORDER BY name");
  while (rows.executeStep()) sweeps.push_back(rows.getColumn(0).getString());
  rows.reset();
  for (const std::string& sweep : sweeps) make_flat_view(database, sweep);
}

}  // namespace a3sim
