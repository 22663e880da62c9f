#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "models/operators/data.h"
#include "sim/check/plain_ffn.h"
#include "sim/check/tensors.h"
#include "sim/core/rng.h"

using namespace a3sim;

TEST_CASE("two ways to round, by bits and by the nearest multiple, agree on every kind of number") {
  Rng rng(5);
  for (const DataType dtype :
       {DataType::kBf16, DataType::kFp16, DataType::kFp32, DataType::kInt8, DataType::kInt32}) {
    for (int draw = 0; draw < 50'000; ++draw) {
      const auto bits = static_cast<std::uint32_t>(rng.next());
      // Every other one is a tie of bf16 or of fp16.
      const auto value = std::bit_cast<float>(draw % 4 == 1   ? (bits & 0xffff0000U) | 0x8000U
                                              : draw % 4 == 3 ? (bits & 0xffffe000U) | 0x1000U
                                                              : bits);
      if (std::isnan(value) || (dtype == DataType::kInt32 && std::isinf(value))) continue;
      const float a = plain::rounded(dtype, value), b = round_to(dtype, value);
      if (std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b)) continue;
      FAIL(name_of(dtype) << " of " << value << ": " << a << " and " << b);
    }
  }
}

TEST_CASE("bf16 keeps eight significant bits: to the nearest value, ties to the even one") {
  constexpr float kUlp = 0x1p-7F;  // of values in [1, 2)
  const auto rounds = [](float value, float expected) {
    for (const float sign : {1.0F, -1.0F}) {
      const auto bits = std::bit_cast<std::uint32_t>(sign * expected);
      CHECK(std::bit_cast<std::uint32_t>(plain::rounded(DataType::kBf16, sign * value)) == bits);
      CHECK(std::bit_cast<std::uint32_t>(round_to(DataType::kBf16, sign * value)) == bits);
    }
  };
  rounds(0, 0);
  rounds(1 + kUlp, 1 + kUlp);
  rounds(1 + kUlp / 2, 1);                 // 1 is even
  rounds(1 + 3 * kUlp / 2, 1 + 2 * kUlp);  // 1 + ulp is odd
  rounds(std::nextafter(1 + kUlp / 2, 2.0F), 1 + kUlp);
  rounds(std::nextafter(1 + 3 * kUlp / 2, 1.0F), 1 + kUlp);
  rounds(2 - kUlp / 2, 2);               // into the next power of two
  rounds(0x1p-133F, 0x1p-133F);          // the smallest subnormal
  rounds(0x1p-134F, 0);                  // half of it
  rounds(0x1.fep127F, 0x1.fep127F);      // the largest
  rounds(0x1.fefffep127F, 0x1.fep127F);  // just below half a step above it
  rounds(0x1.ffp127F, std::numeric_limits<float>::infinity());
  rounds(std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity());
}

TEST_CASE("no rounding makes a number of NaN, whatever its bits") {
  // A carry out of a NaN's low bits would give infinity or zero.
  for (const std::uint32_t bits : {0x7fc00000U, 0x7f800001U, 0x7fffffffU, 0xffffffffU, 0xff80ffffU}) {
    for (const DataType dtype : {DataType::kBf16, DataType::kFp16, DataType::kFp32}) {
      CHECK(std::isnan(plain::rounded(dtype, std::bit_cast<float>(bits))));
      CHECK(std::isnan(round_to(dtype, std::bit_cast<float>(bits))));
    }
  }
}

TEST_CASE("a unit of the last place is the distance to the next value of the type") {
  CHECK(plain::ulp(DataType::kBf16, 1.0) == 0x1p-7);
  CHECK(plain::ulp(DataType::kBf16, 1.99) == 0x1p-7);
  CHECK(plain::ulp(DataType::kBf16, -2.0) == 0x1p-6);
  CHECK(plain::ulp(DataType::kFp16, 1.0) == 0x1p-10);
  CHECK(plain::ulp(DataType::kFp16, 0.0) == 0x1p-24);
  CHECK(plain::ulp(DataType::kFp32, 1.0) == std::numeric_limits<float>::epsilon());
  CHECK(plain::ulp(DataType::kInt8, 100.0) == 1);
}

TEST_CASE("a comparison tells what differs, by how much, and what is no number") {
  const std::vector<TensorData> expected = {{1, 4, {1, 2, -3, 0}}, {1, 1, {5}}};
  std::vector<TensorData> actual = expected;
  CHECK(compare("t", DataType::kBf16, expected, actual).right());
  actual[0].values[1] = 2 + 3 * 0x1p-6F;
  actual[0].values[3] = -0.0F;  // another bit
  actual[1].values[0] = std::numeric_limits<float>::quiet_NaN();
  const TensorComparison differs = compare("t", DataType::kBf16, expected, actual);
  CHECK_FALSE(differs.right());
  CHECK(differs.elements == 5);
  CHECK(differs.different == 3);
  CHECK(differs.unwritten == 1);
  CHECK(differs.worst_ulp == 3);
}

// With one expert that every token goes to with weight 1, an FFN is a chain of three functions. Its gradients
// are compared with differences, in fp32 throughout.
TEST_CASE("the plain gradients are those of the plain forward pass") {
  constexpr MoeShape kShape{.tokens = 2,
                            .hidden = 3,
                            .intermediate = 2,
                            .top_k = 1,
                            .experts_per_rank = 1,
                            .ep = 1,
                            .dtype = DataType::kFp32};
  const plain::Routed routed{{{0, 0}}, {{0.75F, 0.5F}}};
  const auto matrix = [](std::uint64_t seed, std::uint32_t rows, std::uint32_t cols) {
    const TensorData drawn = random_tensor(DataType::kFp32, rows, cols, 1, seed, 0);
    plain::Matrix values;
    for (std::uint32_t r = 0; r < rows; ++r) values.emplace_back(drawn.row(r).begin(), drawn.row(r).end());
    return values;
  };
  plain::Parameters parameters{{matrix(1, 3, 4)}, {matrix(2, 2, 3)}};
  std::vector<plain::Matrix> tokens = {matrix(3, 2, 3)};
  const std::vector<plain::Matrix> d_output = {matrix(4, 2, 3)};
  const auto loss = [&] {
    const std::vector<plain::Matrix> output = plain::forward(kShape, routed, parameters, tokens);
    double sum = 0;
    for (std::size_t r = 0; r < 2; ++r) {
      for (std::size_t c = 0; c < 3; ++c) sum += output[0][r][c] * d_output[0][r][c];
    }
    return sum;
  };
  const plain::Backward gradients = plain::backward(kShape, routed, parameters, tokens, d_output);
  const auto check = [&](plain::Matrix& values, const plain::Matrix& gradient) {
    constexpr float kStep = 0x1p-6F;
    for (std::size_t r = 0; r < values.size(); ++r) {
      for (std::size_t c = 0; c < values[r].size(); ++c) {
        const float kept = values[r][c];
        values[r][c] = kept + kStep;
        const double above = loss();
        values[r][c] = kept - kStep;
        const double below = loss();
        values[r][c] = kept;
        CHECK(gradient[r][c] == Approx((above - below) / (2 * kStep)).margin(2e-4));
      }
    }
  };
  check(parameters.w1[0], gradients.d_w1[0]);
  check(parameters.w2[0], gradients.d_w2[0]);
  check(tokens[0], gradients.d_tokens[0]);
}
