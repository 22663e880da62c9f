#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace a3sim {

// A monotone priority queue: keys pushed are never smaller than the key popped last; equal keys leave in the
// order in which they came.
template <class Payload>
class RadixHeap {
 public:
  struct Item {
    std::uint64_t key;
    Payload payload;
  };

  // `key` must be at least last(); the caller checks.
  void push(std::uint64_t key, Payload payload) {
    const std::uint32_t b = bucket(key);
    buckets_[b].push_back({key, payload});
    if (b > 0) occupied_ |= std::uint64_t{1} << (b - 1);
    ++size_;
  }

  // Removes the first item of the smallest key, which becomes last(). Not to be called when empty.
  Item pop() {
    if (!has_current()) advance();
    const Item item = buckets_[0][head_++];
    if (head_ == buckets_[0].size()) {
      buckets_[0].clear();
      head_ = 0;
    }
    --size_;
    return item;
  }

  // True if an item with the key last() is left.
  bool has_current() const { return head_ < buckets_[0].size(); }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  // The key popped last; 0 before.
  std::uint64_t last() const { return last_; }

 private:
  std::uint32_t bucket(std::uint64_t key) const { return 64 - std::countl_zero(key ^ last_); }

  void advance() {
    const std::uint32_t b = std::countr_zero(occupied_) + 1;
    auto& from = buckets_[b];
    last_ = from.front().key;
    for (const Item& item : from) last_ = item.key < last_ ? item.key : last_;
    for (const Item& item : from) {
      const std::uint32_t to = bucket(item.key);
      buckets_[to].push_back(item);
      if (to > 0) occupied_ |= std::uint64_t{1} << (to - 1);
    }
    from.clear();
    occupied_ &= ~(std::uint64_t{1} << (b - 1));
  }

  std::array<std::vector<Item>, 65> buckets_;
  std::uint64_t occupied_ = 0;  // bit b - 1: bucket b holds something
  std::uint64_t last_ = 0;
  std::size_t head_ = 0;  // first item of bucket 0 that is left
  std::size_t size_ = 0;
};

}  // namespace a3sim
