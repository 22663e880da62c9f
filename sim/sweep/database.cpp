#include "sim/sweep/database.h"

#include <fmt/format.h>

#include "sim/core/error.h"
#include "sim/sweep/database_file.h"
#include "sim/sweep/flat_view.h"
#include "sim/sweep/open_results.h"
#include "version.h"

namespace a3sim {
namespace {

bool is_empty(SQLite::Database& database) {
  return database.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0;
}

std::unique_ptr<SQLite::Database> open_for_writing(const std::filesystem::path& file) {
  constexpr int kWait = 10'000;  // ms, for a reader's last look
  auto database =
      std::make_unique<SQLite::Database>(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kWait);
  add_row_checksum(*database);
  const bool fresh = database->execAndGet("PRAGMA application_id").getInt() == 0 && is_empty(*database);
  if (!fresh) check_database(*database, file);
  database->exec("PRAGMA journal_mode = WAL");
  database->exec("PRAGMA synchronous = NORMAL");
  database->exec("PRAGMA foreign_keys = ON");
  if (!fresh) return database;
  SQLite::Transaction transaction(*database);
  database->exec(kSchema);
  database->exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
  database->exec(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
  transaction.commit();
  return database;
}

std::map<std::string, KnownPoint> read_known(SQLite::Database& database) {
  std::map<std::string, KnownPoint> known;
  SQLite::Statement points(database, "SELECT id, error, seconds, memory FROM point");
  while (points.executeStep()) {
    known[points.getColumn(0).getString()] = {.error = points.getColumn(1).getString(),
                                              .metrics = {},
                                              .seconds = points.getColumn(2).getDouble(),
                                              .memory = points.getColumn(3).getInt64()};
  }
  SQLite::Statement metrics(database, "SELECT point, name, value FROM metric WHERE pass = 'total'");
  while (metrics.executeStep()) {
    KnownPoint& point = known[metrics.getColumn(0).getString()];
    const std::string name = metrics.getColumn(1).getString();
    if (name == "latency") point.latency = metrics.getColumn(2).getDouble();
    point.metrics.insert(name);
  }
  return known;
}

// Refuses the name of a database that would be lost at the end, or that another name's lock does not keep.
std::filesystem::path check_name(const std::filesystem::path& file) {
  std::error_code error;
  if (file.empty() || file == ":memory:")
    throw InputError(fmt::format("'{}': would be lost at the end, name a file", file.string()));
  if (std::filesystem::is_symlink(file, error) && !std::filesystem::exists(file, error))
    throw InputError(fmt::format("{}: is a link to nothing, name a file", file.string()));
  if (std::filesystem::is_regular_file(file, error) && std::filesystem::hard_link_count(file, error) > 1)
    throw InputError(
        fmt::format("{}: is a file of several names (hard links), of which each could be written at "
                    "once; take a copy",
                    file.string()));
  return file;
}

bool is_missing(const std::filesystem::path& file) {
  std::error_code error;
  return !std::filesystem::exists(file, error) ||
         (std::filesystem::is_regular_file(file, error) && std::filesystem::file_size(file, error) == 0);
}

}  // namespace

void SweepDatabase::take_back() {
  database_.reset();
  std::error_code error;
  for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(file_.string() + part, error);
}

template <class Work>
auto SweepDatabase::write(const Work& work) {
  try {
    return on_database(file_, work);
  } catch (...) {
    if (made_) take_back();
    throw;
  }
}

SweepDatabase::SweepDatabase(const std::filesystem::path& file)
    : file_(check_name(file)), lock_(file), made_(is_missing(file)) {
  write([&] { database_ = open_for_writing(file); });
}

void SweepDatabase::begin(const SweepSpec& spec, const std::vector<SweepPosition>& positions,
                          const std::vector<std::string>& ids) {
  write([&] {
    SQLite::Transaction transaction(*database_);
    for (const char* table : {"coordinate", "sweep_point", "axis"}) {
      SQLite::Statement remove(*database_, fmt::format("DELETE FROM {} WHERE sweep = ?", table));
      SQLite::bind(remove, spec.name);
      remove.exec();
    }
    SQLite::Statement sweep(*database_, insert_into("sweep") +
                                            " ON CONFLICT (name) DO UPDATE SET spec = excluded.spec, "
                                            "checksum = excluded.checksum");
    SQLite::bind(sweep, spec.name, spec.text);
    sweep.exec();
    SQLite::Statement axis(*database_, insert_into("axis"));
    for (std::size_t a = 0; a < spec.axes.size(); ++a) {
      SQLite::bind(axis, spec.name, static_cast<std::int64_t>(a), spec.axes[a].name);
      axis.exec();
      axis.reset();
    }
    SQLite::Statement point(*database_, insert_into("sweep_point"));
    SQLite::Statement coordinate(*database_, insert_into("coordinate"));
    for (std::size_t p = 0; p < positions.size(); ++p) {
      SQLite::bind(point, spec.name, static_cast<std::int64_t>(p), ids[p]);
      point.exec();
      point.reset();
      for (std::size_t a = 0; a < spec.axes.size(); ++a) {
        SQLite::bind(coordinate, spec.name, static_cast<std::int64_t>(p), spec.axes[a].name,
                     spec.axes[a].values[positions[p][a]].label);
        coordinate.exec();
        coordinate.reset();
      }
    }
    make_flat_view(*database_, spec.name);
    transaction.commit();
  });
}

std::map<std::string, KnownPoint> SweepDatabase::known() const {
  return on_database(file_, [&] { return read_known(*database_); });
}

void SweepDatabase::record(const SweepRecord& record) {
  write([&] {
    SQLite::Transaction transaction(*database_);
    SQLite::Statement point(
        *database_,
        insert_into("point") +
            " ON CONFLICT (id) DO UPDATE SET (status, error, config, version, model, seconds, memory, "
            "checksum) = "
            "(excluded.status, excluded.error, excluded.config, excluded.version, excluded.model, "
            "excluded.seconds, excluded.memory, excluded.checksum) "
            "WHERE status = 'failed' OR excluded.status = 'done'");  // a point that was done stays so
    const bool failed = !record.error.empty();
    SQLite::bind(point, record.id, failed ? "failed" : "done");
    if (failed) point.bind(3, record.error);
    point.bind(4, record.config.resolved);
    point.bind(5, fmt::format("{} ({})", kVersion, kGitHash));
    point.bind(6, kModelHash);
    point.bind(7, record.seconds);
    point.bind(8, record.memory);
    point.exec();
    bool has_new = false;  // has metrics that the views lack
    SQLite::Statement metric(*database_, insert_into("metric", "INSERT OR REPLACE"));
    for (const PointMetric& m : record.metrics) {
      SQLite::bind(metric, record.id, m.pass, m.name, m.value, m.unit);
      metric.exec();
      metric.reset();
      has_new = viewed_.emplace(m.pass, m.name).second || has_new;
    }
    SQLite::Statement file(*database_, insert_into("file", "INSERT OR REPLACE"));
    for (const auto& [name, contents] : record.config.files) {
      SQLite::bind(file, record.id, name, contents);
      file.exec();
      file.reset();
    }
    if (has_new) make_flat_views(*database_);
    transaction.commit();
  });
  made_ = false;
}

std::map<std::string, KnownPoint> known_points(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return {};
  std::map<std::string, KnownPoint> known;
  with_results(file, [&](SQLite::Database& database) { known = read_known(database); });
  return known;
}

}  // namespace a3sim
