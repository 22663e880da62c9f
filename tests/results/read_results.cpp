#include <catch2/catch.hpp>
#include <fstream>

#include "sim/core/error.h"
#include "sim/sweep/results/points_view.h"
#include "tests/results/made_database.h"

using namespace a3sim;
using Catch::Contains;

namespace {

std::string points_csv(const SweepResults& sweep, const std::string& pass,
                       const std::vector<std::string>& metrics) {
  Report report;
  add_points(sweep, pass, metrics, report);
  return report.table(kResultRows).csv();
}

// EP 16 before 8; the second point has failed, the third has not run.
void write_three_points(MadeDatabase& database) {
  database.sweep("s", {"ep", "order"});
  database.position("s", 0, "a", {{"ep", "16"}, {"order", "full"}});
  database.position("s", 1, "b", {{"ep", "8"}, {"order", "naive"}});
  database.position("s", 2, "c", {{"ep", "8"}, {"order", "full"}});
  database.failed("b", "out of memory");
  database.done("a");
  database.metric("a", "total", "latency", 12.5, "ms");
  database.metric("a", "forward", "latency", 4.5, "ms");
  database.metric("a", "total", "blame.link", 2.5, "ms");
  database.metric("a", "total", "hit_rate", 62, "%");
}

}  // namespace

TEST_CASE("A sweep is read with its points in its order, whatever has run") {
  const ScratchDirectory scratch;
  {
    MadeDatabase database(scratch / "s.db");
    write_three_points(database);
  }
  const std::vector<SweepResults> sweeps = read_results(scratch / "s.db");
  REQUIRE(sweeps.size() == 1);
  const SweepResults& s = sweeps[0];
  CHECK(s.count(PointStatus::kDone) == 1);
  CHECK(s.count(PointStatus::kFailed) == 1);
  CHECK(s.count(PointStatus::kNotRun) == 1);
  CHECK(s.points[1].error == "out of memory");
  CHECK(s.axes[0].values == std::vector<std::string>{"8", "16"});
  CHECK(s.value(0, 0) == "16");
  CHECK(points_csv(s, "total", {}) ==
        "ep,order,status,latency_ms,hit_rate_percent,blame_link_ms\n"
        "16,full,done,12.5,62,2.5\n"
        "8,naive,failed,,,\n"
        "8,full,not run,,,\n");
  CHECK(points_csv(where(s, "ep=16"), "forward", {"latency"}) ==
        "ep,order,status,latency_ms\n16,full,done,4.5\n");
}
