#include "sim/sweep/database.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "sim/sweep/database_file.h"
#include "sim/sweep/results/sweep_results.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"

namespace a3sim {
namespace {

// Gives every row the checksum of what stands there now.
void reseal(const std::filesystem::path& file) {
  try {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
    add_row_checksum(database);
    for (const char* table : {"sweep", "axis", "sweep_point", "coordinate", "point", "metric", "file"}) {
      SQLite::Statement row(database, fmt::format("SELECT * FROM {} LIMIT 1", table));
      std::string columns;
      for (int c = 0; c + 1 < row.getColumnCount(); ++c)
        columns += fmt::format("{}{}", c == 0 ? "" : ", ", row.getColumnName(c));
      row.executeStep();
      row.reset();
      database.exec(fmt::format("UPDATE {0} SET checksum = row_checksum('{0}', {1})", table, columns));
    }
  } catch (const SQLite::Exception&) {
    return;  // damaged: it is read as it is
  }
}

class DatabaseTarget final : public FuzzTarget {
 public:
  void take(std::string_view input) const override {
    const auto file = fuzz_folder().add("fuzz.db", std::string(input));
    reseal(file);
    known_points(file);
    read_results(file);
  }
};

A3SIM_REGISTER(FuzzTarget, "database", "a database of sweeps", DatabaseTarget);

}  // namespace
}  // namespace a3sim
