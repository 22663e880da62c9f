#include "traces/analysis/segments.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "traces/analysis/median.h"

namespace a3sim {
namespace {

TEST_CASE("segments sum exactly to the step and are those of a look at each picosecond") {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    FullStep step;
    const auto date = [&] { return static_cast<std::int64_t>(random() % 120); };
    for (int i = 0; i < 6; ++i) {
      OperatorRecord of;
      of.rank = static_cast<std::uint32_t>(random() % 2);
      of.lane = random() % 2 == 0 ? Lane::kCompute : Lane::kCommunication;
      of.start = Duration(date());
      of.end = of.start + Duration(date() / 4);
      step.operators.push_back(of);
      HostRecord host;
      host.rank = of.rank;
      host.start = Duration(date());
      host.end = host.start + Duration(date() / 4);
      step.host.push_back(host);
    }
    const Duration start(10), end(110);
    Segments brute;
    for (Duration at = start; at < end; ++at) {
      bool lanes[3] = {};
      for (const OperatorRecord& of : step.operators)
        if (of.rank == 0 && of.start <= at && at < of.end) lanes[static_cast<int>(of.lane)] = true;
      for (const HostRecord& of : step.host)
        if (of.rank == 0 && of.start <= at && at < of.end) lanes[0] = true;
      if (lanes[1] && (lanes[0] || lanes[2]))
        ++brute.overlap;
      else if (lanes[1])
        ++brute.compute;
      else if (lanes[2])
        ++brute.communication;
      else if (lanes[0])
        ++brute.host;
      else
        ++brute.free;
    }
    const Segments found = segments(step, 0, start, end);
    REQUIRE(found.total() == end - start);
    REQUIRE(found.overlap == brute.overlap);
    REQUIRE(found.compute == brute.compute);
    REQUIRE(found.communication == brute.communication);
    REQUIRE(found.host == brute.host);
    REQUIRE(found.free == brute.free);
  }
}

TEST_CASE("a median polish gives back the row and the column that a table was made of") {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  for (const std::size_t ranks : {4U, 8U, 16U}) {
    std::vector<std::vector<double>> cells(ranks, std::vector<double>(ranks));
    for (std::size_t s = 0; s < ranks; ++s) {
      for (std::size_t d = 0; d < ranks; ++d)
        cells[s][d] = s == d ? kNothing : 0.1 - (s == 1 ? 0.7 : 0) - (d == 2 ? 0.4 : 0);
    }
    cells[3][0] -= 1.5;
    const MedianPolish polish = median_polish(cells);
    CHECK(polish.overall == Approx(0.1));
    CHECK(polish.rows[1] == Approx(-0.7));
    CHECK(polish.columns[2] == Approx(-0.4));
    CHECK(polish.rest[3][0] == Approx(-1.5));
    CHECK(std::isnan(polish.rest[0][0]));
    for (std::size_t s = 0; s < ranks; ++s)
      for (std::size_t d = 0; d < ranks; ++d)
        if (s != d)
          CHECK(polish.overall + polish.rows[s] + polish.columns[d] + polish.rest[s][d] ==
                Approx(cells[s][d]));
  }
}

}  // namespace
}  // namespace a3sim
