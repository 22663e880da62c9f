#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "sim/memory/l2/piece_l2.h"
#include "tests/machine/l2_kernels.h"

using namespace a3sim;

namespace {

constexpr std::uint32_t kWholeK = 1 << 20;  // one access a panel
constexpr double kPoint = 0.01;

struct Both {
  L2Traffic exact, fast;
};

// Both modes on the same kernel: every line at its own time, and pieces as a runtime would look them up.
Both check_modes_agree(const L2Kernel& each_load, const L2Kernel& coarse, Bytes size) {
  const L2Spec spec{.size = size};
  const auto exact = make_line_l2(spec, each_load.tensors, each_load.ops);
  const auto fast = make_piece_l2(spec, coarse.tensors, coarse.ops);
  const L2Traffic a = replay(*exact, each_load), b = replay(*fast, coarse);
  CHECK(a.read.hit + a.read.miss == b.read.hit + b.read.miss);
  CHECK(a.write.hit + a.write.miss == b.write.hit + b.write.miss);
  CHECK(b.read.hit_rate() == Approx(a.read.hit_rate()).margin(kPoint));
  CHECK(b.write.hit_rate() == Approx(a.write.hit_rate()).margin(kPoint));
  return {a, b};
}

}  // namespace

TEST_CASE("l2 modes: a product that fits misses each operand once") {
  constexpr std::uint32_t kM = 512, kN = 1024, kK = 768;
  const L2Kernel c = matmul_kernel({kM, kN, kK}, kLoadK);
  const auto l2 = make_line_l2({.size = 192_MiB}, c.tensors, c.ops);
  const L2Traffic traffic = replay(*l2, c);
  constexpr std::uint64_t kElements = std::uint64_t{kM} * kK + std::uint64_t{kK} * kN;
  constexpr std::uint64_t kLoads = std::uint64_t{kM} * kK * (kN / 256) + std::uint64_t{kK} * kN * (kM / 128);
  CHECK(traffic.read.miss == kElements * 2 / kL2Request);
  CHECK(traffic.read.hit + traffic.read.miss == kLoads * 2 / kL2Request);
  CHECK(traffic.write.miss == std::uint64_t{kM} * kN * 2 / kL2Request);
}

TEST_CASE("l2 modes: agree on products smaller than the L2 and larger, in all orders and skews") {
  for (std::uint32_t size : {2048U, 4096U}) {
    for (BlockOrder order : {BlockOrder::kRowMajor, BlockOrder::kDiagonal}) {
      for (Skew skew : {Skew::kNone, Skew::kStep, Skew::kRandom}) {
        INFO(size << ", order " << name_of(order) << ", skew " << name_of(skew));
        const MatmulCase what{size, size, size, order, skew};
        check_modes_agree(matmul_kernel(what, kLoadK), matmul_kernel(what, 2 * kLoadK), 48_MiB);
      }
    }
  }
}

TEST_CASE("l2 modes: agree on a product whose panels are thrashed") {
  const MatmulCase what{6144, 6144, 6144, BlockOrder::kRowMajor};
  const Both both = check_modes_agree(matmul_kernel(what, kLoadK), matmul_kernel(what, 4 * kLoadK), 48_MiB);
  CHECK(both.exact.read.hit_rate() < 0.5);
}

TEST_CASE("l2 modes: agree on products at full size with one look-up a panel") {
  for (const MatmulCase what : {MatmulCase{4096, 4096, 7168, BlockOrder::kDiagonal, Skew::kRandom},
                                MatmulCase{4096, 7168, 2048, BlockOrder::kDiagonal},
                                MatmulCase{6144, 6144, 6144, BlockOrder::kDiagonal}}) {
    check_modes_agree(matmul_kernel(what, kLoadK), matmul_kernel(what, kWholeK), 192_MiB);
  }
}

TEST_CASE("l2 modes: agree on SwiGLU and Add, after one another and interleaved") {
  for (std::uint32_t rows : {2048U, 4096U, 8192U, 16384U, 32768U}) {
    for (bool interleaved : {false, true}) {
      INFO(rows << (interleaved ? " interleaved" : " serial"));
      const L2Kernel c = swiglu_add_kernel({.rows = rows, .tile_rows = 128, .interleaved = interleaved});
      check_modes_agree(c, c, 192_MiB);
    }
  }
}

TEST_CASE("l2 modes: agree on the backward's products, and interleaving saves reads from HBM in both") {
  std::array<Both, 2> orders;
  for (bool interleaved : {false, true}) {
    const BackwardCase what{
        .experts = 2, .rows = 2048, .hidden = 3584, .intermediate = 1024, .interleaved = interleaved};
    orders[interleaved] =
        check_modes_agree(backward_kernel(what, kLoadK), backward_kernel(what, kWholeK), 48_MiB);
  }
  const auto bytes = [](const L2Traffic& traffic) { return static_cast<double>(traffic.hbm_read); };
  CHECK(bytes(orders[1].exact) < 0.85 * bytes(orders[0].exact));
  for (const Both& both : orders) CHECK(bytes(both.fast) == Approx(bytes(both.exact)).epsilon(0.05));
}
