#include "sim/cli/csv_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "traces/report/table.h"

namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::pair<std::string, std::string>>;  // column and cell

struct NamedTable {
  std::string name;
  std::vector<Row> rows;
};

bool is_table(const Json& json) {
  return json.is_array() && !json.empty() &&
         std::ranges::all_of(json, [](const Json& row) { return row.is_object(); });
}

std::string text_of(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// Returns the values of a list in one cell, with spaces between them.
std::string cell_of(const Json& value) {
  if (!value.is_array()) return text_of(value);
  std::string cell;
  for (const Json& one : value) cell += (cell.empty() ? "" : " ") + text_of(one);
  return cell;
}

std::string below(const std::string& path, const std::string& key) {
  return path.empty() ? key : fmt::format("{}.{}", path, key);
}

// Adds the values of an object to a row; objects in it have columns with dots. Tables in it are left out.
void fill_row(const Json& object, const std::string& path, Row& row) {
  for (const auto& [key, value] : object.items()) {
    const std::string column = below(path, key);
    if (value.is_object())
      fill_row(value, column, row);
    else if (!is_table(value))
      row.emplace_back(column, spreadsheet_cell(cell_of(value)));
  }
}

// Adds the tables of an object, and those inside their rows: "passes[0].operators".
void add_tables(const Json& object, const std::string& path, std::vector<NamedTable>& tables) {
  for (const auto& [key, value] : object.items()) {
    const std::string name = below(path, key);
    if (value.is_object()) add_tables(value, name, tables);
    if (!is_table(value)) continue;
    NamedTable table{name, {}};
    for (const Json& object_of_row : value) fill_row(object_of_row, "", table.rows.emplace_back());
    tables.push_back(std::move(table));
    for (std::size_t i = 0; i < value.size(); ++i)
      add_tables(value[i], fmt::format("{}[{}]", name, i), tables);
  }
}

std::string csv_text(const NamedTable& table) {
  std::vector<std::string> columns;
  for (const Row& row : table.rows)
    for (const auto& [column, cell] : row)
      if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
  std::string text;
  for (const std::string& column : columns) text += (text.empty() ? "" : ",") + spreadsheet_cell(column);
  text += '\n';
  for (const Row& row : table.rows) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto cell = std::ranges::find(row, columns[c], &std::pair<std::string, std::string>::first);
      text += (c == 0 ? "" : ",") + (cell == row.end() ? std::string() : cell->second);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string csv_of(const nlohmann::ordered_json& json) {
  std::vector<NamedTable> tables;
  add_tables(json, "", tables);
  if (tables.empty()) {
    NamedTable facts;
    fill_row(json, "", facts.rows.emplace_back());
    tables.push_back(std::move(facts));
  }
  std::string text;
  for (const NamedTable& table : tables) {
    if (tables.size() > 1) text += fmt::format("{}# {}\n", text.empty() ? "" : "\n", table.name);
    text += csv_text(table);
  }
  return text;
}

}  // namespace a3sim
