#include "sim/core/units.h"

#include <catch2/catch.hpp>
#include <limits>

#include "sim/core/rng.h"

namespace a3sim {
namespace {

constexpr std::int64_t kPicoseconds = 1'000'000'000'000;  // in a second

TEST_CASE("Literals count in their base units") {
  CHECK((1_us).count() == 1'000'000);
  CHECK(1_us == 1000_ns);
  CHECK(1_ns == 1000_ps);
  CHECK(1_MiB == 1024_KiB);
  CHECK(1_KiB == 1024_B);
}

TEST_CASE("A transfer takes its exact time when that is whole, and the next picosecond when it is not") {
  CHECK(transfer_time(3_B, BytesPerSecond{kPicoseconds}) == 3_ps);
  CHECK(transfer_time(1_B, BytesPerSecond{kPicoseconds - 1}) == 2_ps);
  CHECK(transfer_time(1_B, BytesPerSecond{kPicoseconds + 1}) == 1_ps);
  CHECK(transfer_time(0_B, BytesPerSecond{1}) == 0_ps);
  CHECK(cycles_time(2, Hertz{3}) == Duration(2 * kPicoseconds / 3 + 1));
}

TEST_CASE("A transfer never beats its link, by less than a picosecond") {
  Rng rng(4);
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t amount = rng.next() >> 30, rate = 1 + static_cast<std::int64_t>(rng.next() >> 22);
    const __int128 work = static_cast<__int128>(amount) * kPicoseconds;
    const __int128 time = ceil_time(amount, rate).count();
    REQUIRE(time * rate >= work);
    REQUIRE((time - 1) * rate < work);
  }
}

TEST_CASE("Large transfers do not overflow on the way to a time that fits") {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  CHECK(transfer_time({kMost}, BytesPerSecond{kPicoseconds}) == Duration(kMost));
}

TEST_CASE("Times are shown in seconds and their parts") {
  CHECK(seconds(1'500_us) == Approx(0.0015));
  CHECK(milliseconds(1'500_us) == Approx(1.5));
  CHECK(microseconds(1'500_ns) == Approx(1.5));
}

TEST_CASE("Sizes add, subtract, multiply and compare") {
  Bytes size = 1_KiB + 24_B;
  size += 8_B;
  CHECK(size - 32_B == 1_KiB);
  CHECK(1_KiB * 3 == 3072_B);
  CHECK(1_KiB < 1_MiB);
}

}  // namespace
}  // namespace a3sim
