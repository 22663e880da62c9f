#include <fmt/format.h>

#include "sim/core/error.h"
#include "sim/sweep/database.h"
#include "sim/sweep/flat_view.h"
#include "sim/sweep/open_results.h"

namespace a3sim {
namespace {

void bind_column(SQLite::Statement& statement, int index, const SQLite::Column& column) {
  if (column.isNull()) {
    statement.bind(index);
  } else if (column.isInteger()) {
    statement.bind(index, column.getInt64());
  } else if (column.isFloat()) {
    statement.bind(index, column.getDouble());
  } else {
    statement.bind(index, column.getString());
  }
}

// Copies the rows of one table from one database into another.
class TableCopy {
 public:
  TableCopy(SQLite::Database& from, SQLite::Database& to, const std::string& table)
      : rows_(from, "SELECT * FROM " + table), columns_(rows_.getColumnCount()) {
    std::string values, equal;
    for (int c = 0; c < columns_; ++c) {
      values += c == 0 ? "?" : ", ?";
      equal += fmt::format("{}{} IS ?", c == 0 ? "" : " AND ", rows_.getColumnName(c));
    }
    insert_.emplace(to, fmt::format("INSERT OR IGNORE INTO {} VALUES ({})", table, values));
    find_.emplace(to, fmt::format("SELECT 1 FROM {} WHERE {}", table, equal));
  }

  bool next() { return rows_.executeStep(); }
  std::string text(int column) { return rows_.getColumn(column).getString(); }

  // Returns false if another row has the row's key.
  bool put() {
    bind_all(*insert_);
    if (insert_->exec() == 1) return true;
    bind_all(*find_);
    return find_->executeStep();
  }

 private:
  void bind_all(SQLite::Statement& statement) {
    statement.reset();
    for (int c = 0; c < columns_; ++c) bind_column(statement, c + 1, rows_.getColumn(c));
  }

  SQLite::Statement rows_;
  int columns_;
  std::optional<SQLite::Statement> insert_, find_;
};

void copy_sweeps(SQLite::Database& from, SQLite::Database& to, const std::string& name) {
  for (const char* table : {"sweep", "axis", "sweep_point", "coordinate"}) {
    TableCopy copy(from, to, table);
    while (copy.next()) {
      if (copy.put()) continue;
      throw InputError(
          fmt::format("{}: its sweep '{}' is another one than the sweep of this name that is there already "
                      "(its file, its "
                      "experiment or the model has changed); nothing of it was added",
                      name, copy.text(0)));
    }
  }
}

MergedPoints copy_points(SQLite::Database& from, SQLite::Database& to) {
  MergedPoints merged;
  SQLite::Statement give_way(to, "DELETE FROM point WHERE id = ? AND status = 'failed'");
  SQLite::Statement known(to, "SELECT 1 FROM point WHERE id = ?");
  TableCopy copy(from, to, "point");
  while (copy.next()) {
    ++merged.points;
    give_way.reset();
    give_way.bind(1, copy.text(0));
    if (copy.text(1) == "done") give_way.exec();
    known.reset();
    known.bind(1, copy.text(0));
    if (known.executeStep()) continue;  // versions and times may differ
    copy.put();
    ++merged.added;
  }
  return merged;
}

void copy_metrics(SQLite::Database& from, SQLite::Database& to, const std::string& name) {
  for (const char* table : {"metric", "file"}) {
    TableCopy copy(from, to, table);
    while (copy.next()) {
      if (copy.put()) continue;
      throw InputError(
          fmt::format("{}: point {} is not what stands there already ({}): equal configurations give equal "
                      "values, so one "
                      "of the two was changed by hand, or built by another compiler; nothing of it was added",
                      name, copy.text(0), copy.text(2)));
    }
  }
}

}  // namespace

MergedPoints SweepDatabase::add(const std::filesystem::path& other) {
  const std::string name = other.string();
  if (std::filesystem::equivalent(other, file_))
    throw InputError(fmt::format("{}: cannot be added to itself", name));
  MergedPoints merged;
  try {
    with_results(other, [&](SQLite::Database& from) {
      on_database(file_, [&] {
        SQLite::Transaction transaction(*database_);
        copy_sweeps(from, *database_, name);
        const MergedPoints now = copy_points(from, *database_);
        copy_metrics(from, *database_, name);
        make_flat_views(*database_);
        transaction.commit();
        merged = {now.points, merged.added + now.added};  // a running sweep may be read twice
      });
    });
  } catch (...) {
    if (made_) take_back();
    throw;
  }
  made_ = false;
  return merged;
}

}  // namespace a3sim
