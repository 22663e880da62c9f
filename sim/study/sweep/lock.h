#pragma once

#include <filesystem>

namespace a3sim {

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
