#include "traces/analysis/operator_stats.h"

#include <algorithm>

namespace a3sim {

void add_records(std::span<const TaskRecord> records, std::span<const std::uint16_t> op_of_task,
                 std::vector<OperatorStats>& stats) {
  for (std::size_t t = 0; t < records.size(); ++t) {
    const TaskRecord& record = records[t];
    OperatorStats& op = stats[op_of_task[t]];
    ++op.tasks;
    op.first_start = std::min(op.first_start, record.start.time_since_epoch());
    op.last_end = std::max(op.last_end, record.end.time_since_epoch());
    op.waited += record.start - record.taken;
    op.ran += record.end - record.start;
    op.ideal += record.ideal;
    for (std::uint32_t l = 0; l < kLimits; ++l) op.lost[l] += record.lost[l];
  }
}

std::uint32_t OperatorStats::worst_limit() const {
  const auto worst = std::max_element(lost.begin(), lost.end());
  return *worst == Duration::zero() ? kLimits : static_cast<std::uint32_t>(worst - lost.begin());
}

}  // namespace a3sim
