#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/core/units.h"

namespace a3sim {

// The value of a cell: nothing, words, or a number, which is rounded only when printed.
using Cell = std::variant<std::monostate, std::string, std::int64_t, double, Duration>;

// The form in which people see the numbers of a column. Data (CSV, JSON) has them unrounded: times in
// picoseconds, shares of 1, bytes.
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

// The readers of a column, a row, or a whole table.
enum class Audience : std::uint8_t { kAll, kPeople, kPrograms };

struct Column {
  std::string head;  // heading for people: "latency ms"
  // Its name in CSV and JSON: "latency_ps"; empty: the heading. In JSON, "passes_ps.forward" is `forward`
  // in an object `passes_ps`.
  std::string key;
  Form form = Form::kPlain;
  int decimals = 1;
  Audience seen = Audience::kAll;
  std::string nothing = "-";  // shown to people for an empty cell
  const std::string& name() const { return key.empty() ? head : key; }

  // Return the columns that most tables consist of.
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
  // Returns a column of any values, for programs alone.
  static Column data(std::string key) { return Column{{}, std::move(key)}.for_programs(); }
  // Return this column for people alone, for programs alone, or with another text for empty cells.
  Column for_people() &&;
  Column for_programs() &&;
  Column or_else(std::string text) &&;
};

// Returns a count. No count exceeds the range of signed numbers.
inline Cell whole(std::uint64_t number) { return static_cast<std::int64_t>(number); }
// Returns a part of a whole as a share of 1; an empty cell if there is no whole.
Cell share(double part, double value);
Cell share(Duration part, Duration time);
// Returns an empty cell for zero.
template <class T>
Cell unless_zero(T amount) {
  return amount == T{} ? Cell() : Cell(amount);
}

// Returns a cell as people see it in this column.
std::string text_of(const Cell& cell, const Column& column);
// Returns a cell as data: the shortest form of a number that reads back as the same number. Empty for an
// empty cell.
std::string exact_text(const Cell& cell);

// Returns a cell of comma-separated values that no spreadsheet takes for a formula: if it looks like one,
// it gets an apostrophe in front.
std::string spreadsheet_cell(const std::string& text);

// Format numbers for sentences as in tables: "10.482"; "12.3 %" for a share of 1, without a sign before
// zero.
std::string in_milliseconds(Duration time);
// Returns "8.245 ms", and from a second on "20.100 s".
std::string in_ms_or_s(Duration time);
std::string in_percent(double share, int decimals = 1);
// Returns `value` with at least four significant digits and all whole digits: 9.668, 54.00, 12345.
std::string significant(double value);
// Returns "312.7 T": three or four digits with the fitting prefix.
std::string with_prefix(double amount);

// Columns with units, and rows of cells. Cells are formatted only when printed.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // Makes columns of words.
  explicit Table(const std::vector<std::string>& heads);

  // Adds a row with a cell for each column; throws std::logic_error for another number. Rows for people
  // alone are sums or means of others; rows for programs alone would fill a screen.
  void add(std::vector<Cell> cells, Audience seen = Audience::kAll);
  void add_words(const std::vector<std::string>& cells);
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<Cell>>& rows() const { return rows_; }
  bool row_seen_by(std::size_t row, Audience who) const;

  // Prints the first `most` rows that people see. The first column is aligned to the left, the others to
  // the right, with two spaces between them. Each line ends with a newline, not with spaces.
  std::string text(std::size_t most = static_cast<std::size_t>(-1)) const;
  // Prints the same columns between bars.
  std::string markdown() const;
  // Prints exact values between commas, quoted if they hold commas, quotes or line ends.
  std::string csv() const;
  // Returns how many rows people see.
  std::size_t rows_seen() const;

 private:
  std::vector<std::vector<std::string>> seen_by(Audience who, std::size_t most) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
  std::vector<Audience> seen_;  // one per row
};

}  // namespace a3sim
