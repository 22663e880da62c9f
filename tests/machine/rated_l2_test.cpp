#include <catch2/catch.hpp>

#include "sim/memory/l2/l2.h"

using namespace a3sim;

TEST_CASE("an L2 that answers at rates keeps them over all accesses, however small they are") {
  const L2Rates rates[] = {{}, {.read_hit = 0.7, .hbm_read = 0.25, .hbm_written = 0.125}};
  const std::unique_ptr<L2> l2 = make_rated_l2(rates);
  constexpr std::uint64_t kAccesses = 999;
  std::uint64_t bytes = 0, requests = 0;
  for (std::uint32_t i = 0; i < kAccesses; ++i) {
    L2Access access{.rows = {0, 1 + i % 3}, .byte_begin = 0, .byte_end = 128, .op = OpId{1}};
    bytes += 128 * access.rows.size();
    requests += access.rows.size();
    const L2Traffic traffic = l2->access(access);
    CHECK(traffic.read.hit + traffic.read.miss == access.rows.size());
    access.op = OpId{0};
    CHECK(l2->access(access) == L2Traffic{.read = {.hit = access.rows.size()}, .write = {}});
  }
  const L2Traffic& traffic = l2->total(OpId{1});
  const auto near = [](std::uint64_t value, double expected) {
    CHECK(static_cast<double>(value) == Approx(expected).margin(1));
  };
  near(traffic.read.miss, 0.3 * static_cast<double>(requests));
  near(traffic.hbm_read, 0.25 * static_cast<double>(bytes));
  near(traffic.hbm_write, 0.125 * static_cast<double>(bytes));
}

TEST_CASE("writes to an L2 that answers at rates read nothing") {
  const L2Rates rates[] = {{.read_hit = 0, .hbm_read = 1, .hbm_written = 0.5}};
  const std::unique_ptr<L2> l2 = make_rated_l2(rates);
  L2Access access{.rows = {0, 4}, .byte_begin = 0, .byte_end = 256, .write = true};
  const L2Traffic traffic = l2->access(access);
  CHECK(traffic.write.hit == 8);
  CHECK(traffic.hbm_read == 0);
  CHECK(traffic.hbm_write == 512);
  access.rows = {};
  CHECK(l2->access(access) == L2Traffic{});
}
