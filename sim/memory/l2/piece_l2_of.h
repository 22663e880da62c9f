#pragma once

#include <bit>
#include <optional>
#include <vector>

#include "sim/memory/l2/piece_grid.h"
#include "sim/memory/l2/piece_l2.h"
#include "sim/memory/l2/piece_states.h"

namespace a3sim {

// PieceL2 under one policy. A policy is constructed from (spec, number of pieces) and has
//   void begin(const L2Access& access)     what the next calls are for: operator, cube or vector, hint, write
//   void insert(uint32 piece)              it was absent
//   void hit(PieceRun run)                 what was touched of them was present, most of it at least
//   void extend(uint32 piece)              what was touched of it was absent, though more of it was present
//   void erase(uint32 piece)               it is evicted
//   uint32 victim(uint32 incoming)         a piece to evict; kNone only if it holds none
// Persistent pieces have a policy object of their own, asked last.
template <class Policy>
class PieceL2Of final : public PieceL2 {
 public:
  PieceL2Of(const L2Spec& spec, std::span<const L2Tensor> tensors, std::uint32_t ops)
      : PieceL2(ops),
        spec_(spec),
        size_(static_cast<std::uint64_t>(spec.size.count)),
        grids_(grids_of(tensors)),
        pieces_(grids_) {
    ordinary_.emplace(spec, pieces_.size());
  }

  L2Traffic access(const L2Access& access) override {
    PieceGrid& grid = grids_.at(index(access.tensor));
    check_inside(access, grid.rows(), grid.row_bytes());
    L2Traffic traffic;
    if (access.byte_begin == access.byte_end || access.rows.empty()) return traffic;
    ordinary_->begin(access);
    if (persistent_) persistent_->begin(access);
    if (access.hint == L2Hint::kBypass) {
      walk(grid, access, [&](const PieceGrid::Slice& slice, std::uint32_t piece, std::uint32_t requests) {
        bypass({access, slice, piece, requests}, traffic);
      });
    } else if (access.write) {
      pass<true>(grid, access, traffic);
    } else if (!read_whole(grid, access, traffic)) {
      pass<false>(grid, access, traffic);
    }
    count(access.op, traffic);
    return traffic;
  }

  std::uint64_t flush() override {
    std::uint64_t written = 0;
    for (std::uint32_t p = 0; p < pieces_.size(); ++p) {
      if (pieces_.any_present(p)) written += evict(p);
    }
    return written;
  }

 private:
  // What of an access falls on one piece.
  struct Touch {
    const L2Access& access;
    const PieceGrid::Slice& slice;
    std::uint32_t piece;
    std::uint32_t requests;
  };

  static std::vector<PieceGrid> grids_of(std::span<const L2Tensor> tensors) {
    std::vector<PieceGrid> grids;
    for (const L2Tensor& tensor : tensors) grids.emplace_back(tensor, grids.empty() ? 0 : grids.back().end());
    return grids;
  }

  // Calls visit(slice, piece, requests) for each piece, in order.
  template <class Visit>
  void walk(PieceGrid& grid, const L2Access& access, Visit&& visit) {
    const std::uint32_t first = access.byte_begin / kL2Line, last = (access.byte_end - 1) / kL2Line;
    const std::uint32_t begin_request = access.byte_begin / kL2Request;
    const std::uint32_t end_request = (access.byte_end - 1) / kL2Request + 1;
    std::uint64_t touched = 0;
    grid.slices(access.rows, [&](const PieceGrid::Slice& slice) {
      std::uint32_t request = begin_request;
      for (std::uint32_t col = first; col <= last; ++col) {
        const std::uint32_t end = std::min(end_request, (col + 1) * (kL2Line / kL2Request));
        visit(slice, slice.first_piece + col, (end - request) * slice.rows);
        request = end;
      }
      touched += last - first + 1;
    });
    touched_ += touched;
  }

  bool plain(const L2Access& access) const { return access.hint == L2Hint::kNormal && !persistent_; }

  // Nearly all that is read is there as a whole, brought by one operator, and
  // nothing special is asked of it: that is looked at first, in loops of a few
  // instructions a piece. False, and nothing is done, where it is otherwise.
  bool read_whole(PieceGrid& grid, const L2Access& access, L2Traffic& traffic) {
    if (!plain(access)) return false;
    const PieceGrid::Bands bands = grid.bands_of(access.rows);
    const std::uint32_t first = bands.first_piece + access.byte_begin / kL2Line;
    const std::uint32_t cols = (access.byte_end - 1) / kL2Line - access.byte_begin / kL2Line + 1;
    // A column's pieces are one run, as the pieces of a band are.
    const std::uint32_t runs = cols == 1 ? std::min(1U, bands.count) : bands.count;
    PieceRun run = cols == 1 ? PieceRun{first, bands.count, grid.cols()} : PieceRun{first, cols, 1};
    if (runs == 0) return false;
    const std::uint32_t producer = pieces_.producer(first);
    for (std::uint32_t i = 0; i < runs; ++i, run.first += grid.cols()) {
      if (pieces_.producer(run.first) != producer || !pieces_.all_present_of_one(run)) return false;
    }
    run.first = first;
    for (std::uint32_t i = 0; i < runs; ++i, run.first += grid.cols()) ordinary_->hit(run);
    const std::uint32_t requests = (access.byte_end - 1) / kL2Request - access.byte_begin / kL2Request + 1;
    const std::uint64_t all = std::uint64_t{requests} * access.rows.size();
    traffic.read.hit += all;
    reused_[std::size_t{index(access.op)} * ops_ + producer] += all;
    touched_ += std::uint64_t{cols} * bands.count;
    return true;
  }

  // Piece by piece.
  template <bool kWrite>
  void pass(PieceGrid& grid, const L2Access& access, L2Traffic& traffic) {
    const bool plain = this->plain(access);
    std::uint64_t* const reused = &reused_[std::size_t{index(access.op)} * ops_];
    std::uint64_t hits = 0;
    walk(grid, access, [&](const PieceGrid::Slice& slice, std::uint32_t piece, std::uint32_t requests) {
      if (plain && pieces_.all_present(piece)) {
        ordinary_->hit({piece});
        hits += requests;
        if (!kWrite) reused[pieces_.producer(piece)] += requests;
      } else {
        const Touch touch{access, slice, piece, requests};
        if (kWrite) {
          allocate(touch, traffic, traffic.write);
        } else {
          read(touch, traffic);
        }
      }
      if (kWrite) {
        if (!pieces_.all_dirty(piece)) pieces_.add_dirty(piece, slice.steps);
        pieces_.set_producer(piece, access.op);
      }
    });
    (kWrite ? traffic.write : traffic.read).hit += hits;
  }

  void read(const Touch& touch, L2Traffic& traffic) {
    const Allocated done = allocate(touch, traffic, traffic.read);
    traffic.hbm_read += done.absent_bytes;
    if (done.hits) reuse(touch, done.hits);
    if (done.hits < touch.requests) pieces_.set_producer(touch.piece, touch.access.op);
  }

  void bypass(const Touch& touch, L2Traffic& traffic) {
    const PieceSteps absent = touch.slice.steps & ~pieces_.present(touch.piece);
    const std::uint32_t hits = hit_requests(touch, a3sim::count(absent));
    L2Traffic::Requests& counted = touch.access.write ? traffic.write : traffic.read;
    counted.hit += hits;
    counted.bypass += touch.requests - hits;
    if (touch.access.write) {
      traffic.hbm_write += std::uint64_t{touch.requests} * kL2Request;
    } else {
      traffic.hbm_read += std::uint64_t{touch.requests - hits} * kL2Request;
      reuse(touch, hits);
    }
  }

  void reuse(const Touch& touch, std::uint32_t hits) {
    reused_[index(touch.access.op) * ops_ + pieces_.producer(touch.piece)] += hits;
  }

  // How many requests hit, and the bytes that were absent.
  struct Allocated {
    std::uint32_t hits;
    std::uint64_t absent_bytes;
  };

  // Makes all that is touched present.
  [[gnu::noinline]] Allocated allocate(const Touch& touch, L2Traffic& traffic, L2Traffic::Requests& counted) {
    const std::uint32_t p = touch.piece;
    const PieceSteps steps = touch.slice.steps, absent = steps & ~pieces_.present(p);
    Allocated done{touch.requests, 0};
    if (absent == 0) {
      policy_of(p).hit({p});
    } else {
      const std::uint32_t count = absent == steps ? touch.slice.count : a3sim::count(absent);
      done = {hit_requests(touch, count), pieces_.bytes(p, absent, count)};
      if (pieces_.any_present(p)) {
        2 * done.hits >= touch.requests ? policy_of(p).hit({p}) : policy_of(p).extend(p);
      }
      if (used_ + done.absent_bytes > size_) traffic.hbm_write += make_room(p, done.absent_bytes);
      if (!pieces_.any_present(p)) policy_of(p).insert(p);
      used_ += done.absent_bytes;
      pieces_.add_present(p, absent);
    }
    if (touch.access.hint == L2Hint::kPersist && !pieces_.persists(p)) make_persistent(p, touch.access);
    counted.hit += done.hits;
    counted.miss += touch.requests - done.hits;
    return done;
  }

  // An access may touch its first and last step in part: what it finds absent is counted as absent in full,
  // so that neighbours that meet within a step both miss.
  static std::uint32_t hit_requests(const Touch& touch, std::uint32_t absent_steps) {
    const std::uint32_t rows = touch.slice.rows, absent = absent_steps << touch.slice.step_shift;
    return absent < rows ? touch.requests / rows * (rows - absent) : 0;
  }

  // Returns the bytes written back. What was present of the incoming piece may be evicted too.
  std::uint64_t make_room(std::uint32_t incoming, std::uint64_t bytes) {
    std::uint64_t written = 0;
    while (used_ + bytes > size_) written += evict(victim(incoming));
    return written;
  }

  std::uint32_t victim(std::uint32_t incoming) {
    const std::uint32_t p = ordinary_->victim(incoming);
    return p == kNone ? persistent_->victim(incoming) : p;
  }

  // Returns the bytes written back.
  std::uint64_t evict(std::uint32_t p) {
    policy_of(p).erase(p);
    const PieceStates::Cleared cleared = pieces_.clear(p);
    used_ -= cleared.present_bytes;
    return cleared.dirty_bytes;
  }

  void make_persistent(std::uint32_t p, const L2Access& access) {
    if (!persistent_) persistent_.emplace(spec_, pieces_.size()).begin(access);
    ordinary_->erase(p);
    pieces_.set_persistent(p);
    persistent_->insert(p);
  }

  Policy& policy_of(std::uint32_t p) { return pieces_.persists(p) ? *persistent_ : *ordinary_; }

  L2Spec spec_;
  std::uint64_t size_;
  std::vector<PieceGrid> grids_;
  PieceStates pieces_;
  std::optional<Policy> ordinary_, persistent_;  // the latter made when the hint is first used
};

}  // namespace a3sim
