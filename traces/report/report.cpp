#include "traces/report/report.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace a3sim {

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

Table& Report::table(std::string key, std::vector<Column> columns, Seen seen) {
  Piece& piece = add(std::move(key));
  piece.seen = seen;
  return piece.table.emplace(std::move(columns));
}

Table& Report::table_on(std::string key, std::vector<Column> columns, Seen seen) {
  Table& added = table(std::move(key), std::move(columns), seen);
  pieces_.back().directly = true;
  return added;
}

Report& Report::part(std::string key, Report of) {
  return add(std::move(key)).part.emplace_back(std::move(of));
}

const Table& Report::table(const std::string& key) const {
  for (const Piece& piece : pieces_) {
    if (piece.table && piece.key == key) return *piece.table;
  }
  throw std::logic_error("a report has no table '" + key + "'");
}

std::string Report::joined(bool markdown, std::size_t most) const {
  std::string all;
  bool shown = false;  // the piece before
  for (const Piece& piece : pieces_) {
    if (piece.seen == Seen::kByPrograms) continue;
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
    if (piece.seen == Seen::kByPrograms) continue;
    if (!piece.text.empty()) text(piece.text);
    if (piece.table) table(*piece.table);
    if (!piece.part.empty()) piece.part.front().each(text, table);
  }
}

std::string Report::text(std::size_t most) const { return joined(false, most); }
std::string Report::markdown() const { return joined(true, static_cast<std::size_t>(-1)); }

}  // namespace a3sim
