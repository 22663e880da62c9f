#pragma once

#include <cstdint>

#include "sim/memory/l2/l2.h"

namespace a3sim {

// A range of memory: `rows` runs of `bytes`, `pitch` apart.
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

  // Accesses the lines of each row in turn and adds the counts. `how` gives operator, unit, hint and
  // direction; its tensor and rows are ignored. Throws std::out_of_range, without any effect, for lines at or
  // above limit().
  virtual void access(const ByteRows& where, const L2Access& how, L2Traffic& traffic) = 0;

  // True if the line is present, or dirty. Without side effects.
  virtual bool holds(std::uint64_t line) const = 0;
  virtual bool dirty(std::uint64_t line) const = 0;

  // Writes dirty lines back and empties the cache. Returns the bytes written.
  virtual std::uint64_t flush() = 0;

  // Returns the number of lines that can be distinguished.
  virtual std::uint64_t limit() const = 0;
  // Returns the host memory of the sets, in bytes.
  virtual std::uint64_t footprint() const = 0;
};

}  // namespace a3sim
