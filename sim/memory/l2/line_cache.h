#pragma once

#include <cstdint>

#include "sim/memory/l2/l2.h"

namespace a3sim {

// Bytes in memory: `rows` runs of `bytes`, `pitch` apart.
struct ByteRows {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t rows = 1;
  std::uint64_t pitch = 0;
};

// A set-associative, write-allocating, write-back cache of lines. Starts empty and clean.
class LineCache {
 public:
  virtual ~LineCache() = default;

  // Accesses the lines of each row in turn, as `how` says (its tensor and rows are not looked at), and adds
  // what that came to. Lines at or above limit(): std::out_of_range, and nothing is done.
  virtual void access(const ByteRows& where, const L2Access& how, L2Traffic& traffic) = 0;

  // Whether the line is present, and whether it is dirty; changes nothing.
  virtual bool holds(std::uint64_t line) const = 0;
  virtual bool dirty(std::uint64_t line) const = 0;

  // Writes dirty lines back (returns how many bytes), and empties the cache.
  virtual std::uint64_t flush() = 0;

  // The number of lines that can be told apart.
  virtual std::uint64_t limit() const = 0;
  // Bytes of this machine's memory that the sets take.
  virtual std::uint64_t footprint() const = 0;
};

}  // namespace a3sim
