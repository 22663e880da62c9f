#include "traces/import/profile_database.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "sim/core/error.h"
#include "traces/import/profiled_table.h"

namespace a3sim {
namespace profile_database {

constexpr double kLongest = 1e9;  // microseconds of a kernel
constexpr std::int64_t kNanosecondsOfMicrosecond = 1000;
constexpr std::size_t kMostStrings = 5'000'000;

// A database that is only read. Errors of SQLite become InputErrors with the file's name.
class OpenProfile {
 public:
  explicit OpenProfile(const std::filesystem::path& path) : name_(path.string()) {
    told([&] {
      database_ = std::make_unique<SQLite::Database>(name_, SQLite::OPEN_READONLY);
      SQLite::Statement all(*database_, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')");
      while (all.executeStep()) tables_.insert(all.getColumn(0).getString());
    });
  }

  const std::string& name() const { return name_; }
  bool has(const std::string& table) const { return tables_.contains(table); }
  bool has(const std::string& table, std::string_view column) { return !column_of(table, {column}).empty(); }

  // Returns the first of these columns that the table has, ignoring case; "" if it has none.
  std::string column_of(const std::string& table, std::initializer_list<std::string_view> names) {
    if (!has(table)) return {};
    std::map<std::string, std::string, std::less<>>& columns = columns_[table];
    if (columns.empty()) {
      told([&] {
        SQLite::Statement all(*database_, fmt::format("PRAGMA table_info(\"{}\")", table));
        while (all.executeStep()) {
          const std::string column = all.getColumn(1).getString();
          columns.emplace(lower(column), column);
        }
      });
    }
    for (const std::string_view name : names)
      if (const auto found = columns.find(lower(name)); found != columns.end()) return found->second;
    return {};
  }

  // Returns the SQL of such a column of a table that the query calls `alias`, or NULL.
  std::string value(const std::string& table, std::string_view alias,
                    std::initializer_list<std::string_view> names) {
    const std::string column = column_of(table, names);
    return column.empty() ? "NULL" : fmt::format("{}.\"{}\"", alias, column);
  }

  std::unique_ptr<SQLite::Statement> query(const std::string& sql) {
    std::unique_ptr<SQLite::Statement> made;
    told([&] { made = std::make_unique<SQLite::Statement>(*database_, sql); });
    return made;
  }
  bool next(SQLite::Statement& query) {
    bool more = false;
    told([&] { more = query.executeStep(); });
    return more;
  }

 private:
  static std::string lower(std::string_view text) {
    std::string made(text);
    std::ranges::transform(made, made.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return made;
  }
  template <class Do>
  void told(const Do& act) const {
    try {
      act();
    } catch (const SQLite::Exception& error) {
      throw InputError(fmt::format("{}: cannot be read as a profiler's database: {}", name_, error.what()));
    }
  }

  std::string name_;
  std::unique_ptr<SQLite::Database> database_;
  std::set<std::string> tables_;
  std::map<std::string, std::map<std::string, std::string, std::less<>>> columns_;
};

struct Begin {
  std::int64_t start = 0;  // ns
  std::uint64_t step = 0;
};

inline double number_of(const SQLite::Column& column) { return column.isNull() ? 0 : column.getDouble(); }

// Returns the number of "5", "step5" or 5.
inline std::optional<std::uint64_t> step_of(const std::string& text) {
  const std::size_t digit = text.find_first_of("0123456789");
  std::uint64_t number = 0;
  if (digit == std::string::npos) return {};
  const auto read = std::from_chars(text.data() + digit, text.data() + text.size(), number);
  return read.ec == std::errc{} ? std::optional(number) : std::nullopt;
}

inline std::string text_of(SQLite::Statement& query, int column) {
  return query.getColumn(column).getString();
}

}  // namespace profile_database

using namespace profile_database;  // NOLINT(google-build-using-namespace): what only this file uses

struct ProfileDatabase::Tables {
  explicit Tables(const std::filesystem::path& path) : open(path) {}

  OpenProfile open;
  std::unordered_map<std::int64_t, std::string> strings;
  std::vector<Begin> steps;                                      // ascending
  std::unordered_map<std::int64_t, std::array<float, 9>> pipes;  // busy microseconds or ratios, by task
  bool ratios = false;
  std::unique_ptr<SQLite::Statement> kernels;
  static constexpr int kTexts = 3;

  void read_strings() {
    if (!open.has("STRING_IDS")) return;
    const auto all = open.query("SELECT id, value FROM STRING_IDS");
    while (open.next(*all)) {
      if (strings.size() == kMostStrings)
        throw InputError(
            fmt::format("{}: more than {} names: is this a profile?", open.name(), kMostStrings));
      strings.emplace(all->getColumn(0).getInt64(), all->getColumn(1).getString());
    }
  }

  void read_steps() {
    if (!open.has("STEP_TIME")) return;
    const auto all = open.query("SELECT id, startNs FROM STEP_TIME ORDER BY startNs");
    while (open.next(*all)) {
      if (const auto number = step_of(text_of(*all, 0)))
        steps.push_back({all->getColumn(1).getInt64(), *number});
    }
  }

  // Reads how busy pipes were: aic_mac_ratio and the like, a row for each counter of a task.
  void read_pipes() {
    constexpr auto kPipes =
        std::to_array<std::string_view>({"aic_mac", "aic_scalar", "aic_mte1", "aic_mte2", "aic_fixpipe",
                                         "aiv_vec", "aiv_scalar", "aiv_mte2", "aiv_mte3"});
    if (!open.has("TASK_PMU_INFO")) return;
    const auto all = open.query("SELECT globalTaskId, name, value FROM TASK_PMU_INFO");
    while (open.next(*all)) {
      const std::string& counter = string(all->getColumn(1));
      for (std::size_t p = 0; p < kPipes.size(); ++p)
        if (counter.starts_with(kPipes[p]) && counter.find("ratio") != std::string::npos)
          pipes[all->getColumn(0).getInt64()][p] = static_cast<float>(all->getColumn(2).getDouble());
    }
  }

  // Returns the step of a time: the last one that had begun.
  std::optional<std::uint64_t> step_at(std::int64_t ns) const {
    const auto behind = std::ranges::upper_bound(steps, ns, {}, &Begin::start);
    return steps.empty()             ? std::nullopt
           : behind == steps.begin() ? std::optional(behind->step)
                                     : std::optional(std::prev(behind)->step);
  }

  // Names stand in the table STRING_IDS; some versions write them out.
  const std::string& string(const SQLite::Column& column) {
    static const std::string kNone;
    if (column.isNull()) return kNone;
    if (column.isInteger()) {
      const auto found = strings.find(column.getInt64());
      return found == strings.end() ? kNone : found->second;
    }
    return written = column.getString();
  }
  std::string written;
};

ProfileDatabase::ProfileDatabase(const std::filesystem::path& path, std::optional<std::int64_t>& origin)
    : tables_(std::make_unique<Tables>(path)), name_(path.string()), origin_(origin) {
  OpenProfile& open = tables_->open;
  tables_->read_strings();
  tables_->read_steps();
  tables_->read_pipes();
  if (!open.has("TASK") || !open.has("COMPUTE_TASK_INFO")) return;
  const auto of = [&](std::initializer_list<std::string_view> names) {
    return open.value("COMPUTE_TASK_INFO", "c", names);
  };
  tables_->kernels = open.query(fmt::format(
      "SELECT t.startNs, t.endNs, t.globalTaskId, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {} FROM "
      "COMPUTE_TASK_INFO c "
      "JOIN TASK t ON t.globalTaskId = c.globalTaskId ORDER BY t.startNs",
      of({"name"}), of({"opType"}), of({"taskType"}), of({"blockNum", "blockDim"}),
      of({"mixBlockNum", "mixBlockDim"}), of({"inputShapes"}), of({"outputShapes"}), of({"inputDataTypes"}),
      of({"outputDataTypes"}), of({"inputFormats"}), of({"outputFormats"}), of({"opState"})));
}

ProfileDatabase::~ProfileDatabase() = default;

KernelColumns ProfileDatabase::columns() const {
  OpenProfile& open = tables_->open;
  return {.steps = !tables_->steps.empty(),
          .shapes = open.has("COMPUTE_TASK_INFO", "inputShapes"),
          .blocks = open.has("COMPUTE_TASK_INFO", "blockDim") || open.has("COMPUTE_TASK_INFO", "blockNum"),
          .cores = true,
          .pipes = !tables_->pipes.empty()};
}

namespace {

std::optional<Duration> since(std::int64_t ns, std::optional<std::int64_t>& origin) {
  const std::string time =
      fmt::format("{}.{:03}", ns / kNanosecondsOfMicrosecond, ns % kNanosecondsOfMicrosecond);
  return time_in(time, origin);
}

Duration length_of(std::int64_t start, std::int64_t end) {
  return from_microseconds(
      std::clamp(static_cast<double>(end - start) / kNanosecondsOfMicrosecond, 0.0, kLongest));
}

}  // namespace

bool ProfileDatabase::next() {
  constexpr double kMostBlocks = 1e5;
  if (!tables_->kernels || !tables_->open.next(*tables_->kernels)) return false;
  SQLite::Statement& query = *tables_->kernels;
  const auto text = [&](int column) { return tables_->string(query.getColumn(column)); };
  ++line_;
  row_ = {};
  const std::int64_t start = query.getColumn(0).getInt64(), end = query.getColumn(1).getInt64();
  row_.start = since(std::max<std::int64_t>(0, start), origin_);
  row_.time = length_of(start, end);
  row_.step = tables_->step_at(start);
  row_.name = text(3);
  row_.type = text(4);
  row_.core = text(5);
  const std::size_t leads = row_.is_matrix() ? 0 : 1;
  const auto blocks = [&](int column) {
    return static_cast<std::uint32_t>(std::clamp(number_of(query.getColumn(column)), 0.0, kMostBlocks));
  };
  row_.cores[leads] = blocks(6);
  row_.cores[1 - leads] = blocks(7);
  read_shapes(text(8), row_.ins);
  read_shapes(text(9), row_.outs);
  row_.in_types = text(10);
  row_.out_types = text(11);
  row_.in_formats = text(12);
  row_.out_formats = text(13);
  row_.state = text(14);
  if (const auto found = tables_->pipes.find(query.getColumn(2).getInt64()); found != tables_->pipes.end())
    row_.pipes = found->second;
  return true;
}

void ProfileDatabase::each_exchange(const std::function<void(const DatabaseExchange&)>& take) {
  OpenProfile& open = tables_->open;
  if (!open.has("COMMUNICATION_OP")) return;
  const auto all = open.query(fmt::format(
      "SELECT o.startNs, o.endNs, {}, {} FROM COMMUNICATION_OP o ORDER BY o.startNs",
      open.value("COMMUNICATION_OP", "o", {"opName"}), open.value("COMMUNICATION_OP", "o", {"groupName"})));
  while (open.next(*all)) {
    const std::int64_t start = all->getColumn(0).getInt64();
    const std::optional<Duration> time = since(std::max<std::int64_t>(0, start), origin_);
    if (!time) continue;
    DatabaseExchange seen{tables_->step_at(start),
                          tables_->string(all->getColumn(2)),
                          {},
                          *time,
                          length_of(start, all->getColumn(1).getInt64())};
    seen.group = tables_->string(all->getColumn(3));
    take(seen);
  }
}

void ProfileDatabase::each_call(const std::function<void(const TraceEvent&, Duration time)>& take) {
  OpenProfile& open = tables_->open;
  for (const std::string table : {"CANN_API", "PYTORCH_API"}) {
    if (!open.has(table)) continue;
    const auto all = open.query(fmt::format("SELECT startNs, endNs, name FROM {} ORDER BY endNs", table));
    while (open.next(*all)) {
      const std::int64_t start = all->getColumn(0).getInt64();
      const std::optional<Duration> time = since(std::max<std::int64_t>(0, start), origin_);
      if (!time) continue;
      TraceEvent event;
      event.phase = "X";
      event.name = tables_->string(all->getColumn(2));
      // A time line names calls of CANN by their library.
      if (event.name.starts_with("acl")) event.name.insert(0, "AscendCL@");
      if (table == "PYTORCH_API") event.category = "cpu_op";
      event.length = microseconds(length_of(start, all->getColumn(1).getInt64()));
      take(event, *time);
    }
  }
}

void read_analysed_exchanges(const std::filesystem::path& file, const ExchangeSink& to) {
  OpenProfile open(file);
  const std::string times = "CommAnalyzerTime", planes = "CommAnalyzerBandwidth";
  if (!open.has(times)) return;
  // The transit of an exchange is that of its longest plane; SDMA is the sum of those that it drives.
  struct Moved {
    double transit = 0, megabytes = 0, driven = 0, driven_megabytes = 0;
  };
  std::map<std::string, Moved> moved;
  const auto of = [&](const std::string& table, std::initializer_list<std::string_view> names) {
    return open.value(table, "x", names);
  };
  const auto key_of = [&](const std::string& table) {
    return fmt::format("{}, {}, {}", of(table, {"step"}), of(table, {"hccl_op_name", "op_name"}),
                       of(table, {"group_name"}));
  };
  if (open.has(planes)) {
    const auto all = open.query(fmt::format("SELECT DISTINCT {}, {}, {}, {} FROM {} x", key_of(planes),
                                            of(planes, {"transport_type"}), of(planes, {"transit_time"}),
                                            of(planes, {"transit_size"}), planes));
    while (open.next(*all)) {
      Moved& sum = moved[fmt::format("{}/{}@{}", text_of(*all, 0), text_of(*all, 1), text_of(*all, 2))];
      const double time = number_of(all->getColumn(4)), size = number_of(all->getColumn(5));
      const bool driver = text_of(*all, 3) == "SDMA";
      (driver ? sum.driven : sum.transit) = std::max(driver ? sum.driven : sum.transit, time);
      (driver ? sum.driven_megabytes : sum.megabytes) += size;
    }
  }
  const auto all =
      open.query(fmt::format("SELECT {}, {}, {}, {}, {}, {}, {} FROM {} x", key_of(times),
                             of(times, {"start_timestamp", "start_time"}),
                             of(times, {"elapse_time", "elapsed_time"}), of(times, {"transit_time"}),
                             of(times, {"wait_time"}), of(times, {"idle_time"}), of(times, {"type"}), times));
  const auto time = [](double milliseconds) {
    constexpr double kMost = 1e9;
    return Duration(std::llround(1e9 * std::clamp(milliseconds, 0.0, kMost)));
  };
  while (open.next(*all)) {
    const std::string step = text_of(*all, 0), op = text_of(*all, 1), group = text_of(*all, 2);
    if (op == "Total Op Info") continue;
    const std::string name = op.find('@') == std::string::npos ? fmt::format("{}@{}", op, group) : op;
    const std::string numbered = step.starts_with("step") ? step : "step" + step;
    RecordedExchange seen{numbered,
                          name,
                          !is_between_two(op),
                          std::nullopt,
                          time(number_of(all->getColumn(4))),
                          time(number_of(all->getColumn(5))),
                          time(number_of(all->getColumn(6)))};
    const Moved sum = moved[fmt::format("{}/{}@{}", step, op, group)];
    seen.bytes = 1e6 * (sum.megabytes > 0 ? sum.megabytes : sum.driven_megabytes);
    const double transit = sum.transit > 0 ? sum.transit : sum.driven;
    if (seen.transit == Duration::zero() && transit > 0) seen.transit = std::min(time(transit), seen.elapsed);
    if (seen.waited == Duration::zero() && number_of(all->getColumn(5)) <= 0) {
      seen.waits_told = false;
      seen.waited = std::min(time(number_of(all->getColumn(7))), seen.elapsed - seen.transit);
    }
    to.exchange(seen, number_of(all->getColumn(3)));
  }
}

void read_analysed_steps(const std::filesystem::path& file,
                         const std::function<void(const ToldStep&)>& take) {
  OpenProfile open(file);
  const std::string table = "StepTraceTime";
  if (!open.has(table)) return;
  const auto of = [&](std::initializer_list<std::string_view> names) {
    return open.value(table, "x", names);
  };
  const auto all = open.query(fmt::format(
      "SELECT {}, {}, {}, {}, {} FROM {} x", of({"step"}), of({"computing"}), of({"communication"}),
      of({"communication_not_overlapped", "Communication(Not Overlapped)"}), of({"free"}), table));
  const auto time = [](const SQLite::Column& column) {
    constexpr double kMost = 1e12;
    return from_microseconds(std::clamp(number_of(column), 0.0, kMost));
  };
  std::size_t line = 0;
  while (open.next(*all)) {
    ToldStep told{step_of(text_of(*all, 0)),
                  time(all->getColumn(1)),
                  time(all->getColumn(2)),
                  time(all->getColumn(3)),
                  time(all->getColumn(4)),
                  ++line,
                  0};
    if (told.computing + told.exposed + told.free > Duration::zero()) take(told);
  }
}

}  // namespace a3sim
