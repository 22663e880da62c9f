#include "traces/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "sim/core/csv.h"

namespace a3sim {
namespace {

// Times are in picoseconds.
std::string number_text(double value, const Column& column) {
  constexpr double kMilliseconds = 1e-9, kMicroseconds = 1e-6, kMega = 1e-6;
  switch (column.form) {
    case Form::kMilliseconds:
      return fmt::format("{:.{}f}", value * kMilliseconds, column.decimals);
    case Form::kSignedMilliseconds:
      return fmt::format("{:+.{}f}", value * kMilliseconds, column.decimals);
    case Form::kMicroseconds:
      return fmt::format("{:.{}f}", value * kMicroseconds, column.decimals);
    case Form::kPercent:
      return in_percent(value, column.decimals);
    case Form::kSignedPercent:
      return fmt::format("{:+.{}f} %", 100 * value, column.decimals);
    case Form::kMega:
      return fmt::format("{:.{}f}", value * kMega, column.decimals);
    case Form::kSignificant:
      return significant(value);
    case Form::kPrefixed:
      return with_prefix(value);
    default:
      return fmt::format("{:.{}f}", value, column.decimals);
  }
}

std::string escaped(const std::string& cell) {
  std::string safe;
  for (const char ch : cell) safe += ch == '|' ? std::string("\\|") : std::string(1, ch);
  return safe;
}

// True for text that a spreadsheet would compute, not show. Numbers are no formulas.
bool is_formula(const std::string& cell) {
  if (cell.empty() || std::string_view("=+-@\t\r").find(cell[0]) == std::string_view::npos) return false;
  double number = 0;
  const char* begin = cell.data() + (cell[0] == '+' ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, cell.data() + cell.size(), number);
  return cell.size() > 1 && (error != std::errc() || end != cell.data() + cell.size());
}

}  // namespace

Column Column::for_people() && {
  seen = Audience::kPeople;
  return std::move(*this);
}
Column Column::for_programs() && {
  seen = Audience::kPrograms;
  return std::move(*this);
}
Column Column::or_else(std::string text) && {
  nothing = std::move(text);
  return std::move(*this);
}

Cell share(double part, double value) { return value != 0 ? Cell(part / value) : Cell(); }
Cell share(Duration part, Duration time) { return share(seconds(part), seconds(time)); }

std::string text_of(const Cell& cell, const Column& column) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* time = std::get_if<Duration>(&cell))
    return number_text(static_cast<double>(time->count()), column);
  if (const auto* value = std::get_if<double>(&cell)) return number_text(*value, column);
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
    return column.form == Form::kPlain ? fmt::format("{}", *whole)
                                       : number_text(static_cast<double>(*whole), column);
  }
  return column.nothing;
}

std::string exact_text(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* time = std::get_if<Duration>(&cell)) return fmt::format("{}", time->count());
  if (const auto* value = std::get_if<double>(&cell)) return fmt::format("{}", *value);
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *whole);
  return "";
}

std::string in_milliseconds(Duration time) { return fmt::format("{:.3f}", milliseconds(time)); }

std::string in_ms_or_s(Duration time) {
  const bool long_time = time >= Duration(std::chrono::seconds(1));
  return long_time ? fmt::format("{:.3f} s", seconds(time)) : in_milliseconds(time) + " ms";
}

std::string in_percent(double share, int decimals) {
  const std::string text = fmt::format("{:.{}f} %", 100 * share, decimals);
  const bool zero = text.find_first_of("123456789nf") == std::string::npos;  // of "nan" and "inf" too
  return zero && text.front() == '-' ? text.substr(1) : text;
}

std::string significant(double value) {
  constexpr int kDigits = 4, kMostDecimals = 12;
  if (value == 0 || !std::isfinite(value)) return fmt::format("{:.3f}", value);
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
  return fmt::format("{:.{}f}", value, std::clamp(kDigits - 1 - magnitude, 0, kMostDecimals));
}

std::string with_prefix(double amount) {
  constexpr std::string_view kPrefixes[] = {"", " k", " M", " G", " T", " P", " E"};
  std::size_t prefix = 0;
  for (; amount >= 1000 && prefix + 1 < std::size(kPrefixes); ++prefix) amount *= 1e-3;
  return fmt::format("{:.{}f}{}", amount, amount < 10 ? 2 : 1, kPrefixes[prefix]);
}

std::string spreadsheet_cell(const std::string& text) {
  return csv_cell(is_formula(text) ? '\'' + text : text);
}

Table::Table(const std::vector<std::string>& heads) {
  for (const std::string& head : heads) columns_.push_back(Column::words(head));
}

void Table::add(std::vector<Cell> cells, Audience seen) {
  if (cells.size() != columns_.size())
    throw std::logic_error(
        fmt::format("a row of {} cells in a table of {} columns", cells.size(), columns_.size()));
  rows_.push_back(std::move(cells));
  seen_.push_back(seen);
}

void Table::add_words(const std::vector<std::string>& cells) { add({cells.begin(), cells.end()}); }

bool Table::row_seen_by(std::size_t row, Audience who) const {
  return seen_[row] == Audience::kAll || seen_[row] == who;
}

std::size_t Table::rows_seen() const {
  return seen_.size() - static_cast<std::size_t>(std::ranges::count(seen_, Audience::kPrograms));
}

// Returns the heads, then the rows, as people or programs see them.
std::vector<std::vector<std::string>> Table::seen_by(Audience who, std::size_t most) const {
  const bool people = who == Audience::kPeople;
  std::vector<std::vector<std::string>> lines(1);
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].seen != Audience::kAll && columns_[c].seen != who) continue;
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
  const std::vector<std::vector<std::string>> lines = seen_by(Audience::kPeople, most);
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
  const std::vector<std::vector<std::string>> lines = seen_by(Audience::kPeople, rows_.size());
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
  for (const auto& line : seen_by(Audience::kPrograms, rows_.size())) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      if (c > 0) text += ',';
      text += spreadsheet_cell(line[c]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace a3sim
