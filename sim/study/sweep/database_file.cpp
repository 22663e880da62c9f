#include "sim/study/sweep/database_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "sim/core/error.h"
#include "sim/study/sweep/row_checksum.h"
#include "sim/study/sweep/schema.h"

namespace a3sim {
namespace {

// "4711"; empty if the holder has not written it yet.
std::string holder_of(int file) {
  std::array<char, 32> text{};
  const ssize_t size = pread(file, text.data(), text.size(), 0);
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "";
}

// Whether the path still names the open file: its last holder may have removed it.
bool is_same(int file, const std::filesystem::path& path) {
  struct stat open{}, named{};
  return fstat(file, &open) == 0 && stat(path.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

}  // namespace

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
  // Only for messages: a full disk keeps nobody from running.
  if (ftruncate(file_, 0) != 0 || pwrite(file_, own.data(), own.size(), 0) < 0) return;
}

DatabaseLock::~DatabaseLock() {
  unlink(path_.c_str());
  close(file_);
}

}  // namespace a3sim
