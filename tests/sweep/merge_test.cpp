#include <catch2/catch.hpp>
#include <fstream>

#include "sim/core/error.h"
#include "sim/sweep/database.h"
#include "tests/experiment/saved.h"

using namespace a3sim;
using Catch::Matchers::Contains;

namespace {

const std::vector<std::string> kIds{"a", "b", "c"};

// A database of a sweep over one axis that has recorded some of its three points.
class Part {
 public:
  explicit Part(std::filesystem::path path, const std::string& text = "sweep")
      : file(std::move(path)), database_(file) {
    SweepSpec spec;
    spec.name = "planted";
    spec.text = text;
    spec.axes = {{"ep", {{"2", {}}, {"4", {}}, {"8", {}}}, 0}};
    database_.begin(spec, {{0}, {1}, {2}}, kIds);
  }
  void done(const std::string& id, double value) {
    SweepRecord record;
    record.id = id;
    record.config.resolved = "config of " + id;
    record.metrics = {{"total", "latency", value, "ms"}};
    database_.record(record);
  }
  void failed(const std::string& id) {
    SweepRecord record;
    record.id = id;
    record.error = "no luck";
    database_.record(record);
  }
  MergedPoints add(const std::filesystem::path& other) { return database_.add(other); }
  std::map<std::string, KnownPoint> known() const { return database_.known(); }

  std::filesystem::path file;

 private:
  SweepDatabase database_;
};

}  // namespace

TEST_CASE("databases of shards, added in any order and twice, are the database of all points") {
  const TemporaryFolder folder;
  Part first(folder.path() / "1.db"), second(folder.path() / "2.db"), all(folder.path() / "all.db");
  first.done("a", 1);
  second.done("b", 2);
  second.failed("c");
  CHECK(all.add(second.file).added == 2);
  CHECK(all.add(first.file).added == 1);
  const MergedPoints again = all.add(second.file);
  CHECK(again.points == 2);
  CHECK(again.added == 0);
  const auto known = all.known();
  REQUIRE(known.size() == 3);
  CHECK(known.at("a").error.empty());
  CHECK(known.at("c").error == "no luck");
  CHECK(known.at("b").metrics.contains("latency"));
}

TEST_CASE("a point that failed in one database and is done in another is done, whichever comes first") {
  const TemporaryFolder folder;
  Part failed(folder.path() / "1.db"), done(folder.path() / "2.db");
  failed.failed("a");
  done.done("a", 1);
  Part one(folder.path() / "one.db"), other(folder.path() / "other.db");
  one.add(failed.file);
  one.add(done.file);
  other.add(done.file);
  other.add(failed.file);
  CHECK(one.known().at("a").error.empty());
  CHECK(other.known().at("a").error.empty());
}

TEST_CASE("databases that contradict each other are refused, and nothing of the second is added") {
  const TemporaryFolder folder;
  Part all(folder.path() / "all.db"), value(folder.path() / "value.db");
  all.done("a", 1);
  value.done("a", 1.5);
  value.done("b", 2);
  CHECK_THROWS_WITH(all.add(value.file), Contains("value.db") && Contains("point a"));
  CHECK(all.known().size() == 1);
  Part text(folder.path() / "text.db", "another file");
  text.done("b", 2);
  CHECK_THROWS_WITH(all.add(text.file), Contains("text.db") && Contains("'planted' is another one"));
  CHECK(all.known().size() == 1);
  CHECK_THROWS_WITH(all.add(all.file), Contains("itself"));
}

TEST_CASE("what is no database of sweeps is not added") {
  const TemporaryFolder folder;
  Part all(folder.path() / "all.db");
  std::ofstream(folder.path() / "text.db") << "some text that is longer than the header of a database, which "
                                              "is 100 bytes long, so that it is read\n";
  CHECK_THROWS_AS(all.add(folder.path() / "text.db"), InputError);
}
