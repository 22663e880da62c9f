#include "sim/runtime/cable_records.h"

#include <catch2/catch.hpp>

namespace a3sim {
namespace {

// A time in parts of a record, 16 ns each at first.
constexpr std::int64_t kPart = 1 << 14;
Time at(std::int64_t parts) { return Time(Duration(parts * kPart)); }

// Records one cable beside an idle one.
class OneRecord {
 public:
  void note(std::int64_t time, double rate, bool full) {
    const std::vector<double> rates{0, rate};
    records_.note(at(time), rates);
    records_.note_full(at(time), 1, full);
  }
  std::vector<double> means(std::int64_t until, std::size_t stretches) const {
    for (const double idle : records_.means(0, at(until), stretches)) CHECK(idle == 0);
    return records_.means(1, at(until), stretches);
  }
  std::vector<CableStretch> full(std::int64_t until) const { return records_.full_stretches(1, at(until)); }

 private:
  CableRecords records_{2};
};

}  // namespace

TEST_CASE("What a cable carried is averaged over equal stretches, and full ones that touch are one") {
  OneRecord record;
  record.note(0, 0, false);
  record.note(10, 50, false);
  record.note(30, 100, true);
  record.note(35, 80, true);  // a cable that got slower
  record.note(50, 0, false);
  record.note(70, 100, true);
  const std::vector<CableStretch> full = record.full(80);
  REQUIRE(full.size() == 2);
  CHECK(full[0].from == Duration(30 * kPart));
  CHECK(full[0].to == Duration(50 * kPart));
  CHECK(full[1].from == Duration(70 * kPart));
  CHECK(full[1].to == Duration(80 * kPart));
  // Stretches of 20 parts: 10 at 50; 10 at 50, 5 at 100, 5 at 80; 10 at 80; 10 at 100.
  const std::vector<double> means = record.means(80, 4);
  REQUIRE(means.size() == 4);
  CHECK(means[0] == Approx(10 * 50 / 20.0));
  CHECK(means[1] == Approx((10 * 50 + 5 * 100 + 5 * 80) / 20.0));
  CHECK(means[2] == Approx(10 * 80 / 20.0));
  CHECK(means[3] == Approx(10 * 100 / 20.0));
}

TEST_CASE("Two rates at one time are the later one, and a record ends with the run") {
  OneRecord record;
  record.note(5, 10, true);
  record.note(5, 20, false);
  CHECK(record.full(50).empty());
  CHECK(record.means(10, 1)[0] == Approx(10));
  record.note(50, 30, true);
  CHECK(record.full(50).empty());
  CHECK(record.full(60).size() == 1);
}

TEST_CASE("A long record keeps all bytes and tells where they were sent") {
  OneRecord record;
  double sent = 0;
  constexpr std::int64_t kStep = 777;
  for (std::int64_t i = 0; i < 2000; ++i) {
    record.note(i * kStep, i % 2 == 0 ? 3 : 7, false);
    sent += (i % 2 == 0 ? 3.0 : 7.0) * kStep;
  }
  double sum = 0;
  for (const double mean : record.means(2000 * kStep, 10)) {
    CHECK(mean == Approx(5).epsilon(0.01));
    sum += mean * 200 * kStep;
  }
  CHECK(sum == Approx(sent).epsilon(1e-12));
  record.note(2000 * kStep, 0, false);
  CHECK(record.means(4000 * kStep, 2)[0] == Approx(5).epsilon(0.01));
  CHECK(record.means(4000 * kStep, 2)[1] == Approx(0).margin(0.01));
}

}  // namespace a3sim
