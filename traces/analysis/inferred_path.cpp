#include "traces/analysis/inferred_path.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "traces/analysis/stretches.h"

namespace a3sim {
namespace {

constexpr Duration kSameTime(2'000'000);  // 2 us: the differences of profilers' clocks

using OperatorOf = std::tuple<std::uint16_t, std::uint32_t>;  // pass, operator

class Backwards {
 public:
  explicit Backwards(const FullStep& step) {
    for (const OperatorRecord& record : step.operators)
      if (record.lane != Lane::kHost && record.start < record.end) records_.push_back(&record);
    std::ranges::stable_sort(
        records_, {}, [](const OperatorRecord* record) { return std::tie(record->end, record->start); });
    for (const TransferRecord& put : step.transfers) sends_.emplace(put.pass, put.op, put.src, put.dst);
    std::map<OperatorOf, std::pair<Duration, Duration>> starts;  // first and last of all ranks
    for (const OperatorRecord* record : records_) {
      if (record->lane != Lane::kCommunication) continue;
      const auto [at, added] = starts.try_emplace({record->pass, record->op}, record->start, record->start);
      at->second = {std::min(at->second.first, record->start), std::max(at->second.second, record->start)};
      ++count_[{record->pass, record->op}];
    }
    for (const auto& [group, span] : starts)
      if (count_[group] > 1 && span.second - span.first <= kSameTime) meets_.insert(group);
  }

  InferredPath walk() const {
    InferredPath path;
    if (records_.empty()) return path;
    Duration overlapped{};
    Stretches busy;
    for (const OperatorRecord* record : records_) busy.emplace_back(record->start, record->end);
    unite(busy);
    for (std::size_t at = records_.size(); at > 0;) {
      const OperatorRecord& now = *records_[at - 1];
      const std::size_t before = held_up_by(at);
      const Duration from = before > 0 ? records_[before - 1]->end : now.start;
      if (from < now.end) path.stretches.push_back({from, now.end, now.rank, now.op});
      if (before > 0) overlapped += std::max(Duration::zero(), from - now.start);
      at = before;
    }
    std::ranges::reverse(path.stretches);
    const Duration length = path.stretches.back().to - path.stretches.front().from;
    const Duration idle = length - covered(busy, {}, path.stretches.front().from, path.stretches.back().to);
    path.idle = static_cast<double>(idle.count()) / static_cast<double>(length.count());
    path.overlapped = static_cast<double>(overlapped.count()) / static_cast<double>(length.count());
    return path;
  }

 private:
  bool linked(const OperatorRecord& before, const OperatorRecord& now) const {
    const bool same = before.op == now.op && before.pass == now.pass;
    if (same && before.lane == Lane::kCommunication)
      return false;  // one exchange, whose parts are under way together
    if (before.rank == now.rank) return true;
    if (sends_.contains({before.pass, before.op, before.rank, now.rank})) return true;
    return now.lane == Lane::kCommunication && meets_.contains({now.pass, now.op}) &&
           before.end <= now.start + kSameTime;
  }

  // Returns 1 + the position of the record that delayed this one, or 0. A record that begins before another
  // and ends no later lies before it, so that the whole walk looks at each record once.
  std::size_t held_up_by(std::size_t at) const {
    const OperatorRecord& now = *records_[at - 1];
    for (std::size_t before = at - 1; before > 0; --before) {
      const OperatorRecord& record = *records_[before - 1];
      if (record.start < now.start && linked(record, now)) return before;
    }
    return 0;
  }

  std::vector<const OperatorRecord*> records_;  // by end, then by start
  std::set<std::tuple<std::uint16_t, std::uint32_t, std::uint32_t, std::uint32_t>> sends_;
  std::map<OperatorOf, std::size_t> count_;  // number of ranks that run it
  std::set<OperatorOf> meets_;               // operators that all ranks begin at the same time
};

}  // namespace

InferredPath inferred_path(const FullStep& step) { return Backwards(step).walk(); }

}  // namespace a3sim
