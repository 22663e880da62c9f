#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/taskflow/taskflow.h"
#include "sim/core/ids.h"
#include "sim/core/units.h"

// The L2 of one device: it tells which bytes each access moves, given the parts of tensors that it holds.
// LineL2 keeps every line, PieceL2 keeps pieces of tensors.
namespace a3sim {

inline constexpr std::uint32_t kL2Line = 512;     // bytes that are allocated and evicted together
inline constexpr std::uint32_t kL2Request = 128;  // bytes of a request, as the profiler counts

// The treatment of an access by the L2.
enum class L2Hint : std::uint8_t {
  kNormal,
  kBypass,  // allocates nothing and changes no order; data that is present is served (and kept up to date)
  kPersist  // accessed data becomes the last to be evicted, until it has been evicted
};
constexpr auto names_of(L2Hint) { return std::to_array<std::string_view>({"normal", "bypass", "persist"}); }

// The function that maps a line's number to its set.
enum class L2Hash : std::uint8_t {
  kModulo,
  kXor  // the number's upper part is mixed into the set; an aligned range still fills all sets alike
};
constexpr auto names_of(L2Hash) { return std::to_array<std::string_view>({"modulo", "xor"}); }

struct L2Spec {
  Bytes size;                  // a positive multiple of ways * kL2Line
  std::uint32_t ways = 24;     // 1 to 64; lines only
  L2Hash hash = L2Hash::kXor;  // lines only
  std::string policy = "lru";  // a registered L2Policy
};

// Counts of accesses. Requests have 128 bytes: all requests of one access to a missing line miss; those of
// later accesses hit, even while the line is still on its way.
struct L2Traffic {
  struct Requests {
    std::uint64_t hit = 0;
    std::uint64_t miss = 0;    // and allocates
    std::uint64_t bypass = 0;  // miss without allocating
    friend bool operator==(const Requests&, const Requests&) = default;
    Requests& operator+=(const Requests& other) {
      hit += other.hit;
      miss += other.miss;
      bypass += other.bypass;
      return *this;
    }
    // Returns the hit rate as the profiler defines it: hits relative to hits and allocating misses; 0 without
    // either.
    double hit_rate() const {
      return hit + miss ? static_cast<double>(hit) / static_cast<double>(hit + miss) : 0;
    }
  };
  Requests read, write;
  // Bytes read: whole lines for reads that miss, requests for reads that bypass. Writes fetch nothing, even
  // if they cover a line in part.
  std::uint64_t hbm_read = 0;
  std::uint64_t hbm_write = 0;  // bytes: dirty lines evicted, and writes that bypass

  L2Traffic& operator+=(const L2Traffic& other) {
    read += other.read;
    write += other.write;
    hbm_read += other.hbm_read;
    hbm_write += other.hbm_write;
    return *this;
  }
  // Adds one access, which reads or writes.
  void add(const L2Traffic& access, bool writes) {
    writes ? write += access.write : read += access.read;
    hbm_read += access.hbm_read;
    hbm_write += access.hbm_write;
  }
  friend bool operator==(const L2Traffic&, const L2Traffic&) = default;
};

// A tensor in memory: consecutive rows, starting at a line boundary.
struct L2Tensor {
  std::uint32_t rows = 0;
  std::uint32_t row_bytes = 0;
  // First rows of parts that are accessed separately (experts), ascending, the first 0; empty: one part.
  // PieceL2's grid restarts at each.
  std::vector<std::uint32_t> parts;
  // Rows of PieceL2's pieces, a power of two. More rows give fewer pieces; above 128, rows are distinguished
  // in sectors of piece_rows / 128.
  std::uint32_t piece_rows = 128;
};

// A rectangle of a tensor: some rows, and the same bytes of each.
struct L2Access {
  TensorId tensor{};
  Rows rows{};
  std::uint32_t byte_begin = 0, byte_end = 0;  // within a row
  OpId op{};
  bool write = false;
  L2Hint hint = L2Hint::kNormal;
  CoreUnit unit = CoreUnit::kVector;  // the unit that makes the access
};

// Answers accesses and counts them. Starts empty and clean. To start warm, call access(), then
// forget_counts().
class L2 {
 public:
  virtual ~L2() = default;

  // Makes an access and returns its counts; an empty rectangle counts nothing. Throws std::out_of_range if
  // the rectangle is outside its tensor.
  virtual L2Traffic access(const L2Access& access) = 0;

  // Writes dirty data back and empties the L2. Returns the bytes written.
  virtual std::uint64_t flush() = 0;

  // Returns the counts of all accesses since the start or forget_counts(), without the writes of flush().
  L2Traffic total() const;
  // Returns the counts of one operator.
  const L2Traffic& total(OpId op) const { return by_op_[index(op)]; }
  void forget_counts();

  // True if it knows which operator left the data that it holds; LineL2 does not.
  virtual bool knows_producers() const { return false; }
  // Returns the number of 128-byte requests of `consumer` that hit data which `producer` was the last to
  // write or fetch. 0 if that is not known.
  virtual std::uint64_t reused(OpId /*producer*/, OpId /*consumer*/) const { return 0; }

 protected:
  explicit L2(std::uint32_t ops) : by_op_(ops) {}
  static void check_inside(const L2Access& access, std::uint32_t rows, std::uint32_t row_bytes) {
    if (access.rows.begin > access.rows.end || access.rows.end > rows ||
        access.byte_begin > access.byte_end || access.byte_end > row_bytes) {
      throw std::out_of_range("an access outside of its tensor");
    }
  }
  void count(const L2Access& access, const L2Traffic& traffic) {
    by_op_[index(access.op)].add(traffic, access.write);
  }
  virtual void forget_more() {}

 private:
  std::vector<L2Traffic> by_op_;
};

// Throws InputError if no L2 can be built from the spec.
void check(const L2Spec& spec);

// Makes an L2 that keeps every line of every tensor, for `ops` operators: exact, but its time is proportional
// to the lines accessed.
std::unique_ptr<L2> make_line_l2(const L2Spec& spec, std::span<const L2Tensor> tensors, std::uint32_t ops);

// Average rates of an operator's accesses.
struct L2Rates {
  double read_hit = 1;     // part of read requests that hit
  double hbm_read = 0;     // bytes per byte read
  double hbm_written = 0;  // bytes per byte read or written
  friend bool operator==(const L2Rates&, const L2Rates&) = default;
};

// Makes an L2 that holds nothing and answers every access of an operator with its rates, to see their effect
// alone on a run.
std::unique_ptr<L2> make_rated_l2(std::span<const L2Rates> rates);

}  // namespace a3sim
