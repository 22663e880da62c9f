#include "traces/analysis/segments.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

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

}  // namespace
}  // namespace a3sim
