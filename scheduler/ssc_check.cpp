#include "scheduler/ssc_check.h"

#include <fmt/format.h>

#include <limits>
#include <vector>

namespace a3sim {
namespace {

constexpr std::uint64_t kMaxRows = std::numeric_limits<std::uint32_t>::max();

// Walks the tables in the order in which they rely on each other; the first flaw ends it.
class Check {
 public:
  explicit Check(const Ssc& ssc) : ssc_(ssc) {}

  std::optional<SscFlaw> run() {
    const bool sound = header() && tensors() && operators() && tilings() && worker_sets() && events() &&
                       regions() && tasks() && task_indices() && queue(QueueType::kCtq) &&
                       queue(QueueType::kVtq);
    return sound ? std::nullopt : std::move(flaw_);
  }

 private:
  template <class... Args>
  bool fail(SscItem item, std::size_t i, fmt::format_string<Args...> format, Args&&... args) {
    flaw_ = SscFlaw{item, i, fmt::format(format, std::forward<Args>(args)...)};
    return false;
  }

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
    if (s.dtype > DataType::kInt8) return fail(SscItem::kHeader, 0, "unknown data type {}", int(s.dtype));
    if (ssc_.assignment() > Assignment::kShared) {
      return fail(SscItem::kHeader, 0, "unknown assignment {}", int(ssc_.assignment()));
    }
    return capacities(ssc_.sent_capacity(), "sent", sent_) &&
           capacities(ssc_.received_capacity(), "received", received_);
  }

  // Rows that a tensor of this layout must have; none where they are free.
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
    for (std::size_t i = 0; i < ssc_.tensors().size(); ++i) {
      const TensorInfo& t = ssc_.tensors()[i];
      if (t.layout > Layout::kWeights) {
        return fail(SscItem::kTensor, i, "tensor {}: unknown layout {}", i, int(t.layout));
      }
      if (t.dtype > DataType::kInt8) {
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
          if (index(id) < ssc_.tensors().size()) continue;
          return fail(SscItem::kOperator, i, "operator {}: tensor {} of {}", i, index(id),
                      ssc_.tensors().size());
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
    }
    return true;
  }

  bool worker_sets() {
    for (std::size_t i = 0; i < ssc_.worker_sets().size(); ++i) {
      const WorkerSet& w = ssc_.worker_sets()[i];
      if (w.queue_type >= kQueues) {
        return fail(SscItem::kWorkerSet, i, "worker set {}: unknown queue {}", i, w.queue_type);
      }
      const std::uint32_t workers = ssc_.workers(static_cast<QueueType>(w.queue_type));
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
    for (std::size_t i = 0; i < ssc_.regions().size(); ++i) {
      const Region& r = ssc_.regions()[i];
      if (r.tensor >= ssc_.tensors().size()) {
        return fail(SscItem::kRegion, i, "region {}: tensor {} of {}", i, r.tensor, ssc_.tensors().size());
      }
      if (r.rank >= ssc_.shape().ep) {
        return fail(SscItem::kRegion, i, "region {}: rank {} of {}", i, r.rank, ssc_.shape().ep);
      }
      // How many rows other ranks have, only their schedules say.
      const std::uint64_t rows = r.rank == index(ssc_.rank()) ? ssc_.tensors()[r.tensor].rows : kMaxRows;
      if (r.row_begin > r.row_end || r.row_end > rows) {
        return fail(SscItem::kRegion, i, "region {}: rows {} to {} of {}", i, r.row_begin, r.row_end, rows);
      }
      if (r.share >= r.shares)
        return fail(SscItem::kRegion, i, "region {}: share {} of {}", i, r.share, r.shares);
    }
    return true;
  }

  bool below(std::size_t i, const char* what, std::uint64_t value, std::uint64_t limit) {
    return value < limit || fail(SscItem::kTask, i, "task {}: {} {} of {}", i, what, value, limit);
  }
  bool below_or(std::uint32_t none, std::size_t i, const char* what, std::uint64_t value,
                std::uint64_t limit) {
    return value == none || below(i, what, value, limit);
  }

  bool task(std::size_t i, const TaskDescriptor& td) {
    const MoeShape& s = ssc_.shape();
    if (!below(i, "queue", td.queue_type, kQueues) || !below(i, "operator", td.op, ssc_.operators().size()) ||
        !below(i, "worker set", td.worker_set, ssc_.worker_sets().size())) {
      return false;
    }
    if (ssc_.worker_sets()[td.worker_set].queue_type != td.queue_type) {
      return fail(SscItem::kTask, i, "task {}: its worker set {} is of the other queue", i, td.worker_set);
    }
    const std::uint64_t regions = std::uint64_t{td.first_region} + td.num_inputs + td.num_outputs;
    if (regions > ssc_.regions().size()) {
      return fail(SscItem::kTask, i, "task {}: regions up to {} of {}", i, regions, ssc_.regions().size());
    }
    const bool remote = td.trigger_rank != index(ssc_.rank());
    return below_or(kNone, i, "dependent event", td.dependent_event, ssc_.events().size()) &&
           below(i, "trigger rank", td.trigger_rank, s.ep) &&
           below(i, "trigger event", td.trigger_event, remote ? kMaxRows : ssc_.events().size()) &&
           below_or(kNone, i, "tiling", td.tiling_data_position, ssc_.tilings().size()) &&
           below_or(kNoExpert, i, "expert", td.expert, s.experts_per_rank) &&
           below_or(kNone, i, "global expert", td.gexpert, s.experts()) &&
           below(i, "source rank", td.src, s.ep) && below(i, "destination rank", td.dst, s.ep);
  }

  bool tasks() {
    for (std::size_t i = 0; i < ssc_.tasks().size(); ++i) {
      if (!task(i, ssc_.tasks()[i])) return false;
    }
    return true;
  }

  // The tasks of an operator are numbered from 0 to task_split_num - 1.
  bool task_indices() {
    std::vector<std::vector<bool>> seen(ssc_.operators().size());
    for (const TaskDescriptor& td : ssc_.tasks()) seen[td.op].push_back(false);
    for (std::size_t i = 0; i < ssc_.tasks().size(); ++i) {
      const TaskDescriptor& td = ssc_.tasks()[i];
      if (td.task_split_num != seen[td.op].size()) {
        return fail(SscItem::kTask, i, "task {}: one of {} by its descriptor, but its operator has {} tasks",
                    i, td.task_split_num, seen[td.op].size());
      }
      if (!below(i, "task index", td.task_index, td.task_split_num)) return false;
      if (seen[td.op][td.task_index]) {
        return fail(SscItem::kTask, i, "task {}: its operator has another task of index {}", i,
                    td.task_index);
      }
      seen[td.op][td.task_index] = true;
    }
    return true;
  }

  bool queue(QueueType type) {
    const SscItem item = type == QueueType::kCtq ? SscItem::kCtq : SscItem::kVtq;
    const auto entries = ssc_.queue(type);
    std::vector<bool> queued(ssc_.tasks().size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::uint32_t t = entries[i];
      if (t >= queued.size())
        return fail(item, i, "{} entry {}: task {} of {}", name_of(type), i, t, queued.size());
      if (ssc_.tasks()[t].queue_type != static_cast<std::uint8_t>(type)) {
        return fail(item, i, "{} entry {}: task {} is of the other queue", name_of(type), i, t);
      }
      if (queued[t]) return fail(item, i, "{} entry {}: task {} stands in it twice", name_of(type), i, t);
      queued[t] = true;
    }
    for (std::size_t t = 0; t < queued.size(); ++t) {
      if (queued[t] || ssc_.tasks()[t].queue_type != static_cast<std::uint8_t>(type)) continue;
      return fail(SscItem::kTask, t, "task {} does not stand in the {}", t, name_of(type));
    }
    return true;
  }

  const Ssc& ssc_;
  std::uint64_t sent_ = 0, received_ = 0;
  std::optional<SscFlaw> flaw_;
};

}  // namespace

std::optional<SscFlaw> find_flaw(const Ssc& ssc) { return Check(ssc).run(); }

}  // namespace a3sim
