#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/core/units.h"

namespace a3sim {

// What stands in a table: nothing, words, or a number that keeps its whole value until it is printed.
using Cell = std::variant<std::monostate, std::string, std::int64_t, double, Duration>;

// How people see the numbers of a column. Data (CSV, JSON) has them whole: times in picoseconds, shares of 1,
// bytes.
enum class Form : std::uint8_t {
  kPlain,               // words; whole numbers; other numbers with the column's decimals
  kMilliseconds,        // 10.482; a mean of times is a number of picoseconds
  kSignedMilliseconds,  // +10.482
  kMicroseconds,        // 54.00
  kPercent,             // 12.3 %
  kSignedPercent,       // +12.3 %
  kMega,                // 12.3, of bytes
  kSignificant,         // at least four significant digits, whole digits all kept
  kPrefixed             // 312.7 T
};

// Who sees a column, a row, or a whole table.
enum class Seen : std::uint8_t { kByAll, kByPeople, kByPrograms };

struct Column {
  std::string head;  // what people read above it: "latency ms"
  // Its name in CSV and JSON: "latency_ps"; empty: the head's. In JSON "passes_ps.forward" is `forward` in an
  // object `passes_ps`.
  std::string key;
  Form form = Form::kPlain;
  int decimals = 1;
  Seen seen = Seen::kByAll;
  std::string nothing = "-";  // what people see where a cell has nothing
  const std::string& name() const { return key.empty() ? head : key; }

  // The columns that most tables are made of.
  static Column words(std::string head, std::string key = "") { return {std::move(head), std::move(key)}; }
  static Column count(std::string head, std::string key = "") { return {std::move(head), std::move(key)}; }
  static Column number(std::string head, std::string key, int decimals) {
    return {std::move(head), std::move(key), Form::kPlain, decimals};
  }
  static Column milliseconds(std::string head, std::string key = "") {
    return {std::move(head), std::move(key), Form::kMilliseconds, 3};
  }
  static Column microseconds(std::string head, std::string key = "") {
    return {std::move(head), std::move(key), Form::kMicroseconds, 2};
  }
  static Column percent(std::string head, std::string key = "", int decimals = 1) {
    return {std::move(head), std::move(key), Form::kPercent, decimals};
  }
  static Column signed_percent(std::string head, std::string key = "", int decimals = 1) {
    return {std::move(head), std::move(key), Form::kSignedPercent, decimals};
  }
  static Column mega(std::string head, std::string key = "") {
    return {std::move(head), std::move(key), Form::kMega, 1};
  }
  // Whatever stands in it, under this name, for programs alone.
  static Column data(std::string key) { return Column{{}, std::move(key)}.for_programs(); }
  // The same column for people alone, for programs alone, or with other words where there is nothing.
  Column for_people() &&;
  Column for_programs() &&;
  Column or_else(std::string text) &&;
};

// A number of things. Cells hold signed numbers; nothing that is counted is above their range.
inline Cell whole(std::uint64_t number) { return static_cast<std::int64_t>(number); }
// A part of a whole, as a share of 1; nothing where there is no whole.
Cell share(double part, double value);
Cell share(Duration part, Duration time);
// Nothing instead of zero.
template <class T>
Cell unless_zero(T amount) {
  return amount == T{} ? Cell() : Cell(amount);
}

// A cell as people see it in this column.
std::string text_of(const Cell& cell, const Column& column);
// A cell as data: a number's shortest form that reads back as the same number; nothing is empty.
std::string exact_text(const Cell& cell);

// A cell of comma-separated values that a spreadsheet does not take for a formula: text that begins like one is
// preceded by an apostrophe.
std::string spreadsheet_cell(const std::string& text);

// What sentences say as tables do: "10.482"; "12.3 %", of a share of 1, without a sign before zero.
std::string in_milliseconds(Duration time);
std::string in_percent(double share, int decimals = 1);
// `value` with at least four significant digits, whole digits all kept: 9.668, 54.00, 12345.
std::string significant(double value);
// "312.7 T": three or four digits with the prefix that fits.
std::string with_prefix(double amount);

// Columns with units, and rows of as many cells. Cells are formatted when they are printed, and not before.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // Columns of words.
  explicit Table(const std::vector<std::string>& heads);

  // As many cells as there are columns; throws std::logic_error for another number. A row that people alone
  // see is a sum or a mean of others; one that programs alone see would fill a screen.
  void add(std::vector<Cell> cells, Seen seen = Seen::kByAll);
  void add_words(const std::vector<std::string>& cells);
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<Cell>>& rows() const { return rows_; }
  bool row_seen_by(std::size_t row, Seen who) const;

  // Lines with a final newline each, no spaces at their ends: first column to the left, the others to the
  // right, two spaces between. Of the first `most` rows that people see.
  std::string text(std::size_t most = static_cast<std::size_t>(-1)) const;
  // The same columns between bars.
  std::string markdown() const;
  // A line of exact values between commas, quoted where they hold commas, quotes or ends of lines.
  std::string csv() const;
  // How many rows people see.
  std::size_t rows_seen() const;

 private:
  std::vector<std::vector<std::string>> seen_by(Seen who, std::size_t most) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
  std::vector<Seen> seen_;  // by row
};

}  // namespace a3sim
