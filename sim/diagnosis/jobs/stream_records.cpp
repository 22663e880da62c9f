#include <algorithm>
#include <cmath>

#include "sim/diagnosis/jobs/stream_steps.h"
#include "sim/runtime/execution.h"
#include "traces/analysis/stretches.h"

namespace a3sim {
namespace {

constexpr double kOperationsPerMac = 2;
constexpr double kBytesOfElement = 2;  // programs on streams have no other

Duration since_beginning(Time date) { return date.time_since_epoch(); }
Duration time_of(const StreamRecord& record) { return record.end - record.start; }
bool is_kernel(const StreamTask& task) { return task.units > 0 && task.job.ideal > Duration::zero(); }

// Calls `take(task, transfer, end)` for each transfer.
template <class Take>
void each_transfer(const StreamPass& pass, const Take& take) {
  auto send = pass.result.sends.begin();
  for (std::uint32_t t = 0; t < pass.program.tasks.size(); ++t)
    for (const StreamTransfer& transfer : pass.program.tasks[t].transfers) take(t, transfer, *send++);
}

// Fills in for whom a rank waited. `tasks` are the rank's.
void add_waits(const StreamPass& pass, std::vector<std::uint32_t> tasks, Duration start,
               LightRecord& record) {
  const std::vector<StreamRecord>& records = pass.result.records;
  // Of tasks that are ready at one date, some may then have waited for workers, which hides what they had
  // waited for before.
  std::ranges::stable_sort(tasks, {}, [&](std::uint32_t t) {
    return std::pair(records[t].ready, records[t].cause.kind != Cause::Kind::kDependency);
  });
  Duration busy_until = start;
  for (const std::uint32_t t : tasks) {
    const Duration ready = since_beginning(records[t].ready), wait = ready - busy_until;
    const Cause& cause = records[t].cause;
    if (wait > Duration::zero() && cause.kind == Cause::Kind::kDependency) {
      record.waited += wait;
      if (wait > record.longest) {
        record.longest = wait;
        record.whom = cause.rank;
      }
    }
    busy_until = std::max(busy_until, since_beginning(records[t].end));
  }
}

// Collects the full records of one pass on streams.
class FullStreamRecords {
 public:
  FullStreamRecords(const StreamStep& step, const PassRun& run, const FullRanks& ranks, FullStep& full)
      : pass_(step.pass), run_(run), ranks_(ranks), full_(full) {
    const Experiment& experiment = run.variant->experiment;
    for (const RankOptions& rank : step.ranks) {
      const Hardware own = hardware_of(experiment.hardware, rank);
      mac_rates_.push_back(own.cube.macs_per_cycle_16 * static_cast<double>(own.clock.count));
      clocks_.push_back(rank.clock);
    }
    bound_.resize(pass_.program.ranks);
    sends_.resize(ranks.names.size());
    for (const StreamTask& task : pass_.program.tasks) {
      names_.push_back(
          static_cast<std::uint32_t>(std::ranges::find(ranks.names, task.name) - ranks.names.begin()));
      if (!task.transfers.empty()) sends_[names_.back()] = true;
    }
    for (std::uint32_t t = 0; t < pass_.program.tasks.size(); ++t) {
      const StreamTask& task = pass_.program.tasks[t];
      const StreamRecord& record = pass_.result.records[t];
      if (is_kernel(task) && !sends_[names_[t]] && 2 * arithmetic(t) < time_of(record) * task.units)
        bound_[index(task.rank)].emplace_back(date(record.start), date(record.end));
    }
    for (Stretches& stretches : bound_) unite(stretches);
  }

  void add_operators(std::uint32_t rank) {
    std::vector<OperatorRecord> records(ranks_.names.size());
    std::vector<bool> ran(records.size());
    for (std::uint32_t t = 0; t < pass_.program.tasks.size(); ++t) {
      if (index(pass_.program.tasks[t].rank) != rank || is_host(pass_.program.tasks[t])) continue;
      OperatorRecord& record = records[names_[t]];
      if (!ran[names_[t]]) record = first_of(t);
      ran[names_[t]] = true;
      add(t, record);
    }
    for (std::size_t op = 0; op < records.size(); ++op)
      if (ran[op]) full_.operators.push_back(records[op]);
  }

  // Adds what the rank's host does in the program: its own tasks, and what it does before kernels begin.
  void add_host(std::uint32_t rank) {
    const auto add = [&](Time start, Time end) {
      if (start < end) full_.host.push_back({run_.step, rank, HostKind::kOther, date(start), date(end), 1});
    };
    for (std::uint32_t t = 0; t < pass_.program.tasks.size(); ++t) {
      const StreamTask& task = pass_.program.tasks[t];
      if (index(task.rank) != rank) continue;
      const StreamRecord& record = pass_.result.records[t];
      if (is_host(task)) add(record.start, record.end);
      if (is_kernel(task)) add(record.ready, record.asked);
    }
  }

  void add_transfers(const Topology& topology) {
    each_transfer(pass_, [&](std::uint32_t t, const StreamTransfer& sent, const StreamSend& send) {
      const std::uint32_t src = index(pass_.program.tasks[t].rank), dst = index(sent.dst);
      if (src == dst || !(ranks_.wanted[src] || ranks_.wanted[dst])) return;
      TransferRecord& record = full_.transfers.emplace_back();
      record.step = run_.step;
      record.src = src;
      record.dst = dst;
      record.op = names_[t];
      record.pass = static_cast<std::uint16_t>(run_.pass);
      record.plane = static_cast<std::uint16_t>(topology.level(RankId{src}, sent.dst).plane);
      record.start = date(pass_.result.records[t].work);
      record.end = date(send.end);
      record.bytes = static_cast<double>(sent.bytes.count);
      record.beside = part_covered(bound_[src], bound_[dst], record.start, record.end);
      record.lost_sharing = static_cast<float>(microseconds(send.lost));
    });
  }

 private:
  bool is_host(const StreamTask& task) const { return task.units > 0 && pass_.program.kinds[task.kind].host; }
  Duration date(Time of_pass) const { return run_.since + since_beginning(of_pass); }

  // Returns the time of a task's products on all of its workers.
  Duration arithmetic(std::uint32_t t) const {
    const StreamTask& task = pass_.program.tasks[t];
    if (!task.matrix) return {};
    const double picoseconds = task.macs / mac_rates_[index(task.rank)] * 1e12;
    return std::min(time_of(pass_.result.records[t]) * task.units,
                    Duration(static_cast<std::int64_t>(picoseconds)));
  }

  OperatorRecord first_of(std::uint32_t t) const {
    const StreamTask& task = pass_.program.tasks[t];
    OperatorRecord record;
    record.step = run_.step;
    record.rank = index(task.rank);
    record.op = names_[t];
    record.pass = static_cast<std::uint16_t>(run_.pass);
    record.lane = sends_[names_[t]] ? Lane::kCommunication : Lane::kCompute;
    if (is_kernel(task)) record.core = task.matrix ? CoreKind::kCube : CoreKind::kVector;
    record.start = date(pass_.result.records[t].start);
    record.wait = pass_.result.records[t].start - pass_.result.records[t].asked;
    record.clock = static_cast<float>(clocks_[record.rank]);
    return record;
  }

  // Adds a task to the record of its operator.
  void add(std::uint32_t t, OperatorRecord& record) const {
    const StreamTask& task = pass_.program.tasks[t];
    const StreamRecord& ran = pass_.result.records[t];
    if (date(ran.start) < record.start) {
      record.start = date(ran.start);
      record.wait = ran.start - ran.asked;
    }
    const auto bytes = [&](Resource resource) { return task.job.bytes[static_cast<std::size_t>(resource)]; };
    record.end = std::max(record.end, date(ran.end));
    record.run += time_of(ran) * std::max(1U, task.units);
    record.arithmetic += arithmetic(t);
    const double moved = bytes(Resource::kL2Read) + bytes(Resource::kL2Write);
    record.operations += task.matrix ? kOperationsPerMac * task.macs : moved / kBytesOfElement;
    record.hbm_bytes += bytes(Resource::kHbm);
    record.l2_bytes += moved;
    for (const StreamTransfer& transfer : task.transfers)
      record.sent_bytes += static_cast<double>(transfer.bytes.count);
    record.rows += static_cast<std::uint32_t>(sum_of(pass_.rows[t]));
  }

  const StreamPass& pass_;
  const PassRun& run_;
  const FullRanks& ranks_;
  FullStep& full_;
  std::vector<double> mac_rates_, clocks_;  // one entry per rank; the first of one worker, a second
  std::vector<std::uint32_t> names_;        // one entry per task: its operator
  std::vector<bool> sends_;                 // one entry per operator
  std::vector<Stretches> bound_;            // one entry per rank: while kernels ran that memory bounds
};

}  // namespace

std::vector<LightRecord> light_records(const StreamStep& step) {
  const StreamProgram& program = step.pass.program;
  std::vector<LightRecord> records(program.ranks);
  std::vector<std::vector<std::uint32_t>> tasks(program.ranks);
  std::vector<Duration> matrix(program.ranks), vector(program.ranks);
  for (std::uint32_t t = 0; t < program.tasks.size(); ++t) {
    const StreamTask& task = program.tasks[t];
    const StreamRecord& ran = step.pass.result.records[t];
    const std::uint32_t rank = index(task.rank);
    tasks[rank].push_back(t);
    records[rank].arrival = std::max(records[rank].arrival, since_beginning(ran.end));
    records[rank].operations += kOperationsPerMac * task.macs;
    if (is_kernel(task)) (task.matrix ? matrix : vector)[rank] += time_of(ran) * task.units;
  }
  std::vector<Stretches> exchanges(program.ranks);
  each_transfer(step.pass, [&](std::uint32_t t, const StreamTransfer& transfer, const StreamSend& send) {
    const Duration start = since_beginning(step.pass.result.records[t].work);
    for (const RankId rank : {program.tasks[t].rank, transfer.dst})
      exchanges[index(rank)].emplace_back(start, since_beginning(send.end));
  });
  for (std::uint32_t rank = 0; rank < program.ranks; ++rank) {
    LightRecord& record = records[rank];
    add_waits(step.pass, std::move(tasks[rank]), step.ranks[rank].start, record);
    unite(exchanges[rank]);
    record.bytes = static_cast<double>(step.pass.result.sent[rank]);
    record.aic_busy = static_cast<float>(microseconds(matrix[rank]));
    record.aiv_busy = static_cast<float>(microseconds(vector[rank]));
    record.transfer = static_cast<float>(microseconds(length_of(exchanges[rank])));
  }
  return records;
}

void StreamTasks::add_full(const PassRun& run, const FullRanks& ranks, FullStep& full) const {
  const Experiment& experiment = run.variant->experiment;
  const Topology topology(experiment.hardware, Program{}, dies_of(experiment.run.ranks), Transport::kPuts);
  FullStreamRecords records(step_, run, ranks, full);
  for (const std::uint32_t rank : ranks.ranks) {
    records.add_operators(rank);
    records.add_host(rank);
  }
  records.add_transfers(topology);
}

}  // namespace a3sim
