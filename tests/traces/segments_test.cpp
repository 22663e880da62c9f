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
    const auto time = [&] { return static_cast<std::int64_t>(random() % 120); };
    for (int i = 0; i < 6; ++i) {
      OperatorRecord record;
      record.rank = static_cast<std::uint32_t>(random() % 2);
      record.lane = random() % 2 == 0 ? Lane::kCompute : Lane::kCommunication;
      record.start = Duration(time());
      record.end = record.start + Duration(time() / 4);
      step.operators.push_back(record);
      HostRecord host;
      host.rank = record.rank;
      host.start = Duration(time());
      host.end = host.start + Duration(time() / 4);
      step.host.push_back(host);
    }
    const Duration start(10), end(110);
    Segments brute;
    for (Duration at = start; at < end; ++at) {
      bool lanes[3] = {};
      for (const OperatorRecord& record : step.operators)
        if (record.rank == 0 && record.start <= at && at < record.end)
          lanes[static_cast<int>(record.lane)] = true;
      for (const HostRecord& event : step.host)
        if (event.rank == 0 && event.start <= at && at < event.end) lanes[0] = true;
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
