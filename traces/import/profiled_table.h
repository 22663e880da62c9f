#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/error.h"
#include "sim/core/units.h"
#include "traces/import/text_source.h"

namespace a3sim {

// A row that was cut off, or has other text than its column's.
struct DamagedRow : InputError {
  using InputError::InputError;
};

// Reads a profiler's table of comma-separated values line by line. Columns are found by name: some were
// renamed, and some come and go. All functions throw InputError with file and line.
class ProfiledTable {
 public:
  explicit ProfiledTable(const std::filesystem::path& path);
  const std::string& name() const { return lines_.name(); }
  std::size_t line() const { return lines_.line(); }

  using Place = std::optional<std::size_t>;
  // Return the first of these columns that is there. needed() throws if there is none.
  Place place(std::initializer_list<std::string_view> names) const;
  std::size_t needed(std::initializer_list<std::string_view> names) const;

  bool next();
  const std::string& text(std::size_t column) const { return cells_[column]; }
  // Returns nullopt for N/A or a missing column. Throws for other text, and for a number out of bounds.
  std::optional<double> number(Place column, double least, double most) const;
  // Returns a time since `origin`, which the first time sets, in microseconds since 1970: more digits than
  // a double holds. Returns nullopt for a time of another clock, years from the others.
  std::optional<Duration> time(Place column, std::optional<std::int64_t>& origin) const;

 private:
  bool absent(std::size_t column) const { return cells_[column].empty() || cells_[column] == "N/A"; }
  [[noreturn]] void fail(std::size_t column, const std::string& expected) const;

  ProfileLines lines_;
  std::vector<std::string> heads_, cells_;
};

// Returns a time in text, as above; nullopt for no time, or one of another clock.
std::optional<Duration> time_in(std::string_view text, std::optional<std::int64_t>& origin);
Duration from_microseconds(double microseconds);

}  // namespace a3sim
