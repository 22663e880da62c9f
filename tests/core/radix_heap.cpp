#include "sim/core/radix_heap.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <queue>
#include <random>
#include <tuple>

using namespace a3sim;

namespace {

// A heap beside a reference that orders by (key, sequence of pushing); every pop is compared.
class Pair {
 public:
  void push(std::uint64_t key) {
    heap_.push(key, sequence_);
    reference_.emplace(key, sequence_++);
    check_current();
  }
  std::uint64_t pop() {
    const auto [key, sequence] = reference_.top();
    reference_.pop();
    const auto item = heap_.pop();
    REQUIRE(item.key == key);
    REQUIRE(item.payload == sequence);
    REQUIRE(heap_.last() == key);
    REQUIRE(heap_.size() == reference_.size());
    check_current();
    return key;
  }
  void drain() {
    while (!reference_.empty()) pop();
    REQUIRE(heap_.empty());
  }
  bool empty() const { return reference_.empty(); }
  const RadixHeap<std::uint32_t>& heap() const { return heap_; }

 private:
  void check_current() {
    const bool left = !reference_.empty() && std::get<0>(reference_.top()) == heap_.last();
    REQUIRE(heap_.has_current() == left);
  }

  using Entry = std::tuple<std::uint64_t, std::uint32_t>;
  RadixHeap<std::uint32_t> heap_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> reference_;
  std::uint32_t sequence_ = 0;
};

constexpr std::uint64_t kLargest = (std::uint64_t{1} << 63) - 1;

}  // namespace

TEST_CASE("what is pushed at once leaves as a stable sort orders it") {
  for (std::uint64_t range : {1ull, 3ull, 100ull, 5'000ull, 1ull << 40, 1ull << 63}) {
    std::mt19937_64 random(range);
    std::vector<std::pair<std::uint64_t, std::uint32_t>> items;
    RadixHeap<std::uint32_t> heap;
    for (std::uint32_t i = 0; i < 3000; ++i) items.emplace_back(random() % range, i);
    for (const auto& [key, i] : items) heap.push(key, i);
    std::stable_sort(items.begin(), items.end(), [](auto& a, auto& b) { return a.first < b.first; });
    for (const auto& [key, i] : items) {
      const auto item = heap.pop();
      REQUIRE(item.key == key);
      REQUIRE(item.payload == i);
    }
    CHECK(heap.empty());
  }
}

TEST_CASE("random streams leave by key, equal keys in order of arrival, at every number of pending items") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    const std::uint64_t range = std::uint64_t{1} << (seed % 30);
    const std::size_t pending[] = {1, 10, 31, 32, 33, 64, 200, 2000};
    Pair pair;
    for (std::size_t i = 0; i < pending[seed % 8]; ++i) pair.push(random() % range);
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t now = pair.pop();
      // None, one or several, some of them now, some on a coarse grid, some far.
      for (std::uint64_t k = random() % 3 + pair.empty(); k > 0; --k) {
        const std::uint64_t kinds[] = {0,     random() % range,           random() % range,
                                       range, random() % range / 64 * 64, random() % (range << 20)};
        pair.push(now + kinds[random() % 6]);
      }
    }
    pair.drain();
  }
}

TEST_CASE("a burst at one key leaves in order of arrival, also when it goes on while it is served") {
  Pair pair;
  for (std::uint64_t key : {0ull, 7ull, 63ull, 64ull, 4096ull, 1ull << 50}) {
    for (int i = 0; i < 500; ++i) pair.push(key), pair.push(key + 1);
  }
  for (int i = 0; i < 2000; ++i) pair.push(pair.pop());
  pair.drain();
}

TEST_CASE("a front that overflows at, before and behind the current key keeps the order") {
  for (std::uint64_t spread : {0ull, 1ull, 5ull, 1ull << 20}) {
    Pair pair;
    pair.push(1'000);
    pair.push(1ull << 40);
    pair.push((1ull << 40) + (1ull << 21));
    pair.pop();
    pair.pop();  // alone in its bucket: the front takes the whole range
    std::mt19937_64 random(spread);
    for (int i = 0; i < 200; ++i) {
      pair.push(pair.heap().last() + random() % (spread + 1));
      if (i % 3 == 0) pair.pop();
    }
    pair.drain();
  }
}

TEST_CASE("ascending, descending and far keys are ordered, up to the largest") {
  Pair pair;
  for (std::uint64_t i = 0; i < 1000; ++i) pair.push(i * i * i);
  for (std::uint64_t i = 1000; i-- > 0;) pair.push(i << 40);
  for (int bit = 0; bit < 63; ++bit) pair.push(1ull << bit), pair.push((1ull << bit) - 1);
  pair.push(kLargest);
  pair.push(kLargest - 1);
  pair.push(kLargest);
  pair.drain();
  pair.push(kLargest);
  pair.drain();
}

TEST_CASE("the current key is known to be left or not between any two pops") {
  RadixHeap<std::uint32_t> heap;
  CHECK_FALSE(heap.has_current());
  heap.push(0, 0);
  CHECK(heap.has_current());
  heap.pop();
  CHECK_FALSE(heap.has_current());
  heap.push(100, 1);
  CHECK_FALSE(heap.has_current());
  heap.pop();
  heap.push(101, 2);
  CHECK_FALSE(heap.has_current());
  heap.push(100, 3);
  CHECK(heap.has_current());
}

TEST_CASE("a steady number of pending items takes no more memory") {
  RadixHeap<std::uint32_t> heap;
  std::mt19937_64 random(1);
  for (std::uint32_t i = 0; i < 5000; ++i) heap.push(random() % 1'000'000, i);
  const auto step = [&](int n) {
    for (int i = 0; i < n; ++i) {
      const auto item = heap.pop();
      heap.push(item.key + random() % 1'000'000, item.payload);
    }
  };
  step(20'000);
  const std::size_t settled = heap.bytes();
  step(50'000);
  CHECK(heap.bytes() == settled);
  CHECK(settled < 5000 * 16 * 3 + sizeof(heap));
}
