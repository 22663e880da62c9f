#include <algorithm>

#include "models/operators/engine_put.h"
#include "scheduler/ssc/ssc_flaw.h"

namespace a3sim {
namespace {

constexpr std::uint32_t kMostWorkers = 1 << 16, kMostKinds = 16;
constexpr auto kLastDataType = DataType::kMxfp4;

// Checks tables in the order in which they depend on each other, up to the first flaw.
class TableCheck : public FlawFinder {
 public:
  using FlawFinder::FlawFinder;

  bool run() {
    return header() && kinds() && tensors() && operators() && tilings() && worker_sets() && events() &&
           regions();
  }

 private:
  bool capacities(std::span<const std::uint32_t> rows, const char* what, std::uint64_t& sum) {
    const MoeShape& s = ssc_.shape();
    const std::uint64_t expected = std::uint64_t{s.experts_per_rank} * s.ep;
    if (rows.size() != expected) {
      return fail(SscItem::kHeader, 0, "{} {} capacities, {} expected", rows.size(), what, expected);
    }
    for (std::uint32_t r : rows) sum += r;
    if (sum > kMaxRows)
      return fail(SscItem::kHeader, 0, "{} rows of {} capacity, at most {}", sum, what, kMaxRows);
    return true;
  }

  bool header() {
    const MoeShape& s = ssc_.shape();
    if (index(ssc_.rank()) >= s.ep) {
      return fail(SscItem::kHeader, 0, "rank {} of {} ranks", index(ssc_.rank()), s.ep);
    }
    if (std::uint64_t{s.experts_per_rank} * s.ep > kMaxRows) {
      return fail(SscItem::kHeader, 0, "{} experts on each of {} ranks are too many", s.experts_per_rank,
                  s.ep);
    }
    if (s.dtype > kLastDataType) return fail(SscItem::kHeader, 0, "unknown data type {}", int(s.dtype));
    if (ssc_.assignment() > Assignment::kShared) {
      return fail(SscItem::kHeader, 0, "unknown assignment {}", int(ssc_.assignment()));
    }
    return capacities(ssc_.sent_capacity(), "sent", sent_) &&
           capacities(ssc_.received_capacity(), "received", received_);
  }

  // Names, including those of queues, must be unique and printable in the text form.
  bool kinds() {
    const WorkerKinds& all = ssc_.kinds();
    if (all.empty() || all.size() > kMostKinds)
      return fail(SscItem::kHeader, 0, "{} kinds of worker, expected 1 to {}", all.size(), kMostKinds);
    for (std::uint32_t q = 0; q < all.size(); ++q) {
      const WorkerKind& kind = all[q];
      if (kind.count > kMostWorkers)
        return fail(SscItem::kKind, q, "{} workers of the {}, at most {}", kind.count, kind.queue(),
                    kMostWorkers);
      if (!is_kind_name(kind.name))
        return fail(SscItem::kKind, q, "kind {}: its name is not one of up to 32 capitals, digits and _", q);
      if (std::ranges::find(kind.units, true) == kind.units.end() && kind.operators.empty() &&
          kind.name != kCopyEngineKind)
        return fail(SscItem::kKind, q, "kind {}: {} runs nothing", q, kind.name);
      for (std::uint32_t before = 0; before < q; ++before) {
        if (all[before].queue() == kind.queue())
          return fail(SscItem::kKind, q, "kind {}: another has a {} too", q, kind.queue());
      }
    }
    return true;
  }

  // Returns the rows that a tensor of this layout must have, or nullopt if any number is allowed.
  std::optional<std::uint64_t> rows_of(Layout layout) const {
    switch (layout) {
      case Layout::kTokens:
        return ssc_.shape().tokens;
      case Layout::kSent:
        return sent_;
      case Layout::kReceived:
        return received_;
      default:
        return std::nullopt;
    }
  }

  bool tensors() {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const TensorInfo& t = tensors_[i];
      if (t.layout > Layout::kWeights) {
        return fail(SscItem::kTensor, i, "tensor {}: unknown layout {}", i, int(t.layout));
      }
      if (t.dtype > kLastDataType) {
        return fail(SscItem::kTensor, i, "tensor {}: unknown data type {}", i, int(t.dtype));
      }
      const auto expected = rows_of(t.layout);
      if (expected && t.rows != *expected) {
        return fail(SscItem::kTensor, i, "tensor {}: {} rows, its layout has {}", i, t.rows, *expected);
      }
      const std::uint32_t experts = ssc_.shape().experts_per_rank;
      if (t.layout == Layout::kWeights && (experts == 0 || t.rows % experts != 0)) {
        return fail(SscItem::kTensor, i, "tensor {}: {} rows of weights for {} experts", i, t.rows, experts);
      }
      constexpr auto kMaxBytes = std::numeric_limits<std::int64_t>::max();
      if (t.rows != 0 && t.row_bytes() > static_cast<std::uint64_t>(kMaxBytes) / t.rows) {
        return fail(SscItem::kTensor, i, "tensor {}: {} x {} elements are too many", i, t.rows, t.cols);
      }
    }
    return true;
  }

  bool operators() {
    for (std::size_t i = 0; i < ssc_.operators().size(); ++i) {
      const OperatorInfo& o = ssc_.operators()[i];
      for (const auto* ids : {&o.inputs, &o.outputs}) {
        for (TensorId id : *ids) {
          if (!below(SscItem::kOperator, i, "tensor", index(id), tensors_.size())) return false;
        }
      }
    }
    return true;
  }

  bool tilings() {
    for (std::size_t i = 0; i < ssc_.tilings().size(); ++i) {
      const Tiling& t = ssc_.tilings()[i];
      if (t.base_m == 0 || t.base_n == 0 || t.base_k == 0 || t.step_k == 0) {
        return fail(SscItem::kTiling, i, "tiling {}: a size of 0", i);
      }
      for (const std::uint32_t buffers : {t.l1_buffers, t.l0_buffers, t.l0c_buffers}) {
        if (buffers != 1 && buffers != 2) {
          return fail(SscItem::kTiling, i, "tiling {}: {} buffers, expected 1 or 2", i, buffers);
        }
      }
      if (static_cast<std::size_t>(t.order) >= kCountOf<BlockOrder>) {
        return fail(SscItem::kTiling, i, "tiling {}: unknown block order {}", i,
                    static_cast<std::uint32_t>(t.order));
      }
      if (t.order == BlockOrder::kStrips && t.strip == 0) {
        return fail(SscItem::kTiling, i, "tiling {}: strips of no columns", i);
      }
      if (static_cast<std::size_t>(t.unit_flag) >= kCountOf<UnitFlag>) {
        return fail(SscItem::kTiling, i, "tiling {}: unknown unit flag {}", i,
                    static_cast<std::uint32_t>(t.unit_flag));
      }
    }
    return true;
  }

  bool worker_sets() {
    for (std::size_t i = 0; i < ssc_.worker_sets().size(); ++i) {
      const WorkerSet& w = ssc_.worker_sets()[i];
      if (w.queue_type >= ssc_.queues()) {
        return fail(SscItem::kWorkerSet, i, "worker set {}: unknown queue {}", i, w.queue_type);
      }
      const std::uint32_t workers = ssc_.workers(w.queue_type);
      if (w.count == 0 || std::uint64_t{w.first} + w.count > workers) {
        return fail(SscItem::kWorkerSet, i, "worker set {}: {} workers from {} of {}", i, w.count, w.first,
                    workers);
      }
    }
    return true;
  }

  bool events() {
    for (std::size_t i = 0; i < ssc_.events().size(); ++i) {
      const EventDescriptor& e = ssc_.events()[i];
      if (e.threshold == 0) return fail(SscItem::kEvent, i, "event {}: threshold 0", i);
      if (e.done > 1) return fail(SscItem::kEvent, i, "event {}: done is {}, 0 or 1 expected", i, e.done);
    }
    return true;
  }

  bool regions() {
    const std::uint32_t ranks = ssc_.shape().ep, own = index(ssc_.rank());
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      const Region& r = regions_[i];
      if (!below(SscItem::kRegion, i, "tensor", r.tensor, tensors_.size()) ||
          !below(SscItem::kRegion, i, "rank", r.rank, ranks) ||
          !below(SscItem::kRegion, i, "share", r.share, r.shares)) {
        return false;
      }
      // Only the schedules of other ranks know their numbers of rows.
      const std::uint64_t rows = r.rank == own ? tensors_[r.tensor].rows : kMaxRows;
      if (r.row_begin > r.row_end || r.row_end > rows) {
        return fail(SscItem::kRegion, i, "region {}: rows {} to {} of {}", i, r.row_begin, r.row_end, rows);
      }
    }
    return true;
  }

  std::uint64_t sent_ = 0, received_ = 0;
};

}  // namespace

std::optional<SscFlaw> find_table_flaw(const Ssc& ssc) {
  TableCheck check(ssc);
  check.run();
  return std::move(check).flaw();
}

}  // namespace a3sim
