#include "traces/report/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

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
    if (!table.row_seen_by(r, Audience::kPrograms)) continue;
    const std::vector<Cell>& row = table.rows()[r];
    Json& object = rows.emplace_back(Json::object());
    for (std::size_t c = 0; c < row.size(); ++c) {
      const Column& column = table.columns()[c];
      if (column.seen == Audience::kPeople) continue;
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

Report& Report::fact(std::string key, Cell value) {
  facts_.emplace_back(std::move(key), std::move(value));
  return *this;
}

Report::Piece& Report::add(std::string key) {
  Piece& piece = pieces_.emplace_back();
  piece.key = std::move(key);
  return piece;
}

Report& Report::say(std::string text, std::string key) {
  add(std::move(key)).text = std::move(text);
  return *this;
}

Report& Report::say_on(std::string text, std::string key) {
  say(std::move(text), std::move(key));
  pieces_.back().directly = true;
  return *this;
}

Table& Report::table(std::string key, std::vector<Column> columns, Audience seen) {
  Piece& piece = add(std::move(key));
  piece.seen = seen;
  return piece.table.emplace(std::move(columns));
}

Table& Report::table_on(std::string key, std::vector<Column> columns, Audience seen) {
  Table& added = table(std::move(key), std::move(columns), seen);
  pieces_.back().directly = true;
  return added;
}

Report& Report::part(std::string key, Report report) {
  return add(std::move(key)).part.emplace_back(std::move(report));
}

Report& Report::only_part(std::string key, Report report) {
  Piece& piece = add(std::move(key));
  piece.listed = false;
  return piece.part.emplace_back(std::move(report));
}

const Table& Report::table(const std::string& key) const {
  for (const Piece& piece : pieces_) {
    if (piece.table && piece.key == key) return *piece.table;
  }
  throw std::logic_error("a report has no table '" + key + "'");
}

std::string Report::joined(bool markdown, std::size_t most) const {
  std::string all;
  bool shown = false;  // the piece before was shown
  for (const Piece& piece : pieces_) {
    if (piece.seen == Audience::kPrograms) continue;
    std::string text = piece.text;
    if (piece.table && piece.table->rows_seen() > 0) {
      text = markdown ? piece.table->markdown() : piece.table->text(most);
      if (piece.table->rows_seen() > most)
        text += fmt::format("… {} more rows: --all shows them\n", piece.table->rows_seen() - most);
    }
    if (!piece.part.empty()) text = piece.part.front().joined(markdown, most);
    if (!all.empty() && !text.empty() && !(piece.directly && shown)) all += '\n';
    all += text;
    shown = !text.empty();
  }
  return all;
}

void Report::each(const std::function<void(const std::string&)>& text,
                  const std::function<void(const Table&)>& table) const {
  for (const Piece& piece : pieces_) {
    if (piece.seen == Audience::kPrograms) continue;
    if (!piece.text.empty()) text(piece.text);
    if (piece.table) table(*piece.table);
    if (!piece.part.empty()) piece.part.front().each(text, table);
  }
}

std::string Report::text(std::size_t most) const { return joined(false, most); }
std::string Report::markdown() const { return joined(true, static_cast<std::size_t>(-1)); }

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
      Json part = piece.part.front().json();
      if (piece.listed)
        json[piece.key].push_back(std::move(part));
      else
        json[piece.key] = std::move(part);
    } else {
      json[piece.key] = piece.text.substr(0, piece.text.find_last_not_of('\n') + 1);
    }
  }
  return json;
}

}  // namespace a3sim
