#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace a3sim {

// A sweep's database: SQLite 3 in WAL mode. Other programs read its tables too; a change of them needs a
// new kSchemaVersion. The last column of each table is the checksum of the row's other values.
inline constexpr std::int32_t kApplicationId = 0x41335357;  // PRAGMA application_id: "A3SW"
inline constexpr std::int32_t kSchemaVersion = 2;           // PRAGMA user_version

// The statements of schema.sql. They create a new database, and an old one is compared with them.
extern const char* const kSchema;

// Adds the SQL function row_checksum(table, value...), which computes a row's checksum. Must be called
// before any function below.
void add_row_checksum(SQLite::Database& database);

// Returns `INSERT INTO table VALUES (?1, ..., its checksum)`, or the same with another verb: `INSERT OR
// REPLACE`.
std::string insert_into(std::string_view table, std::string_view verb = "INSERT");

// Names a part that differs from what was written: "row 'a', 'total', 'latency' of table metric". Empty if
// there is none.
std::string altered_part(SQLite::Database& database);

// Throws `error` as InputError if the file is not what was meant, else as RunError.
[[noreturn]] void throw_database_error(const std::filesystem::path& file, const SQLite::Exception& error);

// Runs `work`. Its failures are reported as the database's.
template <class Work>
auto on_database(const std::filesystem::path& file, const Work& work) {
  try {
    return work();
  } catch (const SQLite::Exception& error) {
    throw_database_error(file, error);
  }
}

// Throws if the file is no database of sweeps, has other tables than schema.sql, or is damaged.
void check_database(SQLite::Database& database, const std::filesystem::path& file);

// The right to write a database: a lock of the system on the file FILE.lock beside it. It ends with the
// process that holds it. A file that is left over does not block.
class DatabaseLock {
 public:
  // Throws InputError with the process that holds the lock, or RunError if the file cannot be made.
  explicit DatabaseLock(const std::filesystem::path& database);
  ~DatabaseLock();
  DatabaseLock(const DatabaseLock&) = delete;
  DatabaseLock& operator=(const DatabaseLock&) = delete;

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace a3sim
