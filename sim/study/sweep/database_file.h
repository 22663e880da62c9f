#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace a3sim {

// A sweep's database: SQLite 3, in WAL mode. The tables are what other programs read, too; a change of them
// is a new kSchemaVersion. The last column of each is the checksum of the row's other values.
inline constexpr std::int32_t kApplicationId = 0x41335357;  // PRAGMA application_id: "A3SW"
inline constexpr std::int32_t kSchemaVersion = 2;           // PRAGMA user_version

// The statements of schema.sql, by which a new database is made and an old one is held against them.
extern const char* const kSchema;

// Gives a database the SQL function that computes a row's checksum, row_checksum(table, value...). Before anything
// below.
void add_row_checksum(SQLite::Database& database);

// `INSERT INTO table VALUES (?1, ..., its checksum)`, or with another verb: `INSERT OR REPLACE`.
std::string insert_into(std::string_view table, std::string_view verb = "INSERT");

// What is not as it was written, as words: "row 'a', 'total', 'latency' of table metric"; empty if all is.
std::string altered_part(SQLite::Database& database);

// Throws what `error` means to whoever named the file: an InputError if it is not what was meant, else a
// RunError.
[[noreturn]] void throw_database_error(const std::filesystem::path& file, const SQLite::Exception& error);

// Runs `work`, whose failures are then the database's.
template <class Work>
auto on_database(const std::filesystem::path& file, const Work& work) {
  try {
    return work();
  } catch (const SQLite::Exception& error) {
    throw_database_error(file, error);
  }
}

// Refuses what is no database of sweeps, one of other tables than schema.sql's, or a damaged one.
void check_database(SQLite::Database& database, const std::filesystem::path& file);

// The right to write a database, as a file FILE.lock beside it: the system's lock, which ends with the
// process that holds it, however that ends. A file that is left over holds nothing up.
class DatabaseLock {
 public:
  // Throws InputError that names the holder's process where there is one, RunError where the file cannot be
  // made.
  explicit DatabaseLock(const std::filesystem::path& database);
  ~DatabaseLock();
  DatabaseLock(const DatabaseLock&) = delete;
  DatabaseLock& operator=(const DatabaseLock&) = delete;

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace a3sim
