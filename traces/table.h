#pragma once

#include <string>
#include <vector>

namespace a3sim {

// A table, in the form that a reader needs.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
  // A row of as many cells as the header has.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Lines with a final newline each, no spaces at their ends: first column to the left, the others to the
  // right, two spaces between.
  std::string text() const;
  // The same columns between bars.
  std::string markdown() const;
  // A line of cells between commas, quoted where they hold commas, quotes or ends of lines.
  std::string csv() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace a3sim
