#include "traces/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace a3sim {

std::string Table::text() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < widths.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line = fmt::format("{:<{}}", row[0], widths[0]);
    for (std::size_t c = 1; c < widths.size(); ++c) line += fmt::format("  {:>{}}", row[c], widths[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string Table::markdown() const {
  std::string text;
  const auto add = [&](const auto& row, const auto& cell_of) {
    text += '|';
    for (std::size_t c = 0; c < row.size(); ++c) text += ' ' + cell_of(row[c], c) + " |";
    text += '\n';
  };
  const auto escaped = [](const std::string& cell, std::size_t) {
    std::string safe;
    for (const char ch : cell) safe += ch == '|' ? std::string("\\|") : std::string(1, ch);
    return safe;
  };
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    add(rows_[r], escaped);
    if (r == 0)
      add(rows_[r], [](const std::string&, std::size_t c) { return std::string(c == 0 ? "---" : "---:"); });
  }
  return text;
}

std::string Table::csv() const {
  std::string text;
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) text += ',';
      if (row[c].find_first_of(",\"\n") == std::string::npos) {
        text += row[c];
        continue;
      }
      text += '"';
      for (const char ch : row[c]) text += ch == '"' ? std::string("\"\"") : std::string(1, ch);
      text += '"';
    }
    text += '\n';
  }
  return text;
}

}  // namespace a3sim
