#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>
#include <map>

#include "sim/core/error.h"
#include "sim/diagnosis/rules/advice.h"
#include "sim/diagnosis/rules/advice_report.h"
#include "tests/traces/single_step.h"
#include "tests/traces/written_profile.h"
#include "traces/import/profile.h"
#include "traces/import/profiled_job.h"

// Profiles that were exported as SQLite say what the same profile says in tables.

using namespace a3sim;
using namespace a3sim::written;
using Catch::Matchers::Contains;

namespace {

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
    for (const Step& s : rank.steps)
      insert("STEP_TIME", {s.number, ns(s.number * step), ns((s.number + 1) * step)});
    for (const Kernel& k : rank.kernels) {
      ++task_;
      insert("TASK", {ns(k.start), ns(k.start + k.length), 0, task_, text("KERNEL")});
      insert("COMPUTE_TASK_INFO", {text("aclnn" + k.type), task_, 20, 0, text(k.core), text(k.type),
                                   text("ND;ND"), text("DT_BF16;DT_BF16"), text(k.shapes), text("ND"),
                                   text("DT_BF16"), text(k.out), text(k.state)});
      database_.exec(fmt::format("INSERT INTO TASK_PMU_INFO VALUES ({}, {}, {})", task_,
                                 text("aiv_scalar_ratio"), k.scalar));
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
  }

 private:
  static std::int64_t ns(double us) { return kBegin * 1000 + static_cast<std::int64_t>(us * 1000 + 0.5); }
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
void write_analysis(const std::filesystem::path& file, const Rank& rank) {
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
  for (const Step& s : rank.steps)
    database.exec(fmt::format("INSERT INTO StepTraceTime VALUES (0, '{}', {}, {}, {}, {}, {})", s.number,
                              s.computing, s.exposed, s.overlapped, s.exposed + s.overlapped, s.free));
}

constexpr double kStep = 140'000;

Rank data_parallel_rank() {
  Rank rank;
  for (int step = 0; step < 3; ++step) {
    for (const auto& [type, start, length] :
         {std::tuple("MatMulV2", 0.0, 20'000.0), std::tuple("FlashAttentionScore", 20'000.0, 14'000.0)}) {
      Kernel kernel;
      kernel.step = step;
      kernel.type = type;
      kernel.start = step * kStep + start;
      kernel.length = length;
      kernel.scalar = 0.25;
      rank.kernels.push_back(kernel);
    }
    Exchange exchange;
    exchange.step = step;
    exchange.name = fmt::format("hcom_allReduce__868_{}_1", step);
    exchange.group = "1311868";
    exchange.start = step * kStep + 34'000;
    exchange.length = 102'000;
    exchange.transfer = 60'000;
    exchange.megabytes = 1200;
    rank.exchanges.push_back(exchange);
    rank.calls.push_back({"AscendCL@aclrtSynchronizeStream", step * kStep + 5'000, 130'000});
    rank.steps.push_back({step, 34'000, 102'000, 0, 4'000});
  }
  return rank;
}

void write_databases(const ScratchDirectory& folder, int number, const Rank& rank, bool analysis) {
  const std::filesystem::path out = folder.path() / output(number);
  std::filesystem::create_directories(out);
  DatabaseWriter(out / fmt::format("ascend_pytorch_profiler_{}.db", number)).write(rank, kStep);
  if (analysis) write_analysis(out / "analysis.db", rank);
}

}  // namespace

TEST_CASE("a profile as SQLite says what the same profile says in tables") {
  const ScratchDirectory tables, databases, alone;
  for (const int number : {0, 1}) {
    write_rank(tables, number, data_parallel_rank());
    write_databases(databases, number, data_parallel_rank(), true);
    write_databases(alone, number, data_parallel_rank(), false);
  }
  const Advice expected = advise(ProfiledJob(tables.path()), book());
  for (const ScratchDirectory* folder : {&databases, &alone}) {
    const Advice advice = advise(ProfiledJob(folder->path()), book());
    INFO(advice_text(advice));
    CHECK(advice.ranks == 2);
    CHECK(advice.steps == 3);
    REQUIRE_FALSE(advice.findings.empty());
    CHECK(advice.findings.front().cause == expected.findings.front().cause);
    CHECK(advice.findings.front().lost_ms == Approx(expected.findings.front().lost_ms));
    REQUIRE(advice.time.size() == 2);
    CHECK(advice.time[0].computing == Approx(expected.time[0].computing));
    CHECK(advice.time[0].waiting == Approx(expected.time[0].waiting));
    // Without analysis.db the ranks' own times tell that neither waits, and not what moves bytes.
    const double moves = folder == &databases ? 60 : 102;
    CHECK(advice.time[0].transferring == Approx(moves));
    CHECK(advice.groups.front().ranks == std::vector<std::uint32_t>{0, 1});
  }
  const ProfiledJob job(databases.path());
  const ProfiledTime& time = *job.profiled_time();
  REQUIRE(time.kernels.size() == 4);
  CHECK(time.kernels.front().busy(Pipe::kVectorScalar) == Approx(0.25));
}

TEST_CASE("sums of a profile as SQLite are those of its tables") {
  const ScratchDirectory tables, databases;
  write_rank(tables, 0, data_parallel_rank());
  write_databases(databases, 0, data_parallel_rank(), true);
  const Profile a = read_profile(tables.path()), b = read_profile(databases.path());
  CHECK(a.by_type().at("MatMulV2").total == b.by_type().at("MatMulV2").total);
  CHECK(b.ranks.at(0).steps->exposed == a.ranks.at(0).steps->exposed);
  CHECK(b.ranks.at(0).exchanges.at("hcom_allReduce").transit ==
        a.ranks.at(0).exchanges.at("hcom_allReduce").transit);
}

TEST_CASE("a file that only has the name of a profiler's database is refused") {
  const ScratchDirectory folder;
  folder.add(output(0) + "/ascend_pytorch_profiler_0.db",
             "no database, but a text that is long enough to be one");
  CHECK_THROWS_AS(ProfiledJob(folder.path()), InputError);
  CHECK_THROWS_WITH(ProfiledJob(folder.path()),
                    Contains("ascend_pytorch_profiler_0.db: cannot be read as a profiler's database"));
}
