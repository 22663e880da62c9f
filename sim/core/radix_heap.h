#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace a3sim {

// A monotone priority queue of small trivially copyable payloads. Keys are below 2^63 and never smaller than
// the last popped key. Equal keys leave in the order in which they came. Does not allocate once it has
// reached its largest size.
//
// It is a radix heap with digits of six bits. No key in the queue is below the `base`. An item is in the
// bucket (level, digit): the highest digit in which its key differs from the base, and the key's value there.
// The first non-empty bucket of the lowest level holds the smallest keys. When its turn comes, a bucket of
// several blocks is dealt to lower levels, and its smallest possible key becomes the base; a bucket of a
// single block is sorted into the `front`, which then takes all keys of the bucket's range.
//
// Equal keys stay in order without a sequence number because:
// 1. The place of an item depends only on its key and the base. A change of the base leaves the items of a
// bucket in place, since it concerns only digits at and below the level of a bucket that is empty or being
// dealt. So equal keys are always in the same bucket, or all in the front, which takes all keys of its range
// while it is in use.
// 2. A bucket is appended to at its end, and dealt or sorted from its beginning. The buckets that it is dealt
// to are empty, since lower levels are used up first. The front is sorted stably, and a new item goes behind
// equal ones.
// 3. A front that overflows is dealt from its smallest to its largest item, into levels that are empty while
// the front is in use.
template <class Payload>
class RadixHeap {
 public:
  struct Item {
    std::uint64_t key;
    Payload payload;
  };

  RadixHeap() = default;
  RadixHeap(const RadixHeap&) = delete;
  RadixHeap& operator=(const RadixHeap&) = delete;

  // `key` must be at least last() and below 2^63; not checked.
  void push(std::uint64_t key, Payload payload) {
    ++size_;
    if (key >= front_end_) {
      append({key, payload});
    } else if (front_size_ < kFront) {
      insert({key, payload});
    } else {
      spill();
      append({key, payload});
    }
  }

  // Removes the first item of the smallest key, which becomes last(). The heap must not be empty.
  Item pop() {
    --size_;
    while (front_size_ == 0) {
      const auto level = static_cast<std::uint32_t>(std::countr_zero(levels_));
      if (level == 0) return pop_equal();
      open(level);
    }
    const Item item = front_[--front_size_];
    last_ = item.key;
    return item;
  }

  // True if an item with the key last() is left.
  bool has_current() const {
    if (front_size_ > 0) return front_[front_size_ - 1].key == last_;
    return (last_ ^ base_) < kDigits && (digits_[0] >> (last_ % kDigits) & 1) != 0;
  }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  // Returns the last popped key, or 0.
  std::uint64_t last() const { return last_; }
  // Returns the memory for items, used or not.
  std::size_t bytes() const { return blocks_ * sizeof(Block) + sizeof(*this); }

 private:
  static constexpr std::uint32_t kDigitBits = 6;
  static constexpr std::uint64_t kDigits = 1 << kDigitBits;
  static constexpr std::uint32_t kLevels = 11;  // eleven levels of six bits cover a key
  static constexpr std::uint32_t kBlockItems = 15;
  static constexpr std::uint32_t kFront = 32;

  struct alignas(64) Block {  // occupies whole cache lines
    std::array<Item, kBlockItems> items;
    Block* next;
  };
  struct Bucket {
    Block *first, *last;
    std::uint32_t begin, end;  // index in the first block; index in the last
  };

  void append(const Item& item) {
    const auto highest = static_cast<std::uint32_t>(63 - std::countl_zero((item.key ^ base_) | 1));
    const std::uint32_t level = highest * 43 >> 8;  // a sixth, for numbers below 64
    const auto digit = static_cast<std::uint32_t>(item.key >> level * kDigitBits) % kDigits;
    Bucket& bucket = buckets_[level][digit];
    if ((digits_[level] >> digit & 1) == 0) {
      digits_[level] |= std::uint64_t{1} << digit;
      levels_ |= 1u << level;
      bucket.first = bucket.last = take_block();
      bucket.begin = bucket.end = 0;
    } else if (bucket.end == kBlockItems) {
      bucket.last = bucket.last->next = take_block();
      bucket.end = 0;
    }
    bucket.last->items[bucket.end++] = item;
  }

  // Inserts into the front, which is in descending order.
  void insert(const Item& item) {
    std::uint32_t at = front_size_++;
    for (; at > 0 && front_[at - 1].key <= item.key; --at) front_[at] = front_[at - 1];
    front_[at] = item;
  }

  void spill() {
    base_ = last_;
    front_end_ = 0;
    while (front_size_ > 0) append(front_[--front_size_]);
  }

  // Pops from the first bucket of level 0, where all keys of a bucket are equal.
  Item pop_equal() {
    const auto digit = static_cast<std::uint32_t>(std::countr_zero(digits_[0]));
    Bucket& bucket = buckets_[0][digit];
    Block* const block = bucket.first;
    const Item item = block->items[bucket.begin++];
    if (bucket.begin == (block == bucket.last ? bucket.end : kBlockItems)) {
      if (block == bucket.last) clear(0, digit);
      bucket.first = block->next;
      bucket.begin = 0;
      give_block(block);
    }
    last_ = item.key;
    return item;
  }

  void clear(std::uint32_t level, std::uint32_t digit) {
    digits_[level] &= ~(std::uint64_t{1} << digit);
    if (digits_[level] == 0) levels_ &= ~(1u << level);
  }

  // Empties the first bucket of the lowest level, which is not level 0, into the front or into lower levels.
  void open(std::uint32_t level) {
    const auto digit = static_cast<std::uint32_t>(std::countr_zero(digits_[level]));
    const Bucket bucket = buckets_[level][digit];
    clear(level, digit);
    const std::uint32_t shift = level * kDigitBits;
    const std::uint64_t begin = bucket.first->items[0].key >> shift << shift;
    if (bucket.first == bucket.last) {
      front_end_ = begin + (std::uint64_t{1} << shift);
      for (std::uint32_t i = 0; i < bucket.end; ++i) insert(bucket.first->items[i]);
      give_block(bucket.first);
      return;
    }
    base_ = begin;
    Block* block = bucket.first;
    while (block != bucket.last) {
      prefetch(*block->next);
      for (const Item& item : block->items) append(item);
      Block* const next = block->next;
      give_block(block);
      block = next;
    }
    for (std::uint32_t i = 0; i < bucket.end; ++i) append(block->items[i]);
    give_block(block);
  }

  // Prefetches the next block, since blocks of a large queue are scattered in memory.
  static void prefetch(const Block& block) {
    for (std::size_t at = 0; at < sizeof(Block); at += 64) {
      __builtin_prefetch(reinterpret_cast<const char*>(&block) + at);
    }
  }

  Block* take_block() {
    if (free_ == nullptr) grow();
    Block* const block = free_;
    free_ = block->next;
    return block;
  }
  void give_block(Block* block) {
    block->next = free_;
    free_ = block;
  }
  void grow() {
    const std::size_t count = blocks_ < 2 * kFirstSlab ? kFirstSlab : blocks_ / 2;
    slabs_.push_back(std::make_unique_for_overwrite<Block[]>(count));
    for (std::size_t i = count; i-- > 0;) give_block(&slabs_.back()[i]);
    blocks_ += count;
  }
  static constexpr std::size_t kFirstSlab = 64;

  std::uint64_t last_ = 0;
  std::uint64_t base_ = 0;
  std::uint64_t front_end_ = 0;  // the front takes all keys below it
  std::uint32_t front_size_ = 0;
  std::uint32_t levels_ = 0;  // bit: the level has a non-empty bucket
  std::size_t size_ = 0;
  Block* free_ = nullptr;
  std::array<std::uint64_t, kLevels> digits_{};  // bit: the bucket is not empty
  std::array<Item, kFront> front_;
  std::array<std::array<Bucket, kDigits>, kLevels> buckets_;
  std::vector<std::unique_ptr<Block[]>> slabs_;
  std::size_t blocks_ = 0;
};

}  // namespace a3sim
