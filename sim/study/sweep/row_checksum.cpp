#include "sim/study/sweep/row_checksum.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "sim/core/checksum.h"
#include "sim/core/terminal_text.h"
#include "sim/study/sweep/schema.h"

namespace a3sim {
namespace {

struct TableColumns {
  std::string_view table, columns;
};

// Of schema.h, without the checksum.
constexpr auto kColumnsOfTables =
    std::to_array<TableColumns>({{"sweep", "name, spec"},
                                 {"axis", "sweep, position, name"},
                                 {"sweep_point", "sweep, position, point"},
                                 {"coordinate", "sweep, position, axis, value"},
                                 {"point", "id, status, error, config, version, model, seconds, memory"},
                                 {"metric", "point, pass, name, value, unit"},
                                 {"file", "point, name, contents"}});

std::uint32_t add_number(std::uint64_t number, std::uint32_t sum) {
  std::array<char, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(number >> (8 * i));
  return checksum({bytes.data(), bytes.size()}, sum);
}

// Of a value with its type; texts with their length, so that neighbours do not run together.
std::uint32_t add_value(sqlite3_value* value, std::uint32_t sum) {
  const int type = sqlite3_value_type(value);
  sum = add_number(static_cast<std::uint64_t>(type), sum);
  if (type == SQLITE_NULL) return sum;
  if (type == SQLITE_INTEGER) return add_number(static_cast<std::uint64_t>(sqlite3_value_int64(value)), sum);
  // SQLite keeps no -0.0.
  if (type == SQLITE_FLOAT)
    return add_number(std::bit_cast<std::uint64_t>(sqlite3_value_double(value) + 0.0), sum);
  const auto* bytes = static_cast<const char*>(sqlite3_value_blob(value));
  const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
  return checksum({bytes, size}, add_number(size, sum));
}

void row_checksum(sqlite3_context* context, int count, sqlite3_value** values) {
  std::uint32_t sum = 0;
  for (int i = 0; i < count; ++i) sum = add_value(values[i], sum);
  sqlite3_result_int64(context, sum);
}

// What tells a row from others stands in front; long texts are cut.
std::string description(SQLite::Statement& row, const TableColumns& of) {
  constexpr int kShown = 3;
  constexpr std::size_t kMostShown = 60;
  std::string text;
  for (int c = 0; c < std::min(row.getColumnCount() - 1, kShown); ++c)
    text += fmt::format("{}'{}'", c == 0 ? "" : ", ", row.getColumn(c).getString().substr(0, kMostShown));
  return fmt::format("row {} of table {}", terminal_text(text), of.table);
}

std::string statements_of(SQLite::Database& database) {
  SQLite::Statement rows(database, "SELECT sql FROM sqlite_master ORDER BY name");
  std::string all;
  while (rows.executeStep()) all += rows.getColumn(0).getString() + '\n';
  return all;
}

bool has_schema(SQLite::Database& database) {
  SQLite::Database ours(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  ours.exec(kSchema);
  return statements_of(database) == statements_of(ours);
}

}  // namespace

const char* const kSchema =
#include "sim/study/sweep/schema.inc"
    ;

void add_row_checksum(SQLite::Database& database) {
  constexpr int kAnyNumber = -1;
  database.createFunction("row_checksum", kAnyNumber, true, nullptr, row_checksum);
}

std::string insert_into(std::string_view table, std::string_view verb) {
  const auto of = std::ranges::find(kColumnsOfTables, table, &TableColumns::table);
  std::string values = "?1";
  const auto columns = 1 + std::ranges::count(of->columns, ',');
  for (std::ptrdiff_t c = 2; c <= columns; ++c) values += fmt::format(", ?{}", c);
  return fmt::format("{0} INTO {1} VALUES ({2}, row_checksum('{1}', {2}))", verb, table, values);
}

std::string altered_part(SQLite::Database& database) {
  if (!has_schema(database)) return "the description of its tables";
  for (const TableColumns& of : kColumnsOfTables) {
    SQLite::Statement rows(
        database, fmt::format("SELECT * FROM {0} WHERE checksum IS NOT row_checksum('{0}', {1})", of.table,
                              of.columns));
    if (rows.executeStep()) return description(rows, of);
  }
  return "";
}

}  // namespace a3sim
