#include "sim/diagnosis/observe/pass_work.h"

#include <algorithm>
#include <cmath>

namespace a3sim {
namespace {

// Returns the time in which memory-bound tasks ran on each rank: tasks that wait for memory longer than they compute.
std::vector<Stretches> memory_bound(const PassWork& work) {
  std::vector<Stretches> ranks;
  for (const std::vector<PassWork::Task>& tasks : work.ranks) {
    Stretches& stretches = ranks.emplace_back();
    for (const PassWork::Task& task : tasks)
      if (task.computes && task.end > task.start && 2 * task.arithmetic < task.run)
        stretches.emplace_back(task.start, task.end);
    unite(stretches);
  }
  return ranks;
}

// A tensor's rows are those of the fullest expert. The number of operations gives the rows that a product
// computed.
std::uint32_t rows_of(const PassWork::Axes& axes, double operations) {
  const double per_row = 2.0 * axes.reduced * axes.inner;
  return per_row > 0 ? static_cast<std::uint32_t>(std::llround(operations / per_row)) : axes.rows;
}

class FullRecords {
 public:
  FullRecords(const PassWork& work, const PassPlace& place, const std::vector<std::string>& names,
              FullStep& full)
      : work_(work), place_(place), full_(full) {
    for (const PassWork::Operator& op : work.operators)
      names_.push_back(static_cast<std::uint32_t>(std::ranges::find(names, op.name) - names.begin()));
  }

  void add_operators(std::uint32_t rank) {
    std::vector<OperatorRecord> records(work_.operators.size());
    std::vector<bool> ran(records.size());
    for (const PassWork::Task& task : work_.ranks[rank]) {
      OperatorRecord& record = records[task.op];
      const Duration start = place_.since + task.start;
      if (!ran[task.op] || start < record.start) {
        record.start = start;
        record.wait = task.start - task.asked;
      }
      ran[task.op] = true;
      record.end = std::max(record.end, place_.since + task.end);
      record.run += task.run;
      record.arithmetic += task.arithmetic;
      record.operations += task.operations;
      record.hbm_bytes += task.hbm_bytes;
      record.l2_bytes += task.l2_bytes;
      record.sent_bytes += task.sent_bytes;
    }
    for (std::size_t op = 0; op < records.size(); ++op) {
      if (!ran[op] || work_.operators[op].name.empty()) continue;
      describe(rank, op, records[op]);
      full_.operators.push_back(records[op]);
    }
  }

  void add_host(std::uint32_t rank) {
    for (const auto& [start, end] : work_.hosts[rank])
      full_.host.push_back(
          {place_.step, rank, HostKind::kOther, place_.since + start, place_.since + end, 1});
  }

  void add_transfers(const std::vector<bool>& wanted) {
    const std::vector<Stretches> bound = memory_bound(work_);
    for (const TransferRecord& transfer : work_.transfers) {
      if (!wanted[transfer.src] && !wanted[transfer.dst]) continue;
      TransferRecord& record = full_.transfers.emplace_back(transfer);
      record.step = place_.step;
      record.pass = place_.pass;
      record.op = names_[transfer.op];
      record.beside = part_covered(bound[transfer.src], bound[transfer.dst], transfer.start, transfer.end);
      record.start += place_.since;
      record.end += place_.since;
    }
  }

 private:
  void describe(std::uint32_t rank, std::size_t op, OperatorRecord& record) const {
    record.step = place_.step;
    record.rank = rank;
    record.op = names_[op];
    record.pass = place_.pass;
    record.lane = work_.operators[op].lane;
    record.core = work_.operators[op].core;
    if (!work_.clocks.empty()) record.clock = work_.clocks[rank];
    if (work_.axes.empty()) return;
    record.rows = rows_of(work_.axes[rank][op], record.operations);
    record.inner = work_.axes[rank][op].inner;
  }

  const PassWork& work_;
  const PassPlace& place_;
  FullStep& full_;
  std::vector<std::uint32_t> names_;  // by operator
};

}  // namespace

void add_full_records(const PassWork& work, const PassPlace& place, std::span<const std::uint32_t> ranks,
                      const std::vector<std::string>& names, FullStep& full) {
  FullRecords records(work, place, names, full);
  std::vector<bool> wanted(work.ranks.size());
  for (const std::uint32_t rank : ranks) {
    wanted[rank] = true;
    records.add_operators(rank);
    if (!work.hosts.empty()) records.add_host(rank);
  }
  records.add_transfers(wanted);
}

}  // namespace a3sim
