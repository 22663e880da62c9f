#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/core/ids.h"

namespace a3sim {

// Accesses of matrix portions (the first two of each portion) that wait for lines now, indexed by a hash of
// their place. Most look-ups find no other access at their place and then read a single word.
class Fetches {
 public:
  explicit Fetches(std::uint32_t workers) : fetches_(std::size_t{workers} * kAccesses) { first_.fill(kNone); }

  void begin(std::uint32_t worker, std::uint32_t access, std::uint32_t hash) {
    end(worker, access);
    const std::uint32_t number = worker * kAccesses + access;
    std::uint32_t& first = first_[chain(hash)];
    fetches_[number] = {hash, first, kNone, true};
    if (first != kNone) fetches_[first].before = number;
    first = number;
  }
  // Removes the access if it waits.
  void end(std::uint32_t worker, std::uint32_t access) {
    Fetch& fetch = fetches_[worker * kAccesses + access];
    if (!fetch.waits) return;
    fetch.waits = false;
    (fetch.before == kNone ? first_[chain(fetch.hash)] : fetches_[fetch.before].next) = fetch.next;
    if (fetch.next != kNone) fetches_[fetch.next].before = fetch.before;
  }

  // Calls visit(worker, access) for all accesses with this hash, in no particular order.
  template <class Visit>
  void each(std::uint32_t hash, Visit&& visit) const {
    for (std::uint32_t number = first_[chain(hash)]; number != kNone; number = fetches_[number].next) {
      if (fetches_[number].hash == hash) visit(number / kAccesses, number % kAccesses);
    }
  }

 private:
  static constexpr std::uint32_t kAccesses = 2, kChainBits = 7;

  struct Fetch {
    std::uint32_t hash, next, before;  // in its chain
    bool waits = false;
  };

  static std::uint32_t chain(std::uint32_t hash) { return hash * 0x9e37'79b1U >> (32 - kChainBits); }

  std::vector<Fetch> fetches_;  // by worker and access
  std::array<std::uint32_t, 1U << kChainBits> first_;
};

}  // namespace a3sim
