#include <algorithm>
#include <cmath>

#include "models/operators/operator.h"
#include "sim/diagnosis/jobs/schedule_steps.h"
#include "sim/runtime/topology.h"
#include "traces/analysis/stretches.h"

namespace a3sim {
namespace {

// Collects the records of one pass.
class ScheduleRecords {
 public:
  ScheduleRecords(const PassRun& run, const RunResult& result, const std::vector<std::string>& names,
                  FullStep& full)
      : run_(run),
        result_(result),
        schedule_(
            dynamic_cast<const ScheduleSteps&>(*run.variant->work).compiled().passes[run.pass].schedule),
        topology_(run.variant->experiment.hardware, run.variant->experiment.program,
                  dies_of(run.variant->experiment.run.ranks), run.variant->experiment.run.transport),
        pass_(static_cast<std::uint16_t>(run.pass)),
        full_(full) {
    for (const OperatorInfo& op : schedule_.front().operators()) {
      names_.push_back(static_cast<std::uint32_t>(std::ranges::find(names, op.name) - names.begin()));
      puts_.push_back(Operators::get(op.type).mover() != Mover::kNone);
    }
    for (std::uint32_t rank = 0; rank < schedule_.size(); ++rank) memory_bound_.push_back(memory_bound(rank));
  }

  void add_operators(std::uint32_t rank) {
    const std::span<const OperatorInfo> operators = schedule_[rank].operators();
    std::vector<OperatorRecord> records(operators.size());
    std::vector<Duration> taken(operators.size());
    const std::span<const TaskDescriptor> tasks = schedule_[rank].tasks();
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      OperatorRecord& record = records[tasks[t].op];
      const TaskRecord& task = result_.ranks[rank].records[t];
      const bool first = record.end == Duration::zero();
      if (first || date(task.start) < record.start) {
        record.start = date(task.start);
        taken[tasks[t].op] = date(task.taken);
      }
      record.end = std::max(record.end, date(task.end));
      record.run += task.end - task.start;
      record.arithmetic += task.arithmetic;
      record.operations += static_cast<double>(task.operations);
      record.hbm_bytes += static_cast<double>(task.l2.hbm_read + task.l2.hbm_write);
      record.l2_bytes += requested(task.l2.read) + requested(task.l2.write);
      record.sent_bytes += static_cast<double>(task.put_bytes);
    }
    for (std::size_t op = 0; op < operators.size(); ++op) {
      OperatorRecord& record = records[op];
      // An operator without tasks, or one of the compiler's that writes nothing and is none of the graph.
      if (record.end == Duration::zero() || operators[op].outputs.empty()) continue;
      const TensorInfo& out = schedule_[rank].tensors()[index(operators[op].outputs.front())];
      record.step = run_.step;
      record.rank = rank;
      record.op = names_[op];
      record.pass = pass_;
      record.lane = puts_[op] ? Lane::kCommunication : Lane::kCompute;
      record.core = Operators::get(operators[op].type).unit() == CoreUnit::kMatrix ? CoreKind::kCube
                                                                                   : CoreKind::kVector;
      record.wait = record.start - taken[op];
      record.rows = out.rows;
      record.inner = out.cols;
      if (record.core == CoreKind::kCube && !operators[op].inputs.empty())
        record.rows = rows_of(record, schedule_[rank].tensors()[index(operators[op].inputs.front())].cols);
      record.clock = static_cast<float>(run_.conditions->clock[rank]);
      full_.operators.push_back(record);
    }
  }

  void add_transfers(const std::vector<bool>& wanted) {
    for (std::uint32_t rank = 0; rank < schedule_.size(); ++rank) {
      const std::span<const TaskDescriptor> tasks = schedule_[rank].tasks();
      for (std::size_t t = 0; t < tasks.size(); ++t) {
        const TaskDescriptor& td = tasks[t];
        if (!puts_[td.op] || td.dst == rank || !(wanted[rank] || wanted[td.dst])) continue;
        add_transfer(rank, td, result_.ranks[rank].records[t]);
      }
    }
  }

 private:
  Duration date(Time of_pass) const { return run_.since + of_pass.time_since_epoch(); }
  static double requested(const L2Traffic::Requests& requests) {
    return static_cast<double>(requests.hit + requests.miss + requests.bypass) * kL2Request;
  }

  void add_transfer(std::uint32_t rank, const TaskDescriptor& td, const TaskRecord& task) {
    if (task.put_bytes == 0) return;
    TransferRecord& record = full_.transfers.emplace_back();
    record.step = run_.step;
    record.src = rank;
    record.dst = td.dst;
    record.op = names_[td.op];
    record.pass = pass_;
    record.plane = static_cast<std::uint16_t>(topology_.level(RankId{rank}, RankId{td.dst}).plane);
    record.start = date(task.start);
    record.end = date(task.done);
    record.bytes = static_cast<double>(task.put_bytes);
    record.beside = part_covered(memory_bound_[rank], memory_bound_[td.dst], record.start, record.end);
    record.lost_sharing = static_cast<float>(microseconds(task.lost[static_cast<std::size_t>(Limit::kLink)]));
  }

  // A tensor's rows are those of the fullest expert. The number of operations gives the rows that a product
  // computed.
  static std::uint32_t rows_of(const OperatorRecord& record, std::uint32_t columns_in) {
    const double a_row = 2.0 * columns_in * record.inner;
    return a_row > 0 ? static_cast<std::uint32_t>(std::llround(record.operations / a_row)) : record.rows;
  }

  // Stretches in which memory-bound tasks ran on a rank: tasks that wait for memory longer than they compute.
  Stretches memory_bound(std::uint32_t rank) const {
    Stretches stretches;
    const std::span<const TaskDescriptor> tasks = schedule_[rank].tasks();
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const TaskRecord& task = result_.ranks[rank].records[t];
      const bool sends = puts_[tasks[t].op] && tasks[t].dst != rank;
      if (sends || task.end == task.start || 2 * task.arithmetic >= task.end - task.start) continue;
      stretches.emplace_back(date(task.start), date(task.end));
    }
    unite(stretches);
    return stretches;
  }

  const PassRun& run_;
  const RunResult& result_;
  const Schedule& schedule_;
  Topology topology_;
  std::uint16_t pass_;
  FullStep& full_;
  std::vector<std::uint32_t> names_;  // one entry per operator
  std::vector<bool> puts_;            // one entry per operator
  std::vector<Stretches> memory_bound_;
};

}  // namespace

void ScheduleTasks::add_full(const PassRun& run, const FullRanks& ranks, FullStep& full) const {
  ScheduleRecords records(run, result_, ranks.names, full);
  for (const std::uint32_t rank : ranks.ranks) records.add_operators(rank);
  records.add_transfers(ranks.wanted);
}

}  // namespace a3sim
