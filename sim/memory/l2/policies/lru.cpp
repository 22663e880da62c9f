#include <algorithm>
#include <memory>
#include <vector>

#include "sim/core/ids.h"
#include "sim/memory/l2/policy_of.h"

namespace a3sim {
namespace {

// Ways are in order of use, the latest first. Empty ways are last, so they are filled first.
struct LruLines {
  LruLines(const L2Spec&, std::uint32_t) {}

  void begin(const L2Access&) {}
  template <class Set>
  std::uint32_t hit(Set& set, std::uint32_t, std::uint32_t way) {
    if (way) set.to_front(way, set.tags[way]);
    return 0;
  }
  template <class Set>
  std::uint32_t victim(const Set&, std::uint32_t, typename Set::Mask candidates) {
    return static_cast<std::uint32_t>(std::bit_width(candidates)) - 1;
  }
  template <class Set>
  std::uint32_t fill(Set& set, std::uint32_t, std::uint32_t way, std::uint16_t tag) {
    set.to_front(way, tag);
    return 0;
  }
};

// Keeps a log of uses (of a band, a column, or a run of pieces) and the last use of each of these. The victim
// is the first piece in the log that was not used since. So a use of a whole band or column writes two words,
// however many pieces it has.
class LruPieces {
 public:
  LruPieces(const L2Spec&, const PieceMap& map)
      : map_(map),
        pieces_(std::make_unique_for_overwrite<std::uint64_t[]>(map.pieces())),
        bands_(map.bands.size()),
        columns_(map.columns.size()),
        log_(kLeastLog) {}

  void begin(const L2Access&) {}
  void insert(std::uint32_t piece) { use(piece); }
  void hit(const PieceRun& run) {
    if (run.count == 1) return use(run.first);
    append(Kind::kPieces, run);
    run.each([&](std::uint32_t piece) { single(piece) = now_; });
  }
  void extend(std::uint32_t piece) { use(piece); }
  void erase(std::uint32_t piece) { single(piece) = kGone; }
  void insert_band(std::uint32_t band) {
    bands_[band].alike = bands_[band].present = true;
    hit_band(band);
  }
  void insert_column(std::uint32_t column) {
    const PieceMap::Column& column_data = map_.columns[column];
    PieceRun{column_data.first, column_data.bands, column_data.stride}.each(
        [&](std::uint32_t piece) { single(piece) = 0; });
    hit_column(column);
  }
  void hit_band(std::uint32_t band) {
    append(Kind::kBand, {band});
    bands_[band].when = now_;
  }
  void hit_column(std::uint32_t column) {
    append(Kind::kColumn, {column});
    columns_[column] = now_;
  }

  void erase_band(std::uint32_t band) {
    bands_[band].alike = true;
    bands_[band].present = false;
  }
  // Returns a band whose pieces are the next victims, in order.
  std::uint32_t victim_band() {
    const Use* const use = earliest();
    return use && use->kind == Kind::kBand && none_since(*use) ? use->run.first : kNone;
  }
  std::uint32_t victim(std::uint32_t) {
    const Use* const use = earliest_of_pieces();
    return use ? use->run.first : kNone;
  }
  template <class Evict>
  void each_victim(Evict&& evict) {
    Use* const use = earliest_of_pieces();
    if (!use) return;
    for (PieceRun& run = use->run; run.count; --run.count, run.first += run.stride) {
      const std::uint32_t band = map_.band_of[run.first];
      if (last_use(run.first, band) != use->when) continue;
      if (!evict(run.first, band)) return;
      single(run.first, band) = kGone;
    }
  }

 private:
  static constexpr std::size_t kLeastLog = 1024;
  static constexpr std::uint64_t kGone = ~std::uint64_t{0};  // later than any use

  enum class Kind : std::uint8_t { kPieces, kBand, kColumn };
  struct Use {
    std::uint64_t when;
    PieceRun run;  // or the number of the band or column
    Kind kind;
  };

  // The last use of a band as a whole. If its pieces are in the same state, either all are present and none
  // was used on its own since, or all are gone; then the values by piece are invalid.
  struct Band {
    std::uint64_t when = 0;
    bool alike = true, present = false;
  };
  static std::uint64_t own_of_alike(const Band& band) { return band.present ? 0 : kGone; }

  // Returns the last use of a piece on its own or in a run.
  std::uint64_t& single(std::uint32_t piece) { return single(piece, map_.band_of[piece]); }
  std::uint64_t& single(std::uint32_t piece, std::uint32_t number) {
    Band& band = bands_[number];
    if (band.alike) {
      std::fill_n(&pieces_[map_.bands[number].first], map_.bands[number].cols, own_of_alike(band));
      band.alike = false;
    }
    return pieces_[piece];
  }

  std::uint64_t last_use(std::uint32_t piece) const { return last_use(piece, map_.band_of[piece]); }
  std::uint64_t last_use(std::uint32_t piece, std::uint32_t number) const {
    const PieceMap::Band& place = map_.bands[number];
    const Band& band = bands_[number];
    const std::uint64_t own = band.alike ? own_of_alike(band) : pieces_[piece];
    return std::max({own, band.when, columns_[place.first_column + piece - place.first]});
  }
  // True if this is the last use of its band or column.
  bool last_of_group(const Use& use) const {
    if (use.kind == Kind::kBand) return bands_[use.run.first].when == use.when;
    return use.kind != Kind::kColumn || columns_[use.run.first] == use.when;
  }
  bool none_since(const Use& use) const {
    const PieceMap::Band& band = map_.bands[use.run.first];
    std::uint64_t latest = 0;
    for (std::uint32_t i = 0; i < band.cols; ++i) {
      latest = std::max(latest, columns_[band.first_column + i]);
    }
    if (bands_[use.run.first].alike) {
      latest = std::max(latest, own_of_alike(bands_[use.run.first]));
    } else {
      for (std::uint32_t i = 0; i < band.cols; ++i) latest = std::max(latest, pieces_[band.first + i]);
    }
    return latest <= use.when;
  }
  // Returns the first use in the log that is the last of something. Removes entries that were used again or
  // erased since.
  Use* earliest() {
    for (; begin_ < end_; ++begin_) {
      Use& use = log_[begin_];
      if (use.kind != Kind::kPieces) {
        if (last_of_group(use)) return &use;
        continue;
      }
      if (drop_used_since(use)) return &use;
    }
    return nullptr;
  }
  // Removes the first pieces of a run that were used again or erased since. Returns true if one is left.
  bool drop_used_since(Use& use) const {
    for (PieceRun& run = use.run; run.count; --run.count, run.first += run.stride) {
      if (last_use(run.first) == use.when) return true;
    }
    return false;
  }
  Use* earliest_of_pieces() {
    Use* use = earliest();
    for (; use && use->kind != Kind::kPieces; use = earliest()) make_pieces(*use);
    return use;
  }
  // Turns a use of a band or column into a use of its pieces.
  void make_pieces(Use& use) {
    if (use.kind == Kind::kBand) {
      const PieceMap::Band& band = map_.bands[use.run.first];
      use.run = {band.first, band.cols, 1};
    } else if (use.kind == Kind::kColumn) {
      const PieceMap::Column& column = map_.columns[use.run.first];
      use.run = {column.first, column.bands, column.stride};
    }
    use.kind = Kind::kPieces;
  }

  void append(Kind kind, const PieceRun& run) {
    if (end_ == log_.size()) drop_old();
    log_[end_++] = {++now_, run, kind};
  }

  // Pieces that are used one by one, each adjacent to the one before, also form a run.
  void use(std::uint32_t piece) {
    const auto extends = [piece](const Use& use) {
      return use.kind == Kind::kPieces && use.run.stride == 1 && use.run.first + use.run.count == piece;
    };
    if (begin_ < end_ && extends(log_[end_ - 1])) {
      ++log_[end_ - 1].run.count;
    } else {
      append(Kind::kPieces, {piece});
    }
    single(piece) = now_;
  }

  // Keeps the uses that were the last of some piece, band or column, and at least three quarters of the log
  // free, so that a use takes constant time on average.
  [[gnu::noinline]] void drop_old() {
    std::size_t kept = 0;
    for (std::size_t i = begin_; i < end_; ++i) {
      Use& use = log_[i];
      const bool last = use.kind == Kind::kPieces ? drop_used_since(use) : last_of_group(use);
      log_[kept] = use;
      kept += last;
    }
    begin_ = 0;
    end_ = kept;
    if (kept > log_.size() / 4) log_.resize(8 * kept);
  }

  const PieceMap& map_;
  std::unique_ptr<std::uint64_t[]> pieces_;  // last use, one by one or in runs
  std::vector<Band> bands_;
  std::vector<std::uint64_t> columns_;  // last use as a whole
  std::vector<Use> log_;                // in order, from begin_ to end_
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t now_ = 0;  // of the last use
};

A3SIM_REGISTER(L2Policy, "lru", "the least recently used line is evicted", L2PolicyOf<LruLines, LruPieces>);

}  // namespace
}  // namespace a3sim
