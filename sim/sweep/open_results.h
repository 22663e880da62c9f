#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <functional>

namespace a3sim {

// Opens a sweep's database and calls `read` in one transaction: it sees a single moment, and writers are
// not blocked. Writes no file unless there is a -wal file; that is read too, in a copy if SQLite cannot
// read it in place (in a read-only directory). May call `read` again if a sweep begins meanwhile. Throws as
// `read_results` does.
void with_results(const std::filesystem::path& file, const std::function<void(SQLite::Database&)>& read);

}  // namespace a3sim
