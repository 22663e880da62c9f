#include "traces/report/report.h"

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
  piece.directly = std::exchange(directly_, false);
  return piece;
}

Report& Report::say(std::string text, std::string key) {
  add(std::move(key)).text = std::move(text);
  return *this;
}

Report& Report::directly() {
  directly_ = true;
  return *this;
}

Table& Report::table(std::string key, std::vector<Column> columns, Seen seen) {
  Piece& piece = add(std::move(key));
  piece.seen = seen;
  return piece.table.emplace(std::move(columns));
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

std::string Report::joined(bool markdown) const {
  std::string all;
  bool shown = false;  // the piece before
  for (const Piece& piece : pieces_) {
    if (piece.seen == Seen::kByPrograms) continue;
    std::string text = piece.text;
    if (piece.table && piece.table->is_shown())
      text = markdown ? piece.table->markdown() : piece.table->text();
    if (!piece.part.empty()) text = piece.part.front().joined(markdown);
    if (!all.empty() && !text.empty() && !(piece.directly && shown)) all += '\n';
    all += text;
    shown = !text.empty();
  }
  return all;
}

std::string Report::text() const { return joined(false); }
std::string Report::markdown() const { return joined(true); }

}  // namespace a3sim
