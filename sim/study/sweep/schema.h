#pragma once

#include <cstdint>

namespace a3sim {

// A sweep's database: SQLite 3, in WAL mode. The tables are what other programs read, too; a change of them
// is a new kSchemaVersion. Each row ends with the checksum of its other values (row_checksum.h).
inline constexpr std::int32_t kApplicationId = 0x41335357;  // PRAGMA application_id: "A3SW"
inline constexpr std::int32_t kSchemaVersion = 2;           // PRAGMA user_version

// The statements of schema.sql, by which a new database is made and an old one is held against them.
extern const char* const kSchema;

}  // namespace a3sim
