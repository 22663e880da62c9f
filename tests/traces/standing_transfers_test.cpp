#include <catch2/catch.hpp>

#include "tests/traces/single_step.h"

namespace a3sim {
namespace {

// A put of a ms to every other rank, at a hundredth of the port's rate.
MadeObservation with_puts(double bytes, double ms = 1) {
  MadeObservation job = single_step();
  communicate_behind(job);
  for (std::uint32_t s = 0; s < kStepRanks; ++s)
    for (std::uint32_t d = 0; d < kStepRanks; ++d)
      if (s != d)
        job.full_records[0].transfers.push_back(
            MadeObservation::put(0, s, d, 6 + ms * ((d + 4 - s) % 4), ms, bytes));
  return job;
}

TEST_CASE("transfers below the ports' rate are small, not whole lines, or slowed by what runs beside them") {
  constexpr double kLines = 512 * 2000, kOdd = kLines + 8;
  MadeObservation small = with_puts(kLines);
  small.allowed().planes[0].startup = made_ms(0.5);
  const double flow = kLines / 100e9 * 1e3, part = flow / (flow + 0.5);
  const std::optional<Finding> size = found(small, "comm.small");
  REQUIRE(size);
  CHECK(size->lost_ms == Approx(kTransfers * (1 - part)));
  CHECK_FALSE(found(with_puts(kLines), "comm.small"));

  MadeObservation odd = with_puts(kOdd);
  odd.allowed().planes[0].alignment = 0.7;
  const std::optional<Finding> lines = found(odd, "comm.alignment");
  REQUIRE(lines);
  CHECK(lines->lost_ms == Approx(kTransfers * 0.3));
  MadeObservation whole = with_puts(kLines);
  whole.allowed().planes[0].alignment = 0.7;
  CHECK_FALSE(found(whole, "comm.alignment"));
  CHECK_FALSE(found(odd, "comm.small"));

  // Of two puts of the same bytes the one beside memory-bound work takes twice as long.
  MadeObservation shared = with_puts(kLines);
  for (TransferRecord& put : shared.full_records[0].transfers) {
    put.beside = put.dst % 2 == 0 ? 1 : 0;
    if (put.dst % 2 == 0) put.end += put.end - put.start;
  }
  const std::optional<Finding> sharing = found(shared, "comm.contention");
  REQUIRE(sharing);
  CHECK(sharing->factor == Approx(0.5));
  for (TransferRecord& put : shared.full_records[0].transfers) put.beside = 0;
  CHECK_FALSE(found(shared, "comm.contention"));
}

TEST_CASE("ports that are full leave nothing to gain by larger, whole or undisturbed transfers") {
  constexpr double kFull = 100e9 * 1e-3 + 8;  // bytes in a ms
  MadeObservation job = with_puts(kFull);
  job.allowed().planes[0].alignment = 0.7;
  job.allowed().planes[0].startup = made_ms(1);
  for (const char* cause : {"comm.small", "comm.alignment", "comm.contention"})
    CHECK_FALSE(found(job, cause));
}

}  // namespace
}  // namespace a3sim
