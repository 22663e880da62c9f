#pragma once

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <vector>

#include "sim/memory/l2/line_cache.h"
#include "sim/memory/l2/line_index.h"
#include "sim/memory/l2/line_set.h"

namespace a3sim {

// The line-exact cache with one policy. A policy is constructed from (spec, number of sets) and has
//   void begin(const L2Access&)   tells operator, unit, hint and direction of the following calls
//   template <class Set> uint32 hit(Set&, uint32 set, uint32 way)
//   template <class Set> uint32 victim(Set&, uint32 set, Set::Mask candidates)   candidates: never empty
//   template <class Set> uint32 fill(Set&, uint32 set, uint32 way, uint16 tag)   way: its tag is already set
// hit() and fill() return the way that the line has afterwards. victim() must return empty ways first.
template <class Policy, class Set>
class LineCacheOf final : public LineCache {
 public:
  // `spec` must be valid.
  explicit LineCacheOf(const L2Spec& spec)
      : index_(sets_of(spec), spec.hash),
        all_(static_cast<Mask>(~Mask{0}) >> (8 * sizeof(Mask) - spec.ways)),
        policy_(spec, sets_of(spec)),
        sets_(sets_of(spec)) {}

  void access(const ByteRows& where, const L2Access& how, L2Traffic& traffic) override {
    if (where.rows == 0 || where.bytes == 0) return;
    const std::uint64_t last = where.begin + (where.rows - 1) * where.pitch + where.bytes - 1;
    if (last / kL2Line >= index_.limit()) throw std::out_of_range("an address beyond the L2's tags");
    policy_.begin(how);
    Tally tally;
    how.write ? walk<true>(where, how.hint, tally) : walk<false>(where, how.hint, tally);
    L2Traffic::Requests& requests = how.write ? traffic.write : traffic.read;
    requests.hit += tally.hit;
    requests.miss += tally.miss;
    requests.bypass += tally.bypass;
    traffic.hbm_read += tally.fetched * kL2Line + (how.write ? 0 : tally.bypass * kL2Request);
    traffic.hbm_write += tally.written * kL2Line + tally.through * kL2Request;
  }

  bool holds(std::uint64_t line) const override {
    const LineIndex::Place place = index_(line);
    return (sets_[place.set].match(place.tag) & all_) != 0;
  }

  bool dirty(std::uint64_t line) const override {
    const LineIndex::Place place = index_(line);
    return (sets_[place.set].match(place.tag) & all_ & sets_[place.set].dirty) != 0;
  }

  std::uint64_t flush() override {
    std::uint64_t lines = 0;
    for (Set& set : sets_) {
      lines += static_cast<std::uint64_t>(std::popcount(set.dirty));
      set = Set();
    }
    return lines * kL2Line;
  }

  std::uint64_t limit() const override { return index_.limit(); }
  std::uint64_t footprint() const override { return sets_.size() * sizeof(Set); }

 private:
  using Mask = typename Set::Mask;

  struct Tally {
    std::uint64_t hit = 0, miss = 0, bypass = 0;  // requests
    std::uint64_t through = 0;                    // requests that are written past the L2
    std::uint64_t fetched = 0, written = 0;       // lines
  };

  static std::uint32_t sets_of(const L2Spec& spec) {
    return static_cast<std::uint32_t>(spec.size.count / kL2Line / spec.ways);
  }

  template <bool kWrite>
  void walk(const ByteRows& where, L2Hint hint, Tally& total) {
    switch (hint) {
      case L2Hint::kNormal:
        return walk<kWrite, L2Hint::kNormal>(where, total);
      case L2Hint::kBypass:
        return walk<kWrite, L2Hint::kBypass>(where, total);
      case L2Hint::kPersist:
        return walk<kWrite, L2Hint::kPersist>(where, total);
    }
  }

  template <bool kWrite, L2Hint kHint>
  void walk(ByteRows where, Tally& total) {
    if (where.rows > 1 && where.pitch == where.bytes) where = {where.begin, where.bytes * where.rows};
    Tally tally;  // a local, so that it stays in registers
    for (std::uint64_t row = 0; row < where.rows; ++row, where.begin += where.pitch) {
      const std::uint64_t last_byte = where.begin + where.bytes - 1;
      std::uint64_t request = where.begin / kL2Request;
      const std::uint64_t last = last_byte / kL2Request;
      for (std::uint64_t line = where.begin / kL2Line; line <= last_byte / kL2Line; ++line) {
        const std::uint64_t end = std::min(last + 1, (line + 1) * (kL2Line / kL2Request));
        touch<kWrite, kHint>(line, static_cast<std::uint32_t>(end - request), tally);
        request = end;
      }
    }
    total = tally;
  }

  template <bool kWrite, L2Hint kHint>
  void touch(std::uint64_t line, std::uint32_t requests, Tally& tally) {
    const LineIndex::Place place = index_(line);
    Set& set = sets_[place.set];
    const Mask found = set.match(place.tag);
    if constexpr (kHint == L2Hint::kBypass) {
      (found ? tally.hit : tally.bypass) += requests;
      if constexpr (kWrite) tally.through += requests;
      return;
    }
    std::uint32_t way;
    if (found) {
      tally.hit += requests;
      way = policy_.hit(set, place.set, static_cast<std::uint32_t>(std::countr_zero(found)));
    } else {
      tally.miss += requests;
      if constexpr (!kWrite) ++tally.fetched;
      way = replace(set, place, tally);
    }
    if constexpr (kWrite) set.dirty |= Set::bit(way);
    if constexpr (kHint == L2Hint::kPersist) set.persist |= Set::bit(way);
  }

  std::uint32_t replace(Set& set, LineIndex::Place place, Tally& tally) {
    const Mask ordinary = all_ & ~set.persist;
    const std::uint32_t way = policy_.victim(set, place.set, ordinary ? ordinary : all_);
    tally.written += (set.dirty >> way) & 1;
    set.dirty &= ~Set::bit(way);
    set.persist &= ~Set::bit(way);
    set.tags[way] = place.tag;
    return policy_.fill(set, place.set, way, place.tag);
  }

  LineIndex index_;
  Mask all_;  // a bit for each way
  Policy policy_;
  std::vector<Set> sets_;
};

}  // namespace a3sim
