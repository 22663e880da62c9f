#include "sim/runtime/cable_record.h"

#include <catch2/catch.hpp>

namespace a3sim {
namespace {

Time at(std::int64_t picoseconds) { return Time(Duration(picoseconds)); }

}  // namespace

TEST_CASE("What a cable carried is averaged over equal stretches, and full ones that touch are one") {
  CableRecord record;
  record.note(at(0), 0, false);
  record.note(at(10), 50, false);
  record.note(at(30), 100, true);
  record.note(at(35), 80, true);  // a cable that got slower
  record.note(at(50), 0, false);
  record.note(at(70), 100, true);
  const std::vector<CableStretch> full = record.full_stretches(at(80));
  REQUIRE(full.size() == 2);
  CHECK(full[0].from == Duration(30));
  CHECK(full[0].to == Duration(50));
  CHECK(full[1].from == Duration(70));
  CHECK(full[1].to == Duration(80));
  // Stretches of 20 ps: 10 at 50; 10 at 50, 5 at 100, 5 at 80; 10 at 80; 10 at 100.
  const std::vector<double> means = record.means(at(80), 4);
  REQUIRE(means.size() == 4);
  CHECK(means[0] == Approx(10 * 50 / 20.0));
  CHECK(means[1] == Approx((10 * 50 + 5 * 100 + 5 * 80) / 20.0));
  CHECK(means[2] == Approx(10 * 80 / 20.0));
  CHECK(means[3] == Approx(10 * 100 / 20.0));
}

TEST_CASE("Two rates at one date are the later one, and a record ends with the run") {
  CableRecord record;
  record.note(at(5), 10, true);
  record.note(at(5), 20, false);
  record.note(at(90), 30, true);
  CHECK(record.full_stretches(at(50)).empty());
  CHECK(record.means(at(10), 1)[0] == Approx(10));
}

// Parts get longer as time goes on, up to a thousand picoseconds here.
TEST_CASE("A long record keeps all bytes and tells where they were sent") {
  CableRecord record;
  double sent = 0;
  constexpr std::int64_t kStep = 777;
  for (std::int64_t i = 0; i < 2000; ++i) {
    record.note(at(i * kStep), i % 2 == 0 ? 3 : 7, false);
    sent += (i % 2 == 0 ? 3.0 : 7.0) * kStep;
  }
  const std::vector<double> means = record.means(at(2000 * kStep), 10);
  double sum = 0;
  for (const double mean : means) {
    CHECK(mean == Approx(5).epsilon(0.01));
    sum += mean * 200 * kStep;
  }
  CHECK(sum == Approx(sent).epsilon(1e-12));
  record.note(at(2000 * kStep), 0, false);
  CHECK(record.means(at(4000 * kStep), 2)[0] == Approx(5).epsilon(0.01));
  CHECK(record.means(at(4000 * kStep), 2)[1] == Approx(0).margin(0.01));
}

}  // namespace a3sim
