#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>

namespace a3sim {

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

// Refuses what is no database of sweeps, one of other tables than schema.h's, or a damaged one.
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
