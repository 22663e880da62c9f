#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "sim/core/error.h"
#include "tests/results/made_database.h"

using namespace a3sim;
using Catch::Contains;

namespace {

constexpr int kPoints = 50;

void write_points(MadeDatabase& database, int from, int to) {
  SQLite::Transaction transaction(database.db());
  for (int i = from; i < to; ++i) {
    const std::string point = fmt::format("p{}", i);
    database.position("s", i, point, {{"ep", fmt::format("{}", i)}});
    database.done(point);
    database.metric(point, "total", "latency", i, "ms");
  }
  transaction.commit();
}

// A finished sweep: SQLite has taken the log in and removed it.
fs::path finished(const ScratchDirectory& scratch) {
  MadeDatabase database(scratch / "s.db");
  database.sweep("s", {"ep"});
  write_points(database, 0, kPoints);
  return scratch / "s.db";
}

// What is there when a sweep is killed: a log that nobody took in.
fs::path killed(const ScratchDirectory& scratch, bool index) {
  const fs::path file = scratch / "killed.db";
  MadeDatabase database(scratch / "s.db");
  database.sweep("s", {"ep"});
  write_points(database, 0, kPoints);
  for (const char* suffix : {"", "-wal", "-shm"}) {
    if (index || std::string(suffix) != "-shm")
      fs::copy_file(scratch / (std::string("s.db") + suffix), file.string() + suffix);
  }
  return file;
}

std::vector<std::string> files_in(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

// Whether it works for somebody who may only read there.
bool works_for_a_reader(const fs::path& directory, const std::function<bool()>& work) {
  constexpr unsigned kNobody = 65534;
  fs::permissions(directory, fs::perms(0555));
  const pid_t child = ::fork();
  if (child == 0) {
    bool good = false;
    try {
      good = (::geteuid() != 0 || ::setuid(kNobody) == 0) && work();
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}\n", error.what());
    }
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  fs::permissions(directory, fs::perms(0755));
  return status == 0;
}

std::size_t done_points(const fs::path& file) { return read_results(file).at(0).count(PointStatus::kDone); }

void write(const fs::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary) << content;
}

}  // namespace

TEST_CASE("Reading a finished sweep leaves nothing behind") {
  const ScratchDirectory scratch;
  const fs::path file = finished(scratch);
  CHECK(done_points(file) == kPoints);
  CHECK(files_in(scratch.path()) == std::vector<std::string>{"s.db"});
}

TEST_CASE("A killed sweep is read up to its last commit, with and without the log's index") {
  const bool index = GENERATE(true, false);
  const ScratchDirectory scratch;
  CHECK(done_points(killed(scratch, index)) == kPoints);
}

TEST_CASE("A running sweep is read as it stood at its last commit, and goes on") {
  const ScratchDirectory scratch;
  MadeDatabase database(scratch / "s.db");
  database.sweep("s", {"ep"});
  write_points(database, 0, kPoints);
  SQLite::Transaction transaction(database.db(), SQLite::TransactionBehavior::IMMEDIATE);
  database.done("uncommitted");
  CHECK(done_points(scratch / "s.db") == kPoints);
  transaction.commit();
  write_points(database, kPoints, 2 * kPoints);
  CHECK(done_points(scratch / "s.db") == 2 * kPoints);
}

TEST_CASE("Databases in a directory that is not ours to write are read, killed ones too") {
  const ScratchDirectory scratch;
  fs::path file;
  SECTION("finished") { file = finished(scratch); }
  SECTION("killed") { file = killed(scratch, true); }
  SECTION("killed, and the index is gone") { file = killed(scratch, false); }
  CHECK(works_for_a_reader(scratch.path(), [&] { return done_points(file) == kPoints; }));
}

TEST_CASE("What is no sweep's database is refused, and the file is named") {
  const ScratchDirectory scratch;
  const fs::path file = scratch / "f.db";
  const auto refused = [&](const std::string& why) {
    CHECK_THROWS_AS(read_results(file), InputError);
    CHECK_THROWS_WITH(read_results(file), Contains("f.db") && Contains(why));
  };
  SECTION("missing") { refused("no such file"); }
  SECTION("a directory") {
    fs::create_directory(file);
    refused("is no file");
  }
  SECTION("empty") {
    write(file, "");
    refused("no sweep has begun");
  }
  SECTION("text") {
    write(file, std::string(5000, 'x'));
    refused("no database");
  }
  SECTION("another application's") {
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE t (x)");
    refused("not one of 'a3sim sweep'");
  }
  SECTION("a newer one") {
    MadeDatabase(file).db().exec(fmt::format("PRAGMA user_version = {}", kSchemaVersion + 1));
    refused("a newer a3sim");
  }
  SECTION("tables are missing") {
    MadeDatabase(file).db().exec("DROP TABLE metric");
    MadeDatabase::reopened(file).sweep("s", {"ep"});
    refused("the description of its tables was altered");
  }
  SECTION("cut off") {
    fs::copy_file(finished(scratch), file);
    fs::resize_file(file, fs::file_size(file) / 2 / 4096 * 4096);
    refused("corrupted");
  }
  SECTION("overwritten") {
    fs::copy_file(finished(scratch), file);
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(4096);
    stream << std::string(3 * 4096, '\x5a');
    stream.close();
    refused("corrupted");
  }
}

TEST_CASE("A metric in two units is refused") {
  const ScratchDirectory scratch;
  {
    MadeDatabase database(scratch / "s.db");
    database.sweep("s", {"ep"});
    write_points(database, 0, 2);
    database.metric("p0", "total", "sent", 1, "MB");
    database.metric("p1", "total", "sent", 1, "GB");
  }
  CHECK_THROWS_WITH(read_results(scratch / "s.db"), Contains("'MB'") && Contains("'GB'"));
}

TEST_CASE("Names are shown on one line and as UTF-8, whatever was written") {
  const ScratchDirectory scratch;
  {
    MadeDatabase database(scratch / "s.db");
    database.sweep("s", {"ep"});
    database.position("s", 0, "a", {{"ep", "µ \"x\"\\"}});
    database.position("s", 1, "b", {{"ep", "\xff"}});
    database.failed("b", "first\nsecond");
  }
  const SweepResults sweep = read_results(scratch / "s.db").at(0);
  CHECK(sweep.value(0, 0) == "µ \"x\"\\");
  CHECK(sweep.value(1, 0) == "?");
  CHECK(sweep.points[1].error == "first second");
}
