#include "traces/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>

namespace a3sim {
namespace {

std::string escaped(const std::string& cell) {
  std::string safe;
  for (const char ch : cell) safe += ch == '|' ? std::string("\\|") : std::string(1, ch);
  return safe;
}

// What a spreadsheet would compute instead of show; numbers are none.
bool is_formula(const std::string& cell) {
  if (cell.empty() || std::string_view("=+-@\t\r").find(cell[0]) == std::string_view::npos) return false;
  double number = 0;
  const char* begin = cell.data() + (cell[0] == '+' ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, cell.data() + cell.size(), number);
  return cell.size() > 1 && (error != std::errc() || end != cell.data() + cell.size());
}

}  // namespace

std::string csv_cell(const std::string& cell) {
  std::string text = is_formula(cell) ? '\'' + cell : cell;
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string safe = "\"";
  for (const char ch : text) safe += ch == '"' ? std::string("\"\"") : std::string(1, ch);
  return safe + '"';
}

Table::Table(const std::vector<std::string>& heads) {
  for (const std::string& head : heads) columns_.push_back(Column::words(head));
}

void Table::add(std::vector<Cell> cells, Seen seen) {
  if (cells.size() != columns_.size())
    throw std::logic_error(
        fmt::format("a row of {} cells in a table of {} columns", cells.size(), columns_.size()));
  rows_.push_back(std::move(cells));
  seen_.push_back(seen);
}

void Table::add_words(const std::vector<std::string>& cells) { add({cells.begin(), cells.end()}); }

bool Table::row_seen_by(std::size_t row, Seen who) const {
  return seen_[row] == Seen::kByAll || seen_[row] == who;
}

std::size_t Table::rows_seen() const {
  return seen_.size() - static_cast<std::size_t>(std::ranges::count(seen_, Seen::kByPrograms));
}

// The heads, then the rows, as people or as programs see them.
std::vector<std::vector<std::string>> Table::seen_by(Seen who, std::size_t most) const {
  const bool people = who == Seen::kByPeople;
  std::vector<std::vector<std::string>> lines(1);
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].seen != Seen::kByAll && columns_[c].seen != who) continue;
    shown.push_back(c);
    lines[0].push_back(people ? columns_[c].head : columns_[c].name());
  }
  for (std::size_t r = 0; r < rows_.size() && lines.size() <= most; ++r) {
    if (!row_seen_by(r, who)) continue;
    std::vector<std::string>& line = lines.emplace_back();
    for (const std::size_t c : shown)
      line.push_back(people ? text_of(rows_[r][c], columns_[c]) : exact_text(rows_[r][c]));
  }
  return lines;
}

std::string Table::text(std::size_t most) const {
  const std::vector<std::vector<std::string>> lines = seen_by(Seen::kByPeople, most);
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < widths.size(); ++c) widths[c] = std::max(widths[c], line[c].size());
  }
  std::string text;
  for (const auto& line : lines) {
    std::string printed = fmt::format("{:<{}}", line[0], widths[0]);
    for (std::size_t c = 1; c < widths.size(); ++c) printed += fmt::format("  {:>{}}", line[c], widths[c]);
    printed.erase(printed.find_last_not_of(' ') + 1);
    text += printed + '\n';
  }
  return text;
}

std::string Table::markdown() const {
  std::string text;
  const std::vector<std::vector<std::string>> lines = seen_by(Seen::kByPeople, rows_.size());
  for (std::size_t l = 0; l < lines.size(); ++l) {
    text += '|';
    for (const std::string& cell : lines[l]) text += ' ' + escaped(cell) + " |";
    text += '\n';
    if (l > 0) continue;
    for (std::size_t c = 0; c < lines[0].size(); ++c) text += c == 0 ? "| --- |" : " ---: |";
    text += '\n';
  }
  return text;
}

std::string Table::csv() const {
  std::string text;
  for (const auto& line : seen_by(Seen::kByPrograms, rows_.size())) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      if (c > 0) text += ',';
      text += csv_cell(line[c]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace a3sim
