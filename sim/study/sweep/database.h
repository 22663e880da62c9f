#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/VariadicBind.h>

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sim/experiment/portable_config.h"
#include "sim/study/metrics/point_metrics.h"
#include "sim/study/sweep/database_file.h"
#include "sim/study/sweep/point.h"

namespace a3sim {

// What has run.
struct SweepRecord {
  std::string id;
  std::string error;  // why it failed; empty: done
  PortableConfig config;
  std::vector<PointMetric> metrics;
  double seconds = 0;
  std::int64_t memory = 0;  // bytes
};

// What a database knows of a point.
struct KnownPoint {
  std::string error;              // why it failed; empty: done
  std::set<std::string> metrics;  // of the total
  double seconds = 0;
  std::int64_t memory = 0;
};

// What another database brought.
struct MergedPoints {
  std::size_t points = 0, added = 0;  // that it has; that were not there, or had failed
};

// A database of sweeps (schema.sql), for its one writer. What it cannot do is a RunError or, where it is not
// the file that was meant, an InputError, both with its name; what was recorded before stands.
class SweepDatabase {
 public:
  // Makes it if it is not there.
  explicit SweepDatabase(const std::filesystem::path& file);

  // Writes down what a sweep asks for, instead of what one of the same name did.
  void begin(const SweepSpec& spec, const std::vector<SweepPosition>& positions,
             const std::vector<std::string>& ids);
  // Those of the ids that have run.
  std::map<std::string, KnownPoint> known() const;
  void record(const SweepRecord& record);
  // Adds all that another database has, as one step: a point that is done stays so, one that has failed here
  // may be done there. Throws InputError, and adds nothing, where both have another sweep of one name, or
  // another value of one metric.
  MergedPoints add(const std::filesystem::path& other);

 private:
  // Runs `work`; where it fails before anything was recorded, a file that was made for it goes.
  template <class Work>
  auto write(const Work& work);
  void take_back();

  std::filesystem::path file_;
  DatabaseLock lock_;  // before the database is opened, and until after it is closed
  std::set<std::pair<std::string, std::string>> viewed_;  // passes and metrics that the flat views have
  bool made_;                                             // here, and nothing has been recorded yet
  std::unique_ptr<SQLite::Database> database_;
};

// What a database knows, without a change to it; nothing where there is none.
std::map<std::string, KnownPoint> known_points(const std::filesystem::path& file);

}  // namespace a3sim
