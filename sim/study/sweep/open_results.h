#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <functional>

namespace a3sim {

// Opens a sweep's database for reading, and calls `read` on it within one transaction: it sees one moment,
// and writers go on. Without a -wal file beside it nothing is written anywhere; with one, it is read too, in
// a copy where SQLite cannot read it in place (a directory that is not ours to write). `read` may be called a
// second time, when a sweep begins meanwhile. Throws as `read_results` does.
void with_results(const std::filesystem::path& file, const std::function<void(SQLite::Database&)>& read);

}  // namespace a3sim
