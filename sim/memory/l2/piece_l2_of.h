#pragma once

#include <bit>
#include <concepts>
#include <optional>
#include <vector>

#include "sim/memory/l2/piece_bands.h"
#include "sim/memory/l2/piece_grid.h"
#include "sim/memory/l2/piece_l2.h"
#include "sim/memory/l2/piece_states.h"

namespace a3sim {

// PieceL2 with one policy. A policy is constructed from (spec, number of pieces) and has
//   void begin(const L2Access& access)     tells operator, unit, hint and direction of the following calls
//   void insert(uint32 piece)              the piece was absent
//   void hit(PieceRun run)                 most or all of what was touched of the pieces was present
//   void extend(uint32 piece)              what was touched was absent, but more of the piece was present
//   void erase(uint32 piece)               the piece is evicted
//   uint32 victim(uint32 incoming)         returns a piece to evict; kNone only if it holds none
// Persistent pieces have a policy object of their own, which is asked last.
//
// A policy may also handle bands and columns of pieces (PieceMap) as a whole. Then it is constructed from
// (spec, map) and has
//   void insert_band(uint32 band)          all pieces were absent
//   void hit_band(uint32 band)             like hit() and extend() of the pieces, in order
//   void insert_column(uint32 column)
//   void hit_column(uint32 column)
//   void erase_band(uint32 band)           all pieces are evicted
//   uint32 victim_band()                   returns a band whose pieces are the next victims, in order, or kNone
//   void each_victim(evict)                calls evict(piece, band) for the next victims that were used
//                                          together, in order, until it returns false: that piece stays
template <class Policy>
concept TakesBands = std::constructible_from<Policy, const L2Spec&, const PieceMap&>;

template <class Policy>
class PieceL2Of final : public PieceL2 {
 public:
  PieceL2Of(const L2Spec& spec, std::span<const L2Tensor> tensors, std::uint32_t ops)
      : PieceL2(ops),
        spec_(spec),
        size_(static_cast<std::uint64_t>(spec.size.count)),
        grids_(grids_of(tensors)),
        pieces_(grids_),
        map_(grids_),
        bands_(grids_, map_, pieces_) {
    make_policy(ordinary_);
  }

  L2Traffic access(const L2Access& access) override {
    PieceGrid& grid = grids_.at(index(access.tensor));
    check_inside(access, grid.rows(), grid.row_bytes());
    L2Traffic traffic;
    if (access.byte_begin == access.byte_end || access.rows.empty()) return traffic;
    ordinary_->begin(access);
    if (persistent_) persistent_->begin(access);
    const Width width(access);
    if (access.hint == L2Hint::kBypass) {
      pass_by(grid, access, width, traffic);
    } else if (access.write) {
      pass<true>(grid, access, width, traffic);
    } else if (!read_at_once(grid, access, width, traffic)) {
      pass<false>(grid, access, width, traffic);
    }
    count(access, traffic);
    return traffic;
  }

  std::vector<std::uint64_t> held() const override {
    std::vector<std::uint64_t> bytes;
    for (const PieceGrid& grid : grids_) {
      const std::uint32_t end = grid.end().band;
      bytes.push_back(0);
      for (std::uint32_t band = end - grid.bands(); band < end; ++band) bytes.back() += held_of(band);
    }
    return bytes;
  }

  std::uint64_t flush() override {
    std::uint64_t written = 0;
    for (std::uint32_t p = 0; p < pieces_.size(); ++p) {
      split(map_.band_of[p]);
      if (pieces_.any_present(p)) written += evict(p);
    }
    return written;
  }

 private:
  // The part of an access that is in one piece.
  struct Touch {
    const L2Access& access;
    const PieceGrid::Slice& slice;
    std::uint32_t piece;
    std::uint32_t requests;
  };

  static std::vector<PieceGrid> grids_of(std::span<const L2Tensor> tensors) {
    std::vector<PieceGrid> grids;
    for (const L2Tensor& tensor : tensors)
      grids.emplace_back(tensor, grids.empty() ? PieceGrid::First{} : grids.back().end());
    return grids;
  }

  // The columns and requests of each row that an access touches.
  struct Width {
    explicit Width(const L2Access& access)
        : first(access.byte_begin / kL2Line),
          cols((access.byte_end - 1) / kL2Line - first + 1),
          first_request(access.byte_begin / kL2Request),
          requests((access.byte_end - 1) / kL2Request - first_request + 1) {}
    std::uint32_t first, cols, first_request, requests;
  };

  // Calls visit(slice, piece, requests) for each piece of a slice, in order.
  template <class Visit>
  void walk(const Width& width, const PieceGrid::Slice& slice, Visit&& visit) {
    split(slice.band);
    const std::uint32_t end_request = width.first_request + width.requests;
    std::uint32_t request = width.first_request;
    for (std::uint32_t col = width.first; col < width.first + width.cols; ++col) {
      const std::uint32_t end = std::min(end_request, (col + 1) * (kL2Line / kL2Request));
      visit(slice, slice.first_piece + col, (end - request) * slice.rows);
      request = end;
    }
  }

  bool plain(const L2Access& access) const { return access.hint == L2Hint::kNormal && !persistent_; }

  // A shortcut for reads of data that is fully present from one producer, the usual case: avoids the walk
  // from band to band. Returns false in other cases, with no effect except that room may have been made.
  bool read_at_once(PieceGrid& grid, const L2Access& access, const Width& width, L2Traffic& traffic) {
    if (!plain(access)) return false;
    if constexpr (TakesBands<Policy>) {
      if (width.cols == 1) {
        const PieceGrid::Bands bands = grid.bands_of(access.rows);
        if (bands.first_column != kNone) return read_column(access, width, bands, traffic);
        return grid.cols() > 1 && read_whole(grid, access, width, bands, traffic);
      }
      if (width.cols == grid.cols()) return false;  // pass() takes whole bands
    }
    return read_whole(grid, access, width, grid.bands_of(access.rows), traffic);
  }

  // Reads a column of a part if it is fully present from one producer, or fully absent.
  bool read_column(const L2Access& access, const Width& width, const PieceGrid::Bands& bands,
                   L2Traffic& traffic)
    requires TakesBands<Policy>
  {
    const std::uint32_t number = bands.first_column + width.first;
    const PieceBands::Column column = bands_.look_at_column(number, bands.first);
    if (!column.whole) return bands.all_rows && fetch_column(access, width, bands, traffic);
    ordinary_->hit_column(number);
    count_found(access, width.requests, column.producer, traffic);
    touched_ += bands.count;
    return true;
  }

  // Reads an absent column.
  bool fetch_column(const L2Access& access, const Width& width, const PieceGrid::Bands& bands,
                    L2Traffic& traffic)
    requires TakesBands<Policy>
  {
    const std::uint32_t number = bands.first_column + width.first;
    if (!bands_.absent_along(number, bands.first)) return false;
    const std::uint32_t line =
        std::min(kL2Line, grids_[index(access.tensor)].row_bytes() - width.first * kL2Line);
    const std::uint64_t bytes = std::uint64_t{line} * access.rows.size();
    if (!make_room_beside(kNone, bytes, traffic)) return false;
    bands_.fill_column(number, bands.first, access.op);
    ordinary_->insert_column(number);
    used_ += bytes;
    traffic.read.miss += std::uint64_t{width.requests} * access.rows.size();
    traffic.hbm_read += bytes;
    touched_ += bands.count;
    return true;
  }

  // Reads whole pieces in loops of a few instructions per piece.
  bool read_whole(const PieceGrid& grid, const L2Access& access, const Width& width,
                  const PieceGrid::Bands& bands, L2Traffic& traffic) {
    for (std::uint32_t i = 0; i < bands.count; ++i) split(bands.first + i);
    const std::uint32_t first = bands.first_piece + width.first, cols = width.cols;
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
    count_found(access, width.requests, producer, traffic);
    touched_ += std::uint64_t{cols} * bands.count;
    return true;
  }

  void count_found(const L2Access& access, std::uint32_t a_row, std::uint32_t producer, L2Traffic& traffic) {
    const std::uint64_t all = std::uint64_t{a_row} * access.rows.size();
    traffic.read.hit += all;
    reused_[std::size_t{index(access.op)} * ops_ + producer] += all;
  }

  void pass_by(PieceGrid& grid, const L2Access& access, const Width& width, L2Traffic& traffic) {
    grid.slices(access.rows, [&](const PieceGrid::Slice& slice) {
      walk(width, slice, [&](const PieceGrid::Slice&, std::uint32_t piece, std::uint32_t requests) {
        bypass({access, slice, piece, requests}, traffic);
      });
      touched_ += width.cols;
    });
  }

  // Handles whole bands if bands are accessed in their full width.
  template <bool kWrite>
  void pass(PieceGrid& grid, const L2Access& access, const Width& width, L2Traffic& traffic) {
    const bool bands = TakesBands<Policy> && width.cols == grid.cols() && plain(access);
    grid.slices(access.rows, [&](const PieceGrid::Slice& slice) {
      if (!bands || !take_band<kWrite>(access, slice, width.requests, traffic)) {
        pass<kWrite>(access, width, slice, traffic);
      }
      touched_ += width.cols;
    });
  }

  // Returns false if the pieces must be handled one by one; room may have been made by then.
  template <bool kWrite>
  bool take_band(const L2Access& access, const PieceGrid::Slice& slice, std::uint32_t a_row,
                 L2Traffic& traffic) {
    if constexpr (TakesBands<Policy>) {
      PieceBands::Band& band = bands_.visit(slice.band);
      const bool uniform = band.state == PieceBands::State::kUniform;
      if (!uniform && (kWrite || band.state == PieceBands::State::kSplit)) return false;
      L2Traffic::Requests& counted = kWrite ? traffic.write : traffic.read;
      const Sectors absent = uniform ? slice.sectors & ~band.present : 0;
      std::uint32_t hit_rows = slice.rows;
      if (absent == 0) {
        ordinary_->hit_band(slice.band);
      } else {
        const std::uint32_t sectors = absent == slice.sectors ? slice.count : a3sim::count(absent);
        const std::uint64_t bytes = band.bytes(absent, sectors);
        if (used_ + bytes > size_ && !make_room_beside(slice.band, bytes, traffic)) return false;
        hit_rows = present_rows(slice, sectors);
        band.held == 0 ? ordinary_->insert_band(slice.band) : ordinary_->hit_band(slice.band);
        band.held = width_of(slice.band);
        band.present |= absent;
        used_ += bytes;
        counted.miss += std::uint64_t{a_row} * (slice.rows - hit_rows);
        if (!kWrite) traffic.hbm_read += bytes;
      }
      const std::uint64_t hits = std::uint64_t{a_row} * hit_rows;
      counted.hit += hits;
      if (!kWrite) reused_[std::size_t{index(access.op)} * ops_ + band.producer] += hits;
      if (kWrite) band.dirty |= slice.sectors;
      if ((kWrite || absent) && band.producer != index(access.op)) {
        band.producer = static_cast<std::uint16_t>(index(access.op));
        bands_.rewritten(slice.band);
      }
      return true;
    }
    return false;
  }

  // Makes room for more of a band by evicting pieces of other bands. Returns false, possibly after some
  // evictions, as soon as a piece of the band itself would be the next.
  bool make_room_beside(std::uint32_t band, std::uint64_t bytes, L2Traffic& traffic)
    requires TakesBands<Policy>
  {
    while (used_ + bytes > size_) {
      if (const std::uint32_t whole = ordinary_->victim_band();
          whole != kNone && whole != band && !bands_.is_split(whole) &&
          used_ + bytes > size_ + bands_.bytes_before_last(whole)) {
        ordinary_->erase_band(whole);
        const PieceStates::Cleared cleared = bands_.clear(whole);
        used_ -= cleared.present_bytes;
        traffic.hbm_write += cleared.dirty_bytes;
        continue;
      }
      const std::uint64_t before = used_;
      traffic.hbm_write +=
          evict_while([&](std::uint32_t candidate) { return used_ + bytes > size_ && candidate != band; });
      if (used_ == before) return false;
    }
    return true;
  }

  // Handles an access piece by piece.
  template <bool kWrite>
  void pass(const L2Access& access, const Width& width, const PieceGrid::Slice& slice, L2Traffic& traffic) {
    const bool plain = this->plain(access);
    std::uint64_t* const reused = &reused_[std::size_t{index(access.op)} * ops_];
    std::uint64_t hits = 0;
    walk(width, slice, [&](const PieceGrid::Slice&, std::uint32_t piece, std::uint32_t requests) {
      if (plain && pieces_.all_present(piece)) {
        ordinary_->hit({piece});
        hits += requests;
        if (!kWrite) reused[pieces_.producer(piece)] += requests;
      } else if (plain && pieces_.is_all_of_absent(piece, slice.sectors)) {
        bring<kWrite>(piece, requests, access.op, traffic);
        return;
      } else {
        const Touch touch{access, slice, piece, requests};
        if (kWrite) {
          allocate(touch, traffic, traffic.write);
        } else {
          read(touch, traffic);
        }
      }
      if (kWrite) {
        if (!pieces_.all_dirty(piece)) pieces_.add_dirty(piece, slice.sectors);
        set_producer(piece, access.op);
      }
    });
    (kWrite ? traffic.write : traffic.read).hit += hits;
  }

  // Handles an absent piece that is touched in full.
  template <bool kWrite>
  void bring(std::uint32_t p, std::uint32_t requests, OpId op, L2Traffic& traffic) {
    const std::uint64_t bytes = pieces_.bytes(p);
    if (used_ + bytes > size_) traffic.hbm_write += make_room(p, bytes);
    ordinary_->insert(p);
    if constexpr (TakesBands<Policy>) bands_.brought(p);
    pieces_.fill(p, op, kWrite);
    used_ += bytes;
    (kWrite ? traffic.write : traffic.read).miss += requests;
    if (!kWrite) traffic.hbm_read += bytes;
  }

  void read(const Touch& touch, L2Traffic& traffic) {
    const Allocated done = allocate(touch, traffic, traffic.read);
    traffic.hbm_read += done.absent_bytes;
    if (done.hits) reuse(touch, done.hits);
    if (done.hits < touch.requests) set_producer(touch.piece, touch.access.op);
  }

  void bypass(const Touch& touch, L2Traffic& traffic) {
    const Sectors absent = touch.slice.sectors & ~pieces_.present(touch.piece);
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

  // The number of requests that hit, and the bytes that were absent.
  struct Allocated {
    std::uint32_t hits;
    std::uint64_t absent_bytes;
  };

  // Makes all that is touched present.
  [[gnu::noinline]] Allocated allocate(const Touch& touch, L2Traffic& traffic, L2Traffic::Requests& counted) {
    const std::uint32_t p = touch.piece;
    const Sectors sectors = touch.slice.sectors, absent = sectors & ~pieces_.present(p);
    Allocated done{touch.requests, 0};
    if (absent == 0) {
      policy_of(p).hit({p});
    } else {
      const std::uint32_t count = absent == sectors ? touch.slice.count : a3sim::count(absent);
      done = {hit_requests(touch, count), pieces_.bytes(p, absent, count)};
      if (pieces_.any_present(p)) {
        2 * done.hits >= touch.requests ? policy_of(p).hit({p}) : policy_of(p).extend(p);
      }
      if (used_ + done.absent_bytes > size_) traffic.hbm_write += make_room(p, done.absent_bytes);
      if (!pieces_.any_present(p)) insert(p);
      used_ += done.absent_bytes;
      pieces_.add_present(p, absent);
    }
    if (touch.access.hint == L2Hint::kPersist && !pieces_.persists(p)) make_persistent(p, touch.access);
    counted.hit += done.hits;
    counted.miss += touch.requests - done.hits;
    return done;
  }

  // An access may touch its first and last sector in part. Absent sectors count as absent in full, so two
  // neighbours that meet within a sector both miss.
  static std::uint32_t hit_requests(const Touch& touch, std::uint32_t absent_sectors) {
    return touch.requests / touch.slice.rows * present_rows(touch.slice, absent_sectors);
  }
  static std::uint32_t present_rows(const PieceGrid::Slice& slice, std::uint32_t absent_sectors) {
    const std::uint32_t absent = absent_sectors << slice.sector_shift;
    return absent < slice.rows ? slice.rows - absent : 0;
  }

  // Returns the bytes written back. May evict the present part of the incoming piece too.
  std::uint64_t make_room(std::uint32_t incoming, std::uint64_t bytes) {
    std::uint64_t written = 0;
    while (used_ + bytes > size_) {
      const std::uint64_t before = used_;
      if constexpr (TakesBands<Policy>) {
        written += evict_while([&](std::uint32_t) { return used_ + bytes > size_; });
      }
      if (used_ == before) written += evict(victim(incoming));
    }
    return written;
  }

  // Evicts the next victims that were used together, while `more(band)` returns true. Returns the bytes
  // written back.
  template <class More>
  std::uint64_t evict_while(More&& more)
    requires TakesBands<Policy>
  {
    std::uint64_t written = 0;
    ordinary_->each_victim([&](std::uint32_t p, std::uint32_t band) {
      if (!more(band)) return false;
      written += clear(p, band);
      return true;
    });
    return written;
  }

  std::uint32_t victim(std::uint32_t incoming) {
    const std::uint32_t p = ordinary_->victim(incoming);
    return p == kNone ? persistent_->victim(incoming) : p;
  }

  // Returns the bytes written back.
  std::uint64_t evict(std::uint32_t p) {
    policy_of(p).erase(p);
    return clear(p, map_.band_of[p]);
  }
  std::uint64_t clear(std::uint32_t p, std::uint32_t band) {
    split(band);
    if constexpr (TakesBands<Policy>) bands_.erased(p, band);
    const PieceStates::Cleared cleared = pieces_.clear(p);
    used_ -= cleared.present_bytes;
    return cleared.dirty_bytes;
  }

  void make_persistent(std::uint32_t p, const L2Access& access) {
    if (!persistent_) make_policy(persistent_).begin(access);
    ordinary_->erase(p);
    pieces_.set_persistent(p);
    persistent_->insert(p);
  }

  void insert(std::uint32_t p) {
    policy_of(p).insert(p);
    if constexpr (TakesBands<Policy>) bands_.inserted(p);
  }
  void set_producer(std::uint32_t p, OpId op) {
    if constexpr (TakesBands<Policy>) bands_.written(p, op);
    pieces_.set_producer(p, op);
  }
  void split(std::uint32_t band) {
    if constexpr (TakesBands<Policy>) bands_.split(band);
  }
  std::uint64_t held_of(std::uint32_t band) const {
    if constexpr (TakesBands<Policy>) {
      if (!bands_.is_split(band)) return bands_.bytes(band);
    }
    std::uint64_t bytes = 0;
    const PieceMap::Band& place = map_.bands[band];
    PieceRun{place.first, place.cols, 1}.each(
        [&](std::uint32_t piece) { bytes += pieces_.present_bytes(piece); });
    return bytes;
  }
  std::uint32_t width_of(std::uint32_t band) const { return map_.bands[band].cols; }

  Policy& make_policy(std::optional<Policy>& policy) {
    if constexpr (TakesBands<Policy>) {
      return policy.emplace(spec_, map_);
    } else {
      return policy.emplace(spec_, pieces_.size());
    }
  }
  Policy& policy_of(std::uint32_t p) { return pieces_.persists(p) ? *persistent_ : *ordinary_; }

  L2Spec spec_;
  std::uint64_t size_;
  std::vector<PieceGrid> grids_;
  PieceStates pieces_;
  PieceMap map_;
  PieceBands bands_;
  std::optional<Policy> ordinary_, persistent_;  // the latter made when the hint is first used
};

}  // namespace a3sim
