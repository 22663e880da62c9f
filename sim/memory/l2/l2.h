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

// The L2 of one device: what of the tensors it holds, and what each access therefore moves.
// Two models answer the same questions: LineL2 keeps every line, PieceL2 keeps pieces of tensors.
namespace a3sim {

inline constexpr std::uint32_t kL2Line = 512;     // bytes that are allocated and evicted together
inline constexpr std::uint32_t kL2Request = 128;  // bytes of a request, as the profiler counts them

// What an access asks of the L2.
enum class L2Hint : std::uint8_t {
  kNormal,
  kBypass,  // nothing is allocated and no order changes; what is present is served (and kept up to date)
  kPersist  // what is accessed becomes the last to be evicted, until it has been evicted
};
constexpr auto names_of(L2Hint) { return std::to_array<std::string_view>({"normal", "bypass", "persist"}); }

// How a line's number gives its set.
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
  std::uint64_t seed = 0;      // for policies of one's own that draw; those shipped do not
};

// What accesses came to. Requests are of 128 bytes: all requests of one access to a missing line miss, those
// of later accesses hit, though the line may still be on its way.
struct L2Traffic {
  struct Requests {
    std::uint64_t hit = 0;
    std::uint64_t miss = 0;    // and allocate
    std::uint64_t bypass = 0;  // miss without allocating
    friend bool operator==(const Requests&, const Requests&) = default;
    Requests& operator+=(const Requests& other) {
      hit += other.hit;
      miss += other.miss;
      bypass += other.bypass;
      return *this;
    }
    // As the profiler has it: hits of hits and allocating misses; 0 without either.
    double hit_rate() const {
      return hit + miss ? static_cast<double>(hit) / static_cast<double>(hit + miss) : 0;
    }
  };
  Requests read, write;
  // Bytes: whole lines for reads that miss, requests for reads that bypass. Writes fetch nothing, not even
  // those that cover a line in part.
  std::uint64_t hbm_read = 0;
  std::uint64_t hbm_write = 0;  // bytes: dirty lines evicted, and writes that bypass

  L2Traffic& operator+=(const L2Traffic& other) {
    read += other.read;
    write += other.write;
    hbm_read += other.hbm_read;
    hbm_write += other.hbm_write;
    return *this;
  }
  // The same of one access, which reads or writes.
  void add(const L2Traffic& access, bool writes) {
    writes ? write += access.write : read += access.read;
    hbm_read += access.hbm_read;
    hbm_write += access.hbm_write;
  }
  friend bool operator==(const L2Traffic&, const L2Traffic&) = default;
};

// A tensor as it lies in memory: rows one after the other, at a line boundary.
struct L2Tensor {
  std::uint32_t rows = 0;
  std::uint32_t row_bytes = 0;
  // First rows of parts that are walked on their own (experts), increasing, the first 0; empty: one part.
  // PieceL2's grid starts anew at each.
  std::vector<std::uint32_t> parts;
  // Rows of PieceL2's pieces: a power of two. More rows, fewer pieces to look at; beyond 128, rows are told
  // apart in steps of piece_rows / 128.
  std::uint32_t piece_rows = 128;
};

// A rectangle of a tensor: some rows, of each the same bytes.
struct L2Access {
  TensorId tensor{};
  Rows rows{};
  std::uint32_t byte_begin = 0, byte_end = 0;  // within a row
  OpId op{};
  bool write = false;
  L2Hint hint = L2Hint::kNormal;
  CoreUnit unit = CoreUnit::kVector;  // whose access it is
};

// Starts empty and clean. To start warm: access(), then forget_counts().
class L2 {
 public:
  virtual ~L2() = default;

  // Makes the access and returns what it came to. A rectangle outside of its tensor: std::out_of_range.
  // An empty one comes to nothing.
  virtual L2Traffic access(const L2Access& access) = 0;

  // Writes what is dirty back (returns how many bytes); the L2 is empty and clean afterwards.
  virtual std::uint64_t flush() = 0;

  // All accesses since the start or forget_counts(); what flush() wrote is not in it.
  L2Traffic total() const;
  // The accesses of one operator.
  const L2Traffic& total(OpId op) const { return by_op_[index(op)]; }
  void forget_counts();

  // Whether it knows who left what it holds; line for line it does not.
  virtual bool knows_producers() const { return false; }
  // Requests of 128 bytes that `consumer` read and found present, because `producer` was the last to write
  // them or to bring them in. Zero where nothing is known.
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

// Throws InputError if no L2 can be built so.
void check(const L2Spec& spec);

// Every line of every tensor, for `ops` operators: exact, and as slow as it has lines to look at.
std::unique_ptr<L2> make_line_l2(const L2Spec& spec, std::span<const L2Tensor> tensors, std::uint32_t ops);

// What an operator's accesses come to on average, each between 0 and what is accessed.
struct L2Rates {
  double read_hit = 1;     // of read requests
  double hbm_read = 0;     // bytes a byte read
  double hbm_written = 0;  // bytes a byte read or written
  friend bool operator==(const L2Rates&, const L2Rates&) = default;
};

// An L2 that holds nothing and answers every access of an
// operator at its rates, to ask what they alone do to a run.
std::unique_ptr<L2> make_rated_l2(std::span<const L2Rates> rates);

}  // namespace a3sim
