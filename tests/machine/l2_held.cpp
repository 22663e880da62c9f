#include <catch2/catch.hpp>
#include <numeric>

#include "sim/core/rng.h"
#include "sim/memory/l2/policy.h"

using namespace a3sim;

namespace {

constexpr std::uint64_t kHeldPiece = 128 * kL2Line;

// Three tensors: with parts, with rows of no whole lines, with pieces of few rows.
const std::vector<L2Tensor> kHeldTensors{
    {700, 4 * kL2Line, {0, 130, 500}}, {900, 2 * kL2Line + 256, {}}, {300, 3 * kL2Line, {}, 8}};

// Reads the whole tensor past the L2, which changes nothing, and returns the bytes that were there.
std::uint64_t probed(L2& l2, std::uint32_t tensor) {
  const L2Tensor& whole = kHeldTensors[tensor];
  const L2Access read{TensorId{tensor}, {0, whole.rows}, 0, whole.row_bytes, OpId{0}, false, L2Hint::kBypass};
  return l2.access(read).read.hit * kL2Request;
}

// Rectangles as tasks ask for them: whole rows, whole columns of a part, or any.
L2Access any_access(Rng& rng) {
  const std::uint32_t t = rng.below(3), kind = rng.below(3);
  const L2Tensor& tensor = kHeldTensors[t];
  L2Access access{TensorId{t}, {0, tensor.rows}, 0, tensor.row_bytes, OpId{rng.below(2)}, rng.below(3) == 0};
  if (kind != 1) {
    const std::uint32_t row = rng.below(tensor.rows);
    access.rows = {row, std::min(tensor.rows, row + 1 + rng.below(200))};
  }
  if (kind != 0) {
    access.byte_begin = kL2Line * rng.below(tensor.row_bytes / kL2Line);
    access.byte_end = access.byte_begin + kL2Line;
  }
  if (kind == 2 && rng.below(4) == 0) access.hint = L2Hint::kPersist;
  return access;
}

}  // namespace

TEST_CASE("what an L2 holds of each tensor is what reads of the tensor find, under every policy") {
  for (const auto& [name, item] : Registry<L2Policy>::all()) {
    INFO(name);
    const L2Spec spec{.size = {static_cast<std::int64_t>(9 * kHeldPiece)}, .ways = 8, .policy = name};
    const auto l2 = make_piece_l2(spec, kHeldTensors, 2);
    CHECK(l2->held() == std::vector<std::uint64_t>(3, 0));
    Rng rng(17);
    bool evicted = false;
    for (int i = 0; i < 400; ++i) {
      l2->access(any_access(rng));
      const std::vector<std::uint64_t> held = l2->held();
      REQUIRE(held.size() == 3);
      const std::uint64_t all = std::accumulate(held.begin(), held.end(), std::uint64_t{0});
      REQUIRE(all == l2->used());
      REQUIRE(all <= 9 * kHeldPiece);
      evicted = evicted || l2->total().hbm_write > 0;
      if (i % 7 == 0)
        for (std::uint32_t t = 0; t < 3; ++t) REQUIRE(held[t] == probed(*l2, t));
    }
    CHECK(evicted);
    l2->flush();
    CHECK(l2->held() == std::vector<std::uint64_t>(3, 0));
  }
}
