#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/VariadicBind.h>

#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sim/experiment/config/portable_config.h"
#include "sim/result/metrics/point_metrics.h"
#include "sim/sweep/database_file.h"
#include "sim/sweep/point.h"

namespace a3sim {

// The result of a point that has run.
struct SweepRecord {
  std::string id;
  std::string error;  // why it failed; empty: done
  PortableConfig config;
  std::vector<PointMetric> metrics;
  double seconds = 0;
  std::int64_t memory = 0;  // bytes
};

// The state of a point in a database.
struct KnownPoint {
  std::string error;              // why it failed; empty: done
  std::set<std::string> metrics;  // of all passes together
  double seconds = 0;
  std::int64_t memory = 0;
  double latency =
      std::numeric_limits<double>::infinity();  // of all passes, in ms; infinite if it is not recorded
};

// The result of a merge.
struct MergedPoints {
  std::size_t points = 0, added = 0;  // in the other database; new here, or failed here before
};

// A database of sweeps (schema.sql) with one writer. Failures throw RunError, or InputError if the file is
// not the one that was meant, with the file's name. What was recorded before stays.
class SweepDatabase {
 public:
  // Creates the file if it does not exist.
  explicit SweepDatabase(const std::filesystem::path& file);

  // Writes down what a sweep asks for, in place of an earlier sweep of that name.
  void begin(const SweepSpec& spec, const std::vector<SweepPosition>& positions,
             const std::vector<std::string>& ids);
  // Returns all points that have run, by id.
  std::map<std::string, KnownPoint> known() const;
  void record(const SweepRecord& record);
  // Adds all points of another database in one step. A done point stays done; a point that failed here may
  // be done there. Throws InputError and adds nothing if a sweep of the same name or the value of a metric
  // differs.
  MergedPoints add(const std::filesystem::path& other);

 private:
  // Runs `work`. If it fails before anything was recorded, deletes the file if this object created it.
  template <class Work>
  auto write(const Work& work);
  void take_back();

  std::filesystem::path file_;
  DatabaseLock lock_;  // taken before the database is opened, released after it is closed
  std::set<std::pair<std::string, std::string>> viewed_;  // passes and metrics of the flat views
  bool made_;  // the file was created here, and nothing is recorded yet
  std::unique_ptr<SQLite::Database> database_;
};

// Returns the points of a database without changing it. Empty if there is no database.
std::map<std::string, KnownPoint> known_points(const std::filesystem::path& file);

}  // namespace a3sim
