#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <string_view>

namespace a3sim {

// The last column of every table of a sweep's database is the checksum of the row's other values.

// Gives a database the SQL function that computes it, row_checksum(table, value...). Before anything below.
void add_row_checksum(SQLite::Database& database);

// `INSERT INTO table VALUES (?1, ..., its checksum)`, or with another verb: `INSERT OR REPLACE`.
std::string insert_into(std::string_view table, std::string_view verb = "INSERT");

// What is not as it was written, as words: "row 'a', 'total', 'latency' of table metric"; empty if all is.
std::string altered_part(SQLite::Database& database);

}  // namespace a3sim
