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

}  // namespace a3sim
