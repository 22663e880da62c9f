#include "sim/sweep/database.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>

#include "sim/core/error.h"
#include "sim/sweep/database_file.h"
#include "sim/sweep/open_results.h"
#include "tests/sweep/small_sweep.h"

namespace a3sim {
namespace {

SweepRecord record_at(int number) {
  SweepRecord record;
  record.id = "point" + std::to_string(number);
  record.config = {std::string(1000, 'x'), {{"routing.csv", "1,2\n"}}};
  record.metrics = {{"total", "latency", 0.1 * number, "ms"}};
  record.seconds = 1;
  return record;
}

TEST_CASE("What is recorded is there when the database is opened again") {
  const SweepFolder folder;
  const auto file = folder / "s.db";
  SweepRecord failed = record_at(2);
  failed.error = "why it's so";
  failed.metrics.clear();
  {
    SweepDatabase database(file);
    database.record(record_at(1));
    database.record(failed);
    CHECK(std::filesystem::exists(file.string() + ".lock"));
  }
  CHECK_FALSE(std::filesystem::exists(file.string() + ".lock"));
  CHECK_FALSE(std::filesystem::exists(file.string() + "-wal"));
  const auto known = known_points(file);
  REQUIRE(known.size() == 2);
  CHECK(known.at("point1").error.empty());
  CHECK(known.at("point1").metrics == std::set<std::string>{"latency"});
  CHECK(known.at("point2").error == failed.error);
  SweepDatabase database(file);
  database.record(record_at(2));  // tried again, done now
  failed.id = "point1";
  database.record(failed);  // was done already
  for (const auto& [id, point] : database.known()) CHECK(point.error.empty());
  CHECK(known_points(folder / "none.db").empty());
  CHECK_FALSE(std::filesystem::exists(folder / "none.db"));
}

TEST_CASE("Two writers of one database are refused, the second by the first one's process") {
  const SweepFolder folder;
  const auto file = folder / "s.db";
  const SweepDatabase first(file);
  CHECK_THROWS_WITH(SweepDatabase(file), Catch::Matchers::Contains("another sweep writes it (process " +
                                                                   std::to_string(getpid())));
  CHECK_THROWS_AS(SweepDatabase(folder / "." / "s.db"), InputError);  // by whatever name
}

TEST_CASE("A lock that nobody holds any more is taken over") {
  const SweepFolder folder;
  folder.write("s.db.lock", "1");
  CHECK_NOTHROW(SweepDatabase(folder / "s.db"));
}

TEST_CASE("A file that is no database of ours is refused and left as it is") {
  using Catch::Matchers::Contains;
  const SweepFolder folder;
  CHECK_THROWS_WITH(SweepDatabase(folder.write("text", std::string(5000, 'a'))), Contains("is no database"));
  CHECK(std::filesystem::file_size(folder / "text") == 5000);
  const auto file = folder / "s.db";
  const auto with = [&](const std::string& sql) {
    std::filesystem::remove(file);
    {
      SweepDatabase database(file);
    }
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec(sql);
  };
  with("PRAGMA user_version = " + std::to_string(kSchemaVersion + 1));
  CHECK_THROWS_WITH(SweepDatabase(file), Contains("of a newer a3sim"));
  CHECK_THROWS_WITH(known_points(file), Contains("a newer a3sim wrote it"));
  with("PRAGMA application_id = 1");
  CHECK_THROWS_WITH(SweepDatabase(file), Contains("another program's database"));
  SQLite::Database((folder / "other.db").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE t (x)");
  CHECK_THROWS_WITH(SweepDatabase(folder / "other.db"), Contains("another program's database"));
  CHECK_THROWS_AS(SweepDatabase(folder / "nowhere" / "s.db"), RunError);
  CHECK_THROWS_AS(SweepDatabase("/proc/s.db"), RunError);  // nobody can write there
}

TEST_CASE("A damaged database is refused") {
  const SweepFolder folder;
  const auto file = folder / "s.db";
  {
    SweepDatabase database(file);
    for (int i = 0; i < 100; ++i) database.record(record_at(i));
  }
  const auto size = std::filesystem::file_size(file);
  {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(size / 2));
    stream << std::string(size / 4, '\xff');
  }
  CHECK_THROWS_WITH(SweepDatabase(file), Catch::Matchers::Contains("is damaged"));
  std::filesystem::resize_file(file, size / 2);
  CHECK_THROWS_WITH(SweepDatabase(file), Catch::Matchers::Contains("is damaged"));
}

// All rows of all tables, or why they are not read.
std::string rows_of(const std::filesystem::path& file) {
  std::string all;
  try {
    with_results(file, [&](SQLite::Database& database) {
      all.clear();
      for (const char* table : {"sweep", "axis", "sweep_point", "coordinate", "point", "metric", "file"}) {
        SQLite::Statement rows(database, fmt::format("SELECT * FROM {}", table));
        while (rows.executeStep()) {
          for (int c = 0; c < rows.getColumnCount(); ++c) all += rows.getColumn(c).getString() + '|';
        }
      }
    });
  } catch (const Error& error) {
    return std::string("refused: ") + error.what();
  }
  return all;
}

SweepSpec small_spec() {
  SweepSpec spec;
  spec.name = "small";
  spec.text = "axes: []\n";
  spec.axes.resize(1);
  spec.axes[0].name = "size";
  spec.axes[0].values.resize(2);
  return spec;
}

TEST_CASE("A value that was changed is refused with its row, by who reads and by who goes on") {
  const SweepFolder folder;
  const auto file = folder / "s.db";
  const char* const changes[] = {"UPDATE metric SET value = value + 1",
                                 "UPDATE metric SET unit = 's'",
                                 "UPDATE point SET seconds = 2",
                                 "UPDATE point SET status = 'failed', error = ''",
                                 "UPDATE file SET contents = ''",
                                 "UPDATE coordinate SET value = 'x' WHERE position = 1",
                                 "UPDATE sweep_point SET point = 'x' WHERE position = 1",
                                 "UPDATE axis SET name = 'x'",
                                 "UPDATE sweep SET spec = ''"};
  for (const char* change : changes) {
    std::filesystem::remove(file);
    {
      SweepDatabase database(file);
      database.begin(small_spec(), {{0}, {1}}, {"point0", "point1"});
      database.record(record_at(0));
      database.record(record_at(1));
    }
    const std::string before = rows_of(file);
    CHECK_THAT(before, Catch::Matchers::Contains("|latency|"));
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec(change);
    INFO(change);
    CHECK_THAT(rows_of(file),
               Catch::Matchers::Contains("s.db: row '") && Catch::Matchers::Contains("altered"));
    CHECK_THROWS_WITH(SweepDatabase(file), Catch::Matchers::Contains("altered"));
    SweepDatabase other(folder / "other.db");
    CHECK_THROWS_WITH(other.add(file), Catch::Matchers::Contains("altered"));
  }
}

namespace {

// Flips one bit of so many, all over the file.
void flip_bits(std::size_t step) {
  const SweepFolder folder;
  const auto file = folder / "s.db";
  {
    SweepDatabase database(file);
    database.begin(small_spec(), {{0}, {1}}, {"point0", "point1"});
    database.record(record_at(0));
    database.record(record_at(1));
  }
  const std::string before = rows_of(file);
  std::string bytes(std::filesystem::file_size(file), ' ');
  std::ifstream(file, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  std::size_t refused = 0;
  std::string silently;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += step) {
    std::string changed = bytes;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    folder.write("s.db", changed);
    const std::string after = rows_of(file);
    if (after.starts_with("refused: ")) {
      ++refused;
      continue;
    }
    if (after != before) silently += fmt::format("byte {} bit {}; ", bit / 8, bit % 8);
  }
  CHECK(silently == "");
  CHECK(refused > 0);
}

}  // namespace

// Primes: each byte's bits take turns. Sanitizers, under which a database takes long to open, look at fewer.
TEST_CASE("A database with a bit flipped is refused or has the same rows") { flip_bits(331); }
TEST_CASE("A database with any bit flipped is refused or has the same rows", "[slow]") { flip_bits(23); }

TEST_CASE("A full disk is an error, and what was recorded before stands") {
  const SweepFolder folder;
  const auto file = folder / "s.db";
  constexpr int kPoints = 1000;
  constexpr rlim_t kFull = 200'000;  // fewer bytes than the points need
  int recorded = 0;
  const auto before = std::signal(SIGXFSZ, SIG_IGN);  // as the program does
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlim_t all = std::exchange(limit.rlim_cur, kFull);
  setrlimit(RLIMIT_FSIZE, &limit);
  std::string error;
  try {
    SweepDatabase database(file);
    for (; recorded < kPoints; ++recorded) database.record(record_at(recorded));
  } catch (const RunError& full) {
    error = full.what();
  }
  limit.rlim_cur = all;
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, before);
  CHECK_THAT(error, Catch::Matchers::Contains("s.db") &&
                        Catch::Matchers::Contains("what was recorded before stands"));
  REQUIRE(recorded > 0);
  REQUIRE(recorded < kPoints);
  SweepDatabase database(file);
  CHECK(database.known().size() == static_cast<std::size_t>(recorded));
  CHECK_NOTHROW(database.record(record_at(recorded)));
}

TEST_CASE("The flat view has a row a point, numbers for axes of numbers, and a column for each metric",
          "[flat]") {
  const SweepFolder folder;
  const auto file = folder / "s.db";
  SweepSpec spec;
  spec.name = "odd name";
  spec.axes.resize(2);
  spec.axes[0].name = "ep";
  spec.axes[1].name = "order";
  for (const char* value : {"4", "16"}) spec.axes[0].values.emplace_back().label = value;
  for (const char* value : {"full", "it's"}) spec.axes[1].values.emplace_back().label = value;
  SweepRecord second = record_at(2);
  second.metrics.push_back({"forward", "blame.link", 0.5, "ms"});
  {
    SweepDatabase database(file);
    database.begin(spec, {{0, 0}, {1, 1}, {0, 1}}, {"point1", "point2", "point3"});
    database.record(record_at(1));
    database.record(second);
  }
  SQLite::Database read(file.string());
  SQLite::Statement rows(
      read,
      "SELECT position, status, ep, typeof(ep), \"order\", latency, forward_blame_link FROM "
      "\"points_odd name\" WHERE ep > 3");
  REQUIRE(rows.executeStep());
  CHECK(rows.getColumn(2).getInt() == 4);
  CHECK(rows.getColumn(3).getString() == "integer");
  CHECK(rows.getColumn(5).getDouble() == 0.1);
  CHECK(rows.getColumn(6).isNull());
  REQUIRE(rows.executeStep());
  CHECK(rows.getColumn(2).getInt() == 16);
  CHECK(rows.getColumn(4).getString() == "it's");
  CHECK(rows.getColumn(6).getDouble() == 0.5);
  REQUIRE(rows.executeStep());
  CHECK(rows.getColumn(1).isNull());  // has not run
  CHECK_FALSE(rows.executeStep());
  CHECK_NOTHROW(SweepDatabase(file));  // views are nobody's alteration
}

}  // namespace
}  // namespace a3sim
