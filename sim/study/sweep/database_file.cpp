#include "sim/study/sweep/database_file.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "sim/core/error.h"
#include "sim/study/sweep/row_checksum.h"
#include "sim/study/sweep/schema.h"

namespace a3sim {

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

}  // namespace a3sim
