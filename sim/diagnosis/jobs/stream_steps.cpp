#include <algorithm>

#include "sim/diagnosis/jobs/pass_run.h"
#include "sim/diagnosis/jobs/step_hooks.h"
#include "sim/experiment/run/draws.h"
#include "sim/experiment/streams/first_batch.h"
#include "sim/runtime/execution.h"
#include "sim/runtime/topology.h"

namespace a3sim {
namespace {

constexpr double kOperationsPerMac = 2;
constexpr double kBytesOfElement = 2;  // programs on streams have no other

Duration since_beginning(Time time) { return time.time_since_epoch(); }
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
  // Of tasks that are ready at the same time, some may then have waited for workers, which hides what they had
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

// Returns what each rank's device did. A rank waits for another one while none of its tasks runs or is being
// launched, until a task of that rank ends. Work of its host counts as its own.
std::vector<LightRecord> light_records(const StreamPass& pass, const std::vector<RankOptions>& ranks) {
  const StreamProgram& program = pass.program;
  std::vector<LightRecord> records(program.ranks);
  std::vector<std::vector<std::uint32_t>> tasks(program.ranks);
  std::vector<Duration> matrix(program.ranks), vector(program.ranks);
  for (std::uint32_t t = 0; t < program.tasks.size(); ++t) {
    const StreamTask& task = program.tasks[t];
    const StreamRecord& ran = pass.result.records[t];
    const std::uint32_t rank = index(task.rank);
    tasks[rank].push_back(t);
    records[rank].arrival = std::max(records[rank].arrival, since_beginning(ran.end));
    records[rank].operations += kOperationsPerMac * task.macs;
    if (is_kernel(task)) (task.matrix ? matrix : vector)[rank] += time_of(ran) * task.units;
  }
  std::vector<Stretches> exchanges(program.ranks);
  each_transfer(pass, [&](std::uint32_t t, const StreamTransfer& transfer, const StreamSend& send) {
    const Duration start = since_beginning(pass.result.records[t].work);
    for (const RankId rank : {program.tasks[t].rank, transfer.dst})
      exchanges[index(rank)].emplace_back(start, since_beginning(send.end));
  });
  for (std::uint32_t rank = 0; rank < program.ranks; ++rank) {
    LightRecord& record = records[rank];
    add_waits(pass, std::move(tasks[rank]), ranks[rank].start, record);
    unite(exchanges[rank]);
    record.bytes = static_cast<double>(pass.result.sent[rank]);
    record.aic_busy = static_cast<float>(microseconds(matrix[rank]));
    record.aiv_busy = static_cast<float>(microseconds(vector[rank]));
    record.transfer = static_cast<float>(microseconds(length_of(exchanges[rank])));
  }
  return records;
}

// Collects the work of a pass on streams. An operator is all tasks of a rank with one name. The arithmetic of products is
// that of their multiply-accumulates; that of vector kernels is not told apart from their loads and stores: these are
// counted as their operations, an element each, and they count as bound by memory.
class StreamWork {
 public:
  // `names` are those of all operators.
  StreamWork(const Experiment& experiment, const StreamPass& pass, const std::vector<RankOptions>& ranks,
             const std::vector<std::string>& names)
      : pass_(pass),
        topology_(experiment.hardware, Program{}, dies_of(experiment.run.ranks), Transport::kPuts) {
    for (const RankOptions& rank : ranks) {
      const Hardware own = hardware_of(experiment.hardware, rank);
      mac_rates_.push_back(own.cube.macs_per_cycle_16 * static_cast<double>(own.clock.count));
      work_.clocks.push_back(static_cast<float>(rank.clock));
    }
    work_.ranks.resize(pass.program.ranks);
    work_.hosts.resize(pass.program.ranks);
    for (const std::string& name : names) work_.operators.push_back({name});
    for (const StreamTask& task : pass.program.tasks) describe(task);
    work_.axes.assign(pass.program.ranks, std::vector<PassWork::Axes>(work_.operators.size()));
    for (std::uint32_t t = 0; t < pass.program.tasks.size(); ++t) add(t);
    each_transfer(pass, [&](std::uint32_t t, const StreamTransfer& sent, const StreamSend& send) {
      if (pass.program.tasks[t].rank != sent.dst) work_.transfers.push_back(transfer_of(t, sent, send));
    });
  }
  PassWork take() { return std::move(work_); }

 private:
  bool is_host(const StreamTask& task) const { return task.units > 0 && pass_.program.kinds[task.kind].host; }

  void describe(const StreamTask& task) {
    const auto found = std::ranges::find(work_.operators, task.name, &PassWork::Operator::name);
    ops_.push_back(static_cast<std::uint32_t>(found - work_.operators.begin()));
    if (!task.transfers.empty()) found->lane = Lane::kCommunication;
    if (is_kernel(task)) found->core = task.matrix ? CoreKind::kCube : CoreKind::kVector;
  }

  // Returns the time of a task's products on all of its workers.
  Duration arithmetic(std::uint32_t t) const {
    const StreamTask& task = pass_.program.tasks[t];
    if (!task.matrix) return {};
    const double picoseconds = task.macs / mac_rates_[index(task.rank)] * 1e12;
    return std::min(time_of(pass_.result.records[t]) * task.units,
                    Duration(static_cast<std::int64_t>(picoseconds)));
  }

  void add(std::uint32_t t) {
    const StreamTask& task = pass_.program.tasks[t];
    const StreamRecord& record = pass_.result.records[t];
    const std::uint32_t rank = index(task.rank);
    const auto add_host = [&](Time start, Time end) {
      if (start < end) work_.hosts[rank].emplace_back(since_beginning(start), since_beginning(end));
    };
    // What the rank's host does in the program: its own tasks, and what it does before kernels begin.
    if (is_kernel(task)) add_host(record.ready, record.asked);
    if (is_host(task)) return add_host(record.start, record.end);
    work_.ranks[rank].push_back(work_of(t));
    work_.axes[rank][ops_[t]].rows += static_cast<std::uint32_t>(sum_of(pass_.rows[t]));
  }

  PassWork::Task work_of(std::uint32_t t) const {
    const StreamTask& task = pass_.program.tasks[t];
    const StreamRecord& record = pass_.result.records[t];
    const auto bytes = [&](Resource resource) { return task.job.bytes[static_cast<std::size_t>(resource)]; };
    PassWork::Task done;
    done.op = ops_[t];
    done.computes = is_kernel(task) && work_.operators[ops_[t]].lane == Lane::kCompute;
    done.asked = since_beginning(record.asked);
    done.start = since_beginning(record.start);
    done.end = since_beginning(record.end);
    done.run = time_of(record) * std::max(1U, task.units);
    done.arithmetic = arithmetic(t);
    const double moved = bytes(Resource::kL2Read) + bytes(Resource::kL2Write);
    done.operations = task.matrix ? kOperationsPerMac * task.macs : moved / kBytesOfElement;
    done.hbm_bytes = bytes(Resource::kHbm);
    done.l2_bytes = moved;
    for (const StreamTransfer& transfer : task.transfers)
      done.sent_bytes += static_cast<double>(transfer.bytes.count);
    return done;
  }

  TransferRecord transfer_of(std::uint32_t t, const StreamTransfer& sent, const StreamSend& send) const {
    TransferRecord record;
    record.src = index(pass_.program.tasks[t].rank);
    record.dst = index(sent.dst);
    record.op = ops_[t];
    record.plane = static_cast<std::uint16_t>(topology_.level(RankId{record.src}, sent.dst).plane);
    record.start = since_beginning(pass_.result.records[t].work);
    record.end = since_beginning(send.end);
    record.bytes = static_cast<double>(sent.bytes.count);
    record.lost_sharing = static_cast<float>(microseconds(send.lost));
    return record;
  }

  const StreamPass& pass_;
  Topology topology_;
  std::vector<double> mac_rates_;   // by rank: of one worker, a second
  std::vector<std::uint32_t> ops_;  // by task
  PassWork work_;
};

// Writes the programs to know what their tasks are called.
StepNames names_of(const FirstBatch& first) {
  StepNames names{FirstBatch::pass_names(), {}};
  for (std::size_t pass = 0; pass < names.passes.size(); ++pass) {
    for (const StreamTask& task : first.write(first.experiment(), pass).program.tasks)
      if (std::ranges::find(names.operators, task.name) == names.operators.end())
        names.operators.push_back(task.name);
  }
  return names;
}

class StreamSteps final : public StepWork {
 public:
  explicit StreamSteps(const Experiment& experiment)
      : first_(experiment), rows_(first_.plan().rows()), names_(names_of(first_).operators) {}

  RanPass run(const PassRun& run, KernelLaunches*, bool record) const override {
    Experiment changed = run.experiment();
    const LinkDisturbances links = run.links();
    if (links.any()) changed.run.disturbances = &links;
    StreamPass pass = first_.write(changed, run.pass);
    const StreamProgram& program = pass.program;
    std::unique_ptr<TaskHooks> jitter;
    if (run.noise.any())
      jitter = std::make_unique<StreamJitter>(program, run.jitter(), run.step,
                                              static_cast<std::uint32_t>(run.pass));
    StepHooks hooks(
        std::move(jitter), run.conditions->operators,
        [&](RankId, std::uint32_t task) -> const std::string& { return program.tasks[task].name; });
    first_.run(pass, changed, hooks.hooks());
    RanPass ran{pass.result.makespan, light_records(pass, changed.run.ranks), nullptr};
    for (std::size_t rank = 0; rank < rows_.size(); ++rank)
      ran.light[rank].rows = static_cast<std::uint32_t>(rows_[rank]);
    if (record)
      ran.work = std::make_shared<PassWork>(
          StreamWork(run.variant->experiment, pass, changed.run.ranks, names_).take());
    return ran;
  }

 private:
  FirstBatch first_;
  std::vector<double> rows_;        // one entry per rank: rows that it computes
  std::vector<std::string> names_;  // of operators
};

}  // namespace

StepNames stream_step_names(const Experiment& experiment) { return names_of(FirstBatch(experiment)); }

std::unique_ptr<const StepWork> stream_steps(const Experiment& experiment) {
  return std::make_unique<StreamSteps>(experiment);
}

}  // namespace a3sim
