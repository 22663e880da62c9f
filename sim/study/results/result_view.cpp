#include "sim/study/results/result_view.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/study/published/metric.h"
#include "traces/report/table.h"

namespace a3sim {
namespace {

std::string short_cell(const ResultCell& cell) {
  if (cell.kind == ResultCell::Kind::kName) return cell.name;
  return cell.kind == ResultCell::Kind::kNumber ? significant(cell.number) : "-";
}

std::string exact_cell(const ResultCell& cell) {
  if (cell.kind == ResultCell::Kind::kName) return cell.name;
  return cell.kind == ResultCell::Kind::kNumber ? fmt::format("{}", cell.number) : "";
}

Table short_table(const ResultTable& table, std::size_t most) {
  Table result(table.columns);
  for (std::size_t i = 0; i < std::min(most, table.rows.size()); ++i) {
    std::vector<std::string> cells;
    for (const ResultCell& cell : table.rows[i]) cells.push_back(short_cell(cell));
    result.add_words(cells);
  }
  return result;
}

nlohmann::ordered_json json_cell(const ResultCell& cell) {
  if (cell.kind == ResultCell::Kind::kName) return cell.name;
  return cell.kind == ResultCell::Kind::kNumber ? nlohmann::ordered_json(cell.number)
                                                : nlohmann::ordered_json(nullptr);
}

std::string joined(const ResultView& view, const std::string& table) {
  const auto gap = [](const std::string& text) { return text.empty() ? "" : "\n"; };
  return view.before + gap(view.before) + table + gap(view.after) + view.after;
}

}  // namespace

std::string heading(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} ({})", name, unit);
}

std::string view_text(const ResultView& view, std::size_t most) {
  if (view.table.columns.empty()) return joined(view, "");
  std::string table = short_table(view.table, most).text();
  if (view.table.rows.size() > most)
    table += fmt::format("… {} more rows: --all shows them\n", view.table.rows.size() - most);
  return joined(view, table);
}

std::string view_markdown(const ResultView& view) {
  return joined(view, view.table.columns.empty() ? "" : short_table(view.table, kAllRows).markdown());
}

std::string view_csv(const ResultView& view) {
  Table table(view.table.columns);
  for (const std::vector<ResultCell>& row : view.table.rows) {
    std::vector<std::string> cells;
    for (const ResultCell& cell : row) cells.push_back(exact_cell(cell));
    table.add_words(cells);
  }
  return table.csv();
}

nlohmann::ordered_json view_json(const ResultView& view) {
  nlohmann::ordered_json json{{"schema_version", 1}};
  json.update(view.json);
  json["columns"] = view.table.columns;
  json["rows"] = nlohmann::ordered_json::array();
  for (const std::vector<ResultCell>& row : view.table.rows) {
    nlohmann::ordered_json cells = nlohmann::ordered_json::array();
    for (const ResultCell& cell : row) cells.push_back(json_cell(cell));
    json["rows"].push_back(std::move(cells));
  }
  return json;
}

}  // namespace a3sim
