#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/core/ids.h"

namespace a3sim {

// Maps pairs of ports with a cap to classes: a hash table with linear probing, at most half full. Nothing
// iterates over it, so its order does not influence results.
class ClassTable {
 public:
  struct Key {
    std::uint32_t from, to;
    std::int64_t cap;
    std::uint32_t path = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };

  // Returns the class, or kNone.
  std::uint32_t find(Key key) const { return slots_[slot_of(key)].number; }

  // Returns the entry of a key, whose class is kNone for a new key; the caller must set it at once.
  std::uint32_t& at(Key key) {
    std::size_t slot = slot_of(key);
    if (slots_[slot].number == kNone) {
      if (2 * ++used_ > slots_.size()) {
        grow();
        slot = slot_of(key);
      }
      slots_[slot].key = key;
    }
    return slots_[slot].number;
  }

  // Removes a key, which must be present.
  void erase(Key key) {
    --used_;
    const std::size_t mask = slots_.size() - 1;
    std::size_t hole = slot_of(key);
    // Entries that were pushed past the hole move back, so that no search ends early.
    for (std::size_t s = (hole + 1) & mask; slots_[s].number != kNone; s = (s + 1) & mask) {
      if (((s - home(slots_[s].key)) & mask) >= ((s - hole) & mask)) {
        slots_[hole] = slots_[s];
        hole = s;
      }
    }
    slots_[hole] = {};
  }

 private:
  struct Slot {
    Key key{};
    std::uint32_t number = kNone;
  };

  std::size_t home(Key key) const {
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;  // 2^64 divided by the golden ratio
    std::uint64_t h = (std::uint64_t{key.from} << 32 | key.to) * kOdd;
    h = (h ^ h >> 32 ^ static_cast<std::uint64_t>(key.cap) ^ std::uint64_t{key.path} << 40) * kOdd;
    return (h >> 32) & (slots_.size() - 1);
  }

  // Returns the slot of the key, or the free slot where it would be.
  std::size_t slot_of(Key key) const {
    std::size_t slot = home(key);
    while (slots_[slot].number != kNone && slots_[slot].key != key) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& s : old) {
      if (s.number != kNone) slots_[slot_of(s.key)] = s;
    }
  }

  std::vector<Slot> slots_{16};
  std::size_t used_ = 0;
};

}  // namespace a3sim
