#include "sim/sweep/database_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "sim/core/checksum.h"
#include "sim/core/error.h"
#include "sim/core/terminal_text.h"

namespace a3sim {
namespace {

struct TableColumns {
  std::string_view table, columns;
};

// The columns of schema.sql, without the checksum.
constexpr auto kColumnsOfTables =
    std::to_array<TableColumns>({{"sweep", "name, spec"},
                                 {"axis", "sweep, position, name"},
                                 {"sweep_point", "sweep, position, point"},
                                 {"coordinate", "sweep, position, axis, value"},
                                 {"point", "id, status, error, config, version, model, seconds, memory"},
                                 {"metric", "point, pass, name, value, unit"},
                                 {"file", "point, name, contents"}});

std::uint32_t add_number(std::uint64_t number, std::uint32_t sum) {
  std::array<char, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(number >> (8 * i));
  return checksum({bytes.data(), bytes.size()}, sum);
}

// Adds a value with its type; texts with their length, so that neighbours do not run together.
std::uint32_t add_value(sqlite3_value* value, std::uint32_t sum) {
  const int type = sqlite3_value_type(value);
  sum = add_number(static_cast<std::uint64_t>(type), sum);
  if (type == SQLITE_NULL) return sum;
  if (type == SQLITE_INTEGER) return add_number(static_cast<std::uint64_t>(sqlite3_value_int64(value)), sum);
  // SQLite does not keep -0.0.
  if (type == SQLITE_FLOAT)
    return add_number(std::bit_cast<std::uint64_t>(sqlite3_value_double(value) + 0.0), sum);
  const auto* bytes = static_cast<const char*>(sqlite3_value_blob(value));
  const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
  return checksum({bytes, size}, add_number(size, sum));
}

void row_checksum(sqlite3_context* context, int count, sqlite3_value** values) {
  std::uint32_t sum = 0;
  for (int i = 0; i < count; ++i) sum = add_value(values[i], sum);
  sqlite3_result_int64(context, sum);
}

// Describes a row by its key columns, which come first. Cuts long texts.
std::string description(SQLite::Statement& row, const TableColumns& columns) {
  constexpr int kShown = 3;
  constexpr std::size_t kMostShown = 60;
  std::string text;
  for (int c = 0; c < std::min(row.getColumnCount() - 1, kShown); ++c)
    text += fmt::format("{}'{}'", c == 0 ? "" : ", ", row.getColumn(c).getString().substr(0, kMostShown));
  return fmt::format("row {} of table {}", terminal_text(text), columns.table);
}

// Returns the statements of all tables. Views change nothing, so anybody may add some.
std::string statements_of(SQLite::Database& database) {
  SQLite::Statement rows(database, "SELECT sql FROM sqlite_master WHERE type != 'view' ORDER BY name");
  std::string all;
  while (rows.executeStep()) all += rows.getColumn(0).getString() + '\n';
  return all;
}

bool has_schema(SQLite::Database& database) {
  SQLite::Database ours(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  ours.exec(kSchema);
  return statements_of(database) == statements_of(ours);
}

// Returns "4711"; empty if the holder has not written it yet.
std::string holder_of(int file) {
  std::array<char, 32> text{};
  const ssize_t size = pread(file, text.data(), text.size(), 0);
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "";
}

// True if the path still names the open file: its last holder may have removed it.
bool is_same(int file, const std::filesystem::path& path) {
  struct stat open{}, named{};
  return fstat(file, &open) == 0 && stat(path.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

}  // namespace

const char* const kSchema =
#include "sim/sweep/schema.inc"
    ;

void add_row_checksum(SQLite::Database& database) {
  constexpr int kAnyNumber = -1;
  database.createFunction("row_checksum", kAnyNumber, true, nullptr, row_checksum);
}

std::string insert_into(std::string_view table, std::string_view verb) {
  const auto found = std::ranges::find(kColumnsOfTables, table, &TableColumns::table);
  std::string values = "?1";
  const auto columns = 1 + std::ranges::count(found->columns, ',');
  for (std::ptrdiff_t c = 2; c <= columns; ++c) values += fmt::format(", ?{}", c);
  return fmt::format("{0} INTO {1} VALUES ({2}, row_checksum('{1}', {2}))", verb, table, values);
}

std::string altered_part(SQLite::Database& database) {
  if (!has_schema(database)) return "the description of its tables";
  for (const TableColumns& columns : kColumnsOfTables) {
    SQLite::Statement rows(database,
                           fmt::format("SELECT * FROM {0} WHERE checksum IS NOT row_checksum('{0}', {1})",
                                       columns.table, columns.columns));
    if (rows.executeStep()) return description(rows, columns);
  }
  return "";
}

void throw_database_error(const std::filesystem::path& file, const SQLite::Exception& error) {
  const std::string name = file.string();
  switch (error.getErrorCode()) {
    case SQLITE_NOTADB:
      throw InputError(fmt::format("{}: is no database: a file of another kind; name another one", name));
    case SQLITE_CORRUPT:
      throw RunError(fmt::format("{}: is damaged ({}): 'sqlite3 FILE .recover' reads what is left of it",
                                 name, error.what()));
    case SQLITE_FULL:
      throw RunError(fmt::format("{}: no space left; what was recorded before stands", name));
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
      throw RunError(fmt::format("{}: cannot be written: {}", name, error.what()));
    default:
      throw RunError(fmt::format("{}: {} ({}); what was recorded before stands", name, error.what(),
                                 sqlite3_errstr(error.getExtendedErrorCode())));
  }
}

void check_database(SQLite::Database& database, const std::filesystem::path& file) {
  const int application = database.execAndGet("PRAGMA application_id").getInt();
  const int version = database.execAndGet("PRAGMA user_version").getInt();
  if (application != kApplicationId)
    throw InputError(fmt::format("{}: is another program's database, expected one of sweeps", file.string()));
  if (version != kSchemaVersion)
    throw InputError(fmt::format("{}: is of {} a3sim (tables of version {}, this one knows {}), expected {}",
                                 file.string(), version > kSchemaVersion ? "a newer" : "an older", version,
                                 kSchemaVersion,
                                 version > kSchemaVersion ? "to be opened by that" : "a new file"));
  const std::string check = database.execAndGet("PRAGMA quick_check(1)").getString();
  if (check != "ok")
    throw RunError(fmt::format("{}: is damaged ({}): 'sqlite3 FILE .recover' reads what is left of it",
                               file.string(), check));
  const std::string altered = altered_part(database);
  if (!altered.empty())
    throw InputError(
        fmt::format("{}: {} was altered: its checksum is that of others; take a copy of the "
                    "database, or sweep again",
                    file.string(), altered));
}

DatabaseLock::DatabaseLock(const std::filesystem::path& database) {
  std::error_code ignored;
  path_ = std::filesystem::weakly_canonical(database, ignored);
  path_ += ".lock";
  for (;;) {
    file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0)
      throw RunError(fmt::format("{}: cannot be written: {}", path_.string(), std::strerror(errno)));
    if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      const int reason = errno;
      const std::string holder = holder_of(file_);
      close(file_);
      if (reason != EWOULDBLOCK)
        throw RunError(fmt::format("{}: cannot be locked: {}", path_.string(), std::strerror(reason)));
      throw InputError(fmt::format("{}: another sweep writes it{}: wait for it, or take another database",
                                   database.string(), holder.empty() ? "" : " (process " + holder + ")"));
    }
    if (is_same(file_, path_)) break;
    close(file_);
  }
  const std::string own = std::to_string(getpid());
  // Only messages use the number, so that a full disk must not stop anybody.
  if (ftruncate(file_, 0) != 0 || pwrite(file_, own.data(), own.size(), 0) < 0) return;
}

DatabaseLock::~DatabaseLock() {
  unlink(path_.c_str());
  close(file_);
}

}  // namespace a3sim
