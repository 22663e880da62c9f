#include "traces/csv_rows.h"

#include "sim/core/csv.h"

namespace a3sim {
namespace {

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t comma = line.find(','); comma != std::string_view::npos; comma = line.find(',')) {
    cells.push_back(line.substr(0, comma));
    line.remove_prefix(comma + 1);
  }
  cells.push_back(line);
  return cells;
}

// Finds the end of the first line; line ends inside quotes do not count.
std::size_t end_of_line(std::string_view text) {
  bool quoted = false;
  for (std::size_t from = 0;;) {
    const std::size_t end = text.find('\n', from);
    if (end == std::string_view::npos) return end;
    if (has_open_quote(text.substr(from, end - from))) quoted = !quoted;
    if (!quoted) return end;
    from = end + 1;
  }
}

}  // namespace

bool CsvLines::next() {
  if (rest_.empty()) return false;
  ++line_;
  const std::size_t end = end_of_line(rest_);
  if (end == std::string_view::npos) fail("the line does not end: the file was cut off");
  const std::string_view line = rest_.substr(0, end);
  if (line.find('"') == std::string_view::npos) {
    cells_ = split(line);
  } else {
    split_csv(line, texts_);
    cells_.assign(texts_.begin(), texts_.end());
  }
  rest_.remove_prefix(end + 1);
  return true;
}

void CsvLines::fail(const std::string& why) const {
  throw InputError(fmt::format("{}:{}: {}", name_, line_, why));
}

}  // namespace a3sim
