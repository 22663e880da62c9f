#include <nlohmann/json.hpp>

#include "traces/report/report.h"

namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;

void set(Json& object, const std::string& key, const Cell& cell) {
  const std::size_t dot = key.find('.');
  if (dot == std::string::npos) {
    object[key] = cell_json(cell);
    return;
  }
  if (std::holds_alternative<std::monostate>(cell)) return;
  set(object[key.substr(0, dot)], key.substr(dot + 1), cell);
}

Json json_of(const Table& table) {
  Json rows = Json::array();
  for (std::size_t r = 0; r < table.rows().size(); ++r) {
    if (!table.row_seen_by(r, Seen::kByPrograms)) continue;
    const std::vector<Cell>& row = table.rows()[r];
    Json& object = rows.emplace_back(Json::object());
    for (std::size_t c = 0; c < row.size(); ++c) {
      const Column& column = table.columns()[c];
      if (column.seen == Seen::kByPeople) continue;
      if (column.key.empty()) {
        object[column.head] = cell_json(row[c]);
      } else {
        set(object, column.key, row[c]);
      }
    }
  }
  return rows;
}

}  // namespace

Json cell_json(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* time = std::get_if<Duration>(&cell)) return time->count();
  if (const auto* value = std::get_if<double>(&cell)) return *value;
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return *whole;
  return nullptr;
}

Json Report::json() const {
  Json json = Json::object();
  for (const auto& [key, value] : facts_) set(json, key, value);
  for (const Piece& piece : pieces_) {
    if (piece.key.empty()) continue;
    if (piece.table) {
      json[piece.key] = json_of(*piece.table);
    } else if (!piece.part.empty()) {
      json[piece.key].push_back(piece.part.front().json());
    } else {
      json[piece.key] = piece.text.substr(0, piece.text.find_last_not_of('\n') + 1);
    }
  }
  return json;
}

}  // namespace a3sim
