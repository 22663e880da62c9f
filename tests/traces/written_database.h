#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/traces/written_profile.h"

namespace a3sim::written {

// Writes the tables of a profiler's database. Names stand in STRING_IDS.
class DatabaseWriter {
 public:
  explicit DatabaseWriter(const std::filesystem::path& file)
      : database_(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE) {
    database_.exec("CREATE TABLE STRING_IDS (id INTEGER, value TEXT)");
    database_.exec("CREATE TABLE STEP_TIME (id INTEGER, startNs INTEGER, endNs INTEGER)");
    database_.exec(
        "CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER, globalTaskId INTEGER, taskType "
        "INTEGER)");
    database_.exec(
        "CREATE TABLE COMPUTE_TASK_INFO (name INTEGER, globalTaskId INTEGER, blockDim INTEGER, mixBlockDim "
        "INTEGER, taskType "
        "INTEGER, opType INTEGER, inputFormats INTEGER, inputDataTypes INTEGER, inputShapes INTEGER, "
        "outputFormats INTEGER, "
        "outputDataTypes INTEGER, outputShapes INTEGER, opState INTEGER)");
    database_.exec("CREATE TABLE TASK_PMU_INFO (globalTaskId INTEGER, name INTEGER, value REAL)");
    database_.exec(
        "CREATE TABLE COMMUNICATION_OP (opName INTEGER, startNs INTEGER, endNs INTEGER, groupName INTEGER)");
    database_.exec("CREATE TABLE CANN_API (startNs INTEGER, endNs INTEGER, type INTEGER, name INTEGER)");
  }

  void write(const Rank& rank, double step) {
    SQLite::Transaction whole(database_);
    for (const Step& s : rank.steps)
      insert("STEP_TIME", {s.number, ns(s.number * step), ns((s.number + 1) * step)});
    for (const Kernel& k : rank.kernels) {
      ++task_;
      insert("TASK", {ns(k.start), ns(k.start + k.length), 0, task_, text("KERNEL")});
      insert("COMPUTE_TASK_INFO", {text("aclnn" + k.type), task_, 20, 0, text(k.core), text(k.type),
                                   text("ND;ND"), text("DT_BF16;DT_BF16"), text(k.shapes), text("ND"),
                                   text("DT_BF16"), text(k.out), text(k.state)});
      for (const auto& [counter, value] :
           {std::pair("aic_mac_ratio", k.mac), std::pair("aic_scalar_ratio", k.cube_scalar),
            std::pair("aic_mte2_ratio", k.cube_load), std::pair("aiv_vec_ratio", k.vec),
            std::pair("aiv_scalar_ratio", k.scalar), std::pair("aiv_mte2_ratio", k.load)})
        database_.exec(
            fmt::format("INSERT INTO TASK_PMU_INFO VALUES ({}, {}, {})", task_, text(counter), value));
    }
    for (const Exchange& e : rank.exchanges)
      insert("COMMUNICATION_OP", {text(e.name), ns(e.start), ns(e.start + e.length), text(e.group)});
    for (const Call& c : rank.calls)
      insert("CANN_API", {ns(c.start), ns(c.start + c.length), 1, text(c.name.substr(c.name.find('@') + 1))});
    for (const auto& [value, id] : texts_) {
      SQLite::Statement row(database_, "INSERT INTO STRING_IDS VALUES (?, ?)");
      row.bind(1, id);
      row.bind(2, value);
      row.exec();
    }
    whole.commit();
  }

 private:
  static std::int64_t ns(double us) { return kBegin * 1000 + std::llround(us * 1000); }
  std::int64_t text(const std::string& value) {
    return texts_.try_emplace(value, static_cast<std::int64_t>(texts_.size()) + 1000).first->second;
  }
  void insert(const std::string& table, const std::vector<std::int64_t>& values) {
    database_.exec(fmt::format("INSERT INTO {} VALUES ({})", table, fmt::join(values, ", ")));
  }

  SQLite::Database database_;
  std::map<std::string, std::int64_t> texts_;
  std::int64_t task_ = 0;
};

// The other kind of database: what communication.json and step_trace_time.csv hold.
inline void write_analysis(const std::filesystem::path& file, const Rank& rank) {
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  database.exec(
      "CREATE TABLE CommAnalyzerTime (hccl_op_name TEXT, group_name TEXT, start_timestamp REAL, elapse_time "
      "REAL, transit_time "
      "REAL, wait_time REAL, synchronization_time REAL, idle_time REAL, step TEXT, type TEXT)");
  database.exec(
      "CREATE TABLE CommAnalyzerBandwidth (hccl_op_name TEXT, group_name TEXT, transport_type TEXT, "
      "transit_size REAL, "
      "transit_time REAL, bandwidth REAL, large_packet_ratio REAL, package_size REAL, count REAL, "
      "total_duration REAL, step TEXT, "
      "type TEXT)");
  database.exec(
      "CREATE TABLE StepTraceTime (deviceId INTEGER, step TEXT, computing REAL, communication_not_overlapped "
      "REAL, overlapped REAL, "
      "communication REAL, free REAL)");
  for (const Exchange& e : rank.exchanges) {
    database.exec(fmt::format(
        "INSERT INTO CommAnalyzerTime VALUES ('{}', '{}', {:.3f}, {}, 0, 0, 0, {}, 'step{}', 'collective')",
        e.name, e.group, static_cast<double>(kBegin) + e.start, e.length / 1000,
        (e.length - e.transfer) / 1000, e.step));
    database.exec(
        fmt::format("INSERT INTO CommAnalyzerBandwidth VALUES ('{}', '{}', 'HCCS', {}, {}, 1, 1, 1, 1, 1, "
                    "'step{}', 'collective')",
                    e.name, e.group, e.megabytes, e.transfer / 1000, e.step));
  }
  for (const Step& s : rank.steps) {
    if (s.computing <= 0) continue;
    database.exec(fmt::format("INSERT INTO StepTraceTime VALUES (0, '{}', {}, {}, {}, {}, {})", s.number,
                              s.computing, s.exposed, s.overlapped, s.exposed + s.overlapped, s.free));
  }
}

// Writes a rank's databases. `step`: microseconds from one step's begin to the next one's.
inline void write_databases(const ScratchDirectory& folder, int number, const Rank& rank, double step,
                            bool analysis) {
  const std::filesystem::path out = folder.path() / output(number);
  std::filesystem::create_directories(out);
  DatabaseWriter(out / fmt::format("ascend_pytorch_profiler_{}.db", number)).write(rank, step);
  if (analysis) write_analysis(out / "analysis.db", rank);
}

}  // namespace a3sim::written
