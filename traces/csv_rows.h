#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sim/core/enum_names.h"
#include "sim/core/error.h"
#include "sim/core/ids.h"
#include "sim/core/units.h"
#include "traces/report/table.h"

// CSV files whose rows are structs. A struct's `columns()`, a tuple of CsvColumn, says which column each
// field has. Both writer and reader use it.
namespace a3sim {

template <class Row, class Cell>
struct CsvColumn {
  std::string_view name;
  Cell Row::* cell;
  bool empty_is_none = false;  // an id: kNone is an empty cell
  bool is_read = true;         // false: written for others only
};

// Returns the names of a row's columns, the first line of its file.
template <class Row>
std::string csv_header() {
  std::string line;
  std::apply([&](const auto&... column) { ((line += column.name, line += ','), ...); }, Row::columns());
  line.back() = '\n';
  return line;
}

inline void append_cell(std::string& csv, std::string_view text) {
  csv += spreadsheet_cell(std::string(text));
}
inline void append_cell(std::string& csv, std::integral auto value) { csv += fmt::format_int(value).c_str(); }
inline void append_cell(std::string& csv, Duration time) { append_cell(csv, time.count()); }
template <class Enum>
  requires std::is_enum_v<Enum>
void append_cell(std::string& csv, Enum value) {
  csv += name_of(value);
}

template <class Row>
void append_row(std::string& csv, const Row& row) {
  const auto append = [&]<class Cell>(const CsvColumn<Row, Cell>& column) {
    bool none = false;
    if constexpr (std::same_as<Cell, std::uint32_t>) none = column.empty_is_none && row.*column.cell == kNone;
    if (!none) append_cell(csv, row.*column.cell);
    csv += ',';
  };
  std::apply([&](const auto&... column) { (append(column), ...); }, Row::columns());
  csv.back() = '\n';
}

// Splits a file of comma-separated values into lines. Cells may be quoted, and may then hold commas,
// doubled quotes and line ends.
class CsvLines {
 public:
  // Both arguments must outlive this object.
  CsvLines(std::string_view csv, const std::string& name) : rest_(csv), name_(name) {}

  // Reads the next line. Returns false at the end. Throws InputError if the last line does not end: the
  // file was cut off.
  bool next();
  // Returns the line's cells, valid until the next line.
  const std::vector<std::string_view>& cells() const { return cells_; }
  // Throws InputError with the file's name and the line.
  [[noreturn]] void fail(const std::string& why) const;

 private:
  std::string_view rest_;
  const std::string& name_;
  std::size_t line_ = 0;
  std::vector<std::string_view> cells_;
  std::vector<std::string> texts_;  // texts of quoted cells
};

// Reads rows by the names of their columns, which may stand in any order and among others. Throws
// InputError with file and line if something cannot be read.
template <class Row>
class CsvReader {
 public:
  CsvReader(std::string_view csv, const std::string& name) : lines_(csv, name) {
    if (!lines_.next()) throw InputError(name + ": is empty, a header expected");
    width_ = lines_.cells().size();
    std::apply([&](const auto&... column) { (find(column), ...); }, Row::columns());
  }

  bool next(Row& row) {
    if (!lines_.next()) return false;
    if (lines_.cells().size() != width_)
      fail("{} cells, expected {} as in the header", lines_.cells().size(), width_);
    std::size_t place = 0;
    std::apply([&](const auto&... column) { (read(column, places_[place++], row), ...); }, Row::columns());
    return true;
  }

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    lines_.fail(fmt::format(format, std::forward<Args>(args)...));
  }
  void expect_below(std::string_view column, std::uint64_t value, std::uint64_t limit) const {
    if (value >= limit) fail("{}: {}, expected below {}", column, value, limit);
  }

 private:
  template <class Cell>
  void find(const CsvColumn<Row, Cell>& column) {
    const auto found = std::ranges::find(lines_.cells(), column.name);
    if (found == lines_.cells().end() && column.is_read)
      fail("no column '{}': written by another version of a3sim? Run the experiment again", column.name);
    places_.push_back(static_cast<std::size_t>(found - lines_.cells().begin()));
  }
  std::uint64_t number(std::string_view column, std::string_view text) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty())
      fail("{}: a whole number expected, '{}' found", column, text);
    return value;
  }
  template <class Cell>
  void read(const CsvColumn<Row, Cell>& column, std::size_t place, Row& row) const {
    if (!column.is_read) return;
    const std::string_view text = lines_.cells()[place];
    Cell& cell = row.*column.cell;
    if constexpr (std::same_as<Cell, std::string_view>) {
      cell = text;
    } else if constexpr (std::is_enum_v<Cell>) {
      const auto found = std::ranges::find(kNamesOf<Cell>, text);
      if (found == kNamesOf<Cell>.end()) fail("{}: '{}' is unknown", column.name, text);
      cell = static_cast<Cell>(found - kNamesOf<Cell>.begin());
    } else if constexpr (std::same_as<Cell, Duration>) {
      // No run takes longer, and sums do not overflow.
      constexpr std::uint64_t kMost = std::uint64_t{1} << 50;
      const std::uint64_t time = number(column.name, text);
      expect_below(column.name, time, kMost);
      cell = Duration(static_cast<std::int64_t>(time));
    } else if (text.empty() && column.empty_is_none) {
      cell = static_cast<Cell>(kNone);
    } else {
      const std::uint64_t value = number(column.name, text);
      if constexpr (std::same_as<Cell, std::uint32_t>) expect_below(column.name, value, kNone);
      cell = static_cast<Cell>(value);
    }
  }

  CsvLines lines_;
  std::size_t width_ = 0;
  std::vector<std::size_t> places_;  // for each column, its position in a line
};

}  // namespace a3sim
