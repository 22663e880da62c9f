#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/sweep/database_file.h"
#include "sim/sweep/results/sweep_results.h"
#include "tests/scratch_directory.h"

namespace a3sim {

namespace fs = std::filesystem;

// Writes a database as a sweep does.
class MadeDatabase {
 public:
  explicit MadeDatabase(const fs::path& file)
      : db_(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE) {
    db_.exec("PRAGMA journal_mode = WAL");
    db_.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
    db_.exec(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
    db_.exec(kSchema);
    add_row_checksum(db_);
  }
  static MadeDatabase reopened(const fs::path& file) { return MadeDatabase(file, Reopened()); }
  SQLite::Database& db() { return db_; }

  void sweep(const std::string& name, const std::vector<std::string>& axes) {
    run("sweep", name, "");
    for (std::size_t i = 0; i < axes.size(); ++i) run("axis", name, int(i), axes[i]);
  }
  void position(const std::string& sweep, int position, const std::string& point,
                const std::map<std::string, std::string>& coordinates) {
    run("sweep_point", sweep, position, point);
    for (const auto& [axis, value] : coordinates) run("coordinate", sweep, position, axis, value);
  }
  void done(const std::string& point) { run("point", point, "done", nullptr, "", "", "", 1.5, 7); }
  void failed(const std::string& point, const std::string& error) {
    run("point", point, "failed", error, "", "", "", 1.5, 7);
  }
  void metric(const std::string& point, const std::string& pass, const std::string& name, double value,
              const std::string& unit) {
    run("metric", point, pass, name, value, unit);
  }

 private:
  struct Reopened {};
  MadeDatabase(const fs::path& file, Reopened /*unused*/) : db_(file.string(), SQLite::OPEN_READWRITE) {
    add_row_checksum(db_);
  }

  template <class... Values>
  void run(const char* table, const Values&... values) {
    SQLite::Statement statement(db_, insert_into(table));
    int i = 0;
    (bind(statement, ++i, values), ...);
    statement.exec();
  }
  template <class Value>
  static void bind(SQLite::Statement& statement, int i, const Value& value) {
    statement.bind(i, value);
  }
  static void bind(SQLite::Statement& statement, int i, std::nullptr_t /*null*/) { statement.bind(i); }

  SQLite::Database db_;
};

// Returns a sweep in memory with all points done: every combination of the axes' values, the last axis
// fastest. Its metric 'latency' of 'total' in ms is `latency` of the levels.
inline SweepResults full_grid(std::vector<ResultAxis> axes,
                              const std::function<double(const std::vector<std::size_t>&)>& latency) {
  SweepResults sweep{"grid", std::move(axes), {}, {{"total", "latency", "ms", {}}}};
  std::vector<std::size_t> levels(sweep.axes.size(), 0);
  while (true) {
    sweep.points.push_back({levels, PointStatus::kDone, ""});
    sweep.metrics[0].values.push_back(latency(levels));
    std::size_t axis = levels.size();
    while (axis > 0 && ++levels[axis - 1] == sweep.axes[axis - 1].values.size()) levels[--axis] = 0;
    if (axis == 0) return sweep;
  }
}

}  // namespace a3sim
