#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace a3sim {

// A cell: nothing, a name, or a number.
struct ResultCell {
  enum class Kind { kNothing, kName, kNumber };
  ResultCell() = default;
  // Rows are written as lists of names and numbers.
  explicit(false) ResultCell(std::string text) : kind(Kind::kName), name(std::move(text)) {}
  explicit(false) ResultCell(double value) : kind(Kind::kNumber), number(value) {}

  Kind kind = Kind::kNothing;
  std::string name;
  double number = 0;
};

struct ResultTable {
  std::vector<std::string> columns;
  std::vector<std::vector<ResultCell>> rows;
};

// What one way to look at results found: a table, and what is said before and behind it.
struct ResultView {
  std::string before, after;  // lines with a final newline, or empty
  ResultTable table;
  nlohmann::ordered_json json;  // what JSON has besides the table: `columns` and `rows`
};

inline constexpr std::size_t kAllRows = static_cast<std::size_t>(-1);

// `most` rows, with numbers of four significant digits, then how to see the others.
std::string view_text(const ResultView& view, std::size_t most);
std::string view_markdown(const ResultView& view);
// The table alone; a number's shortest form that reads back as the same number.
std::string view_csv(const ResultView& view);
nlohmann::ordered_json view_json(const ResultView& view);

// `latency (ms)`
std::string heading(const std::string& name, const std::string& unit);

}  // namespace a3sim
