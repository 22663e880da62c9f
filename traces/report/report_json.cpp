#include <nlohmann/json.hpp>

#include "traces/report/report.h"

namespace a3sim {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* time = std::get_if<Duration>(&cell)) return time->count();
  if (const auto* value = std::get_if<double>(&cell)) return *value;
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return *whole;
  return nullptr;
}

Json json_of(const Table& table) {
  Json rows = Json::array();
  for (const std::vector<Cell>& row : table.rows()) {
    Json& object = rows.emplace_back(Json::object());
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (table.columns()[c].seen != Seen::kByPeople) object[table.columns()[c].name()] = json_of(row[c]);
    }
  }
  return rows;
}

}  // namespace

Json Report::json() const {
  Json json = Json::object();
  for (const auto& [key, value] : facts_) json[key] = json_of(value);
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
