#include "sim/core/bucket_sort.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace a3sim {
namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Pairs drawn(std::mt19937_64& random, std::size_t count, std::uint64_t ends) {
  Pairs pairs;
  for (std::size_t i = 0; i < count; ++i) {
    const auto first = static_cast<std::uint32_t>(random() % ends);
    pairs.emplace_back(first, static_cast<std::uint32_t>(random() % 5));
  }
  return pairs;
}

}  // namespace

TEST_CASE("dealing to buckets sorts as sorting does, whatever is spread how") {
  std::mt19937_64 random(1);
  BucketSort<Pairs::value_type> sort;
  for (const std::size_t count : {0U, 1U, 31U, 32U, 33U, 1000U}) {
    for (const std::uint64_t ends :
         {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{997}, std::uint64_t{1} << 32}) {
      Pairs pairs = drawn(random, count, ends);
      Pairs expected = pairs;
      std::sort(expected.begin(), expected.end());
      sort.sort(std::span(pairs), ends, [](const auto& pair) { return pair.first; }, std::less<>());
      CHECK(pairs == expected);
    }
  }
}

TEST_CASE("dealing to buckets sorts all but one value of one bucket") {
  BucketSort<std::uint32_t> sort;
  std::vector<std::uint32_t> values = {4'000'000'000U};
  for (std::uint32_t i = 100; i > 0; --i) values.push_back(i);
  std::vector<std::uint32_t> expected = values;
  std::sort(expected.begin(), expected.end());
  sort.sort(
      std::span(values), std::uint64_t{1} << 32, [](std::uint32_t value) { return value; }, std::less<>());
  CHECK(values == expected);
}

}  // namespace a3sim
