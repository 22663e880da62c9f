#include "sim/sweep/open_results.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "sim/core/error.h"
#include "sim/core/open_file.h"
#include "sim/core/temporary_directory.h"
#include "sim/sweep/database_file.h"

namespace a3sim {
namespace {

namespace fs = std::filesystem;

// A writer holds its lock for a commit or a checkpoint only.
constexpr int kLockWaitMs = 10'000;

fs::path with_suffix(fs::path file, const char* suffix) {
  file += suffix;
  return file;
}

bool has_log(const fs::path& file) {
  std::error_code error;
  return fs::exists(with_suffix(file, "-wal"), error);
}

// Returns SQLite's name of a file without a writer: no locks, no files beside it.
std::string immutable_uri(const fs::path& file) {
  std::string uri = "file:";
  for (const char c : fs::absolute(file).string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '?' || c == '#' || c == '%' || byte < ' ' || byte > '~')
      uri += fmt::format("%{:02X}", byte);
    else
      uri += c;
  }
  return uri + "?immutable=1";
}

void check_is_sweeps(SQLite::Database& db, const fs::path& file) {
  const std::string name = file.string();
  const int application = db.execAndGet("PRAGMA application_id").getInt();
  const int schema = db.execAndGet("PRAGMA user_version").getInt();
  if (application != kApplicationId) {
    throw InputError(fmt::format("{}: {}", name,
                                 db.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0
                                     ? "an empty database, no sweep has begun on it"
                                     : "a database, but not one of 'a3sim sweep'"));
  }
  if (schema != kSchemaVersion) {
    throw InputError(fmt::format("{}: its tables are of version {}, this program reads version {}{}", name,
                                 schema, kSchemaVersion,
                                 schema > kSchemaVersion ? "; a newer a3sim wrote it" : ""));
  }
  const std::string check = db.execAndGet("PRAGMA quick_check(1)").getString();
  if (check != "ok") throw InputError(fmt::format("{}: the database is corrupted: {}", name, check));
  add_row_checksum(db);
  const std::string altered = altered_part(db);
  if (!altered.empty())
    throw InputError(
        fmt::format("{}: {} was altered: its checksum is that of other values; sweep again", name, altered));
}

void read_database(const std::string& name, int flags, const fs::path& file,
                   const std::function<void(SQLite::Database&)>& read) {
  SQLite::Database db(name, SQLite::OPEN_READONLY | flags, kLockWaitMs);
  SQLite::Transaction transaction(db);
  check_is_sweeps(db, file);
  read(db);
}

// Returns size and time of the last change, as far as they can be read. They change when the file is written.
std::pair<std::uintmax_t, fs::file_time_type> state_of(const fs::path& file) {
  std::error_code error;
  return {fs::file_size(file, error), fs::last_write_time(file, error)};
}

// Reads a copy. The log has no index, so nobody writes to it, and the directory does not let us make one.
void read_copy(const fs::path& file, const std::function<void(SQLite::Database&)>& read) {
  const TemporaryDirectory directory("results");
  const fs::path copy = directory.path() / "copy.db";
  fs::copy_file(file, copy);
  fs::copy_file(with_suffix(file, "-wal"), with_suffix(copy, "-wal"));
  read_database(copy.string(), 0, file, read);
}

void read_with_log(const fs::path& file, const std::function<void(SQLite::Database&)>& read) {
  try {
    read_database(file.string(), 0, file, read);
  } catch (const SQLite::Exception& error) {
    const int code = error.getErrorCode();
    if (code != SQLITE_CANTOPEN && code != SQLITE_READONLY) throw;
    read_copy(file, read);
  }
}

void read_unlocked_or_locked(const fs::path& file, const std::function<void(SQLite::Database&)>& read) {
  if (!has_log(file)) {
    const auto before = state_of(file);
    std::exception_ptr failure;
    try {
      read_database(immutable_uri(file), SQLite::OPEN_URI, file, read);
    } catch (...) {
      failure = std::current_exception();
    }
    // Nobody wrote while this read without locks.
    if (!has_log(file) && state_of(file) == before) {
      if (failure) std::rethrow_exception(failure);
      return;
    }
  }
  read_with_log(file, read);
}

void check_file(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) throw InputError(fmt::format("{}: {}", file.string(), why_missing(file)));
  if (!fs::is_regular_file(file, error)) throw InputError(fmt::format("{}: is no file", file.string()));
  if (!std::ifstream(file)) throw InputError(fmt::format("{}: cannot be read", file.string()));
}

}  // namespace

void with_results(const fs::path& file, const std::function<void(SQLite::Database&)>& read) {
  check_file(file);
  try {
    read_unlocked_or_locked(file, read);
  } catch (const SQLite::Exception& error) {
    const int code = error.getErrorCode();
    if (code == SQLITE_NOTADB) throw InputError(fmt::format("{}: is no database", file.string()));
    if (code == SQLITE_CORRUPT || code == SQLITE_ERROR)
      throw InputError(fmt::format("{}: the database is corrupted: {}", file.string(), error.what()));
    throw RunError(fmt::format("{}: cannot be read: {}", file.string(), error.what()));
  } catch (const fs::filesystem_error& error) {
    throw RunError(fmt::format("{}: cannot be read: {}", file.string(), error.code().message()));
  }
}

}  // namespace a3sim
