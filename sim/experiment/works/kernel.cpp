#include "sim/experiment/kernels/kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/whole_time.h"
#include "sim/experiment/config/workload.h"
#include "sim/experiment/outcome/stream_trace.h"
#include "sim/experiment/run/draws.h"
#include "sim/experiment/run/limited_hooks.h"
#include "sim/experiment/run/own_values.h"
#include "sim/experiment/run/serial_roofline.h"
#include "sim/experiment/streams/stream_bounds.h"
#include "sim/experiment/streams/stream_check.h"

namespace a3sim {
namespace {

// The kernel that an experiment runs, as its configuration states it.
struct StatedKernel {
  std::string kind, pass;
  KernelKind::Write write;
};

KernelCost cost_on(const Experiment& on) { return {on.hardware, on.program, on.cut.tiling}; }

// Returns the kernel as a program: its own, or one task on all cores of a device.
StreamProgram program_of(const std::string& name, const KernelWork& work, const KernelCost& cost) {
  if (!work.program.tasks.empty()) return work.program;
  const WorkerKinds& workers = cost.hardware().workers;
  StreamProgram program{
      1, {{"cores", workers.count(work.matrix ? CoreUnit::kMatrix : CoreUnit::kVector)}}, {}, {"KERNELS"}};
  StreamTask task{.name = name, .wait = cost.program().launch.queued * work.launches};
  task.units = program.kinds.front().count;
  task.matrix = work.matrix;
  task.macs = work.flops / 2;
  task.hold = work.alone;
  task.job = work.job;
  program.add(std::move(task));
  return program;
}

class PreparedKernel final : public PreparedWork {
 public:
  explicit PreparedKernel(const StatedKernel& kernel) : kernel_(kernel) {}

  std::size_t passes() const override { return 1; }
  const std::string& pass_name(std::size_t) const override { return kernel_.pass; }

  RunOutcome run(const Experiment& on, std::size_t pass, const Draw& draw, Duration limit,
                 Record record) const override {
    const JitterOptions options = draw.options();
    const Experiment drawn = with_jitter(on, options, draw.run);
    KernelCost cost = cost_on(drawn);
    const KernelWork work = kernel_.write(cost);
    StreamPass written;
    written.program = program_of(kernel_.kind, work, cost);
    StreamJitter jitter(written.program, options, draw.run, static_cast<std::uint32_t>(pass));
    LimitedHooks limited(jitter, limit);
    run_again(written, drawn, cost, &limited);
    RunOutcome outcome;
    outcome.name = kernel_.pass;
    outcome.stopped = written.result.stopped;
    outcome.latency = written.result.makespan;
    if (outcome.stopped || record == Record::kLatency) return outcome;
    outcome = outcome_of(drawn, kernel_.pass, written, record);
    outcome.bounds = bounds(on, pass);
    outcome.sums.ranks.front().l2_read = work.read;
    outcome.sums.ranks.front().l2_write = work.written;
    if (outcome.trace) add_operations(written.program, *outcome.trace);
    return outcome;
  }

  OwnSections sections(const Experiment& on, std::span<const RunOutcome>) const override {
    OwnSections own;
    own.head = fmt::format("kernel    {}: {}\nmachine   {}\n", kernel_.kind,
                           KernelKinds::all().at(kernel_.kind).description, on.hardware.name);
    own.head += own_values(on);
    own.before.fact("kernel", kernel_.kind);
    return own;
  }

  Bounds bounds(const Experiment& on, std::size_t) const override {
    return stream_bounds(unrun(on), on.hardware, on.run.ranks);
  }

  // Products at the stated part of the peak or bytes at the HBM's rates, whichever takes longer, and one launch; of copies
  // and exchanges what their links carry.
  std::optional<Duration> by_hand(const Experiment& on, std::size_t, double part_of_peak,
                                  std::string_view) const override {
    const Hardware& hardware = on.hardware;
    KernelCost cost = cost_on(on);
    const KernelWork work = kernel_.write(cost);
    if (!work.program.tasks.empty())
      return serial_roofline(work.program, hardware, on.program, dies_of(on.run.ranks), part_of_peak,
                             [](std::uint32_t) { return true; })
          .total();
    const double peak = 2.0 * hardware.cube.macs_per_cycle(work.dtype) *
                        hardware.workers.count(CoreUnit::kMatrix) *
                        static_cast<double>(hardware.clock.count) * hardware.cube.speed * part_of_peak;
    const double moved = hardware.memory.as_reads(work.read, work.written) /
                         static_cast<double>(hardware.memory.hbm_read.count);
    return on.program.launch.queued + Duration(whole_picoseconds(std::max(work.flops / peak, moved) * 1e12));
  }

  bool same(const PreparedWork& other, std::size_t) const override { return this == &other; }

  // A kernel brings each byte from the HBM once, so that no L2 makes it faster.
  Bytes footprint() const override { return 1_B; }

 private:
  StreamPass unrun(const Experiment& on) const {
    KernelCost cost = cost_on(on);
    StreamPass pass;
    pass.program = program_of(kernel_.kind, kernel_.write(cost), cost);
    return pass;
  }
  // Tasks of a program on streams lie in the trace in their order, rank by rank.
  static void add_operations(const StreamProgram& program, Trace& trace) {
    std::vector<std::size_t> next(program.ranks, 0);
    for (const StreamTask& task : program.tasks) {
      const std::uint32_t rank = index(task.rank);
      trace.ranks[rank][next[rank]++].operations = static_cast<std::uint64_t>(2 * task.macs);
    }
  }

  StatedKernel kernel_;
};

class KernelRun final : public ExperimentWork {
 public:
  explicit KernelRun(StatedKernel kernel) : kernel_(std::move(kernel)) {}

  std::shared_ptr<const PreparedWork> prepare(const Experiment&, unsigned, CompileCache*) const override {
    return std::make_shared<PreparedKernel>(kernel_);
  }
  void check(const Experiment& experiment, const FindingsVisitor& visit) const override {
    KernelCost cost = cost_on(experiment);
    visit(kernel_.pass, check_program(program_of(kernel_.kind, kernel_.write(cost), cost)));
  }
  std::string execution(const Experiment&) const override { return "streams"; }
  std::string label(const Experiment&) const override { return kernel_.kind; }
  std::string why_no_schedules() const override {
    return "experiment.workload is kernel, which has no tasks: 'a3sim run FILE' runs it";
  }
  std::string why_no_steps() const override {
    return "experiment.workload is kernel, which is no step of a job: run the steps of a layer instead, with "
           "experiment.workload moe_ffn";
  }

  // Returns the number of devices that it runs on.
  std::uint32_t ranks(const Experiment& experiment) const {
    KernelCost cost = cost_on(experiment);
    return std::max(1U, kernel_.write(cost).program.ranks);
  }

 private:
  StatedKernel kernel_;
};

bool takes_kernel(const Config& experiment) {
  return experiment.has("workload") && experiment.text("workload") == "kernel";
}

std::shared_ptr<const ExperimentWork> read_kernel(const Config& root, Experiment& experiment) {
  experiment.run = read_run_options(root.map("experiment"), experiment.hardware.workers);
  const Config config = root.map("kernel");
  StatedKernel kernel;
  const std::optional<std::string> kind = config.registered<KernelKind>("kind");
  if (!kind) root.throw_if_any();
  kernel.kind = kind.value_or("");
  const KernelKind& known = KernelKinds::get(kernel.kind);
  kernel.write = known.read(config);
  const bool has_passes = std::ranges::find(known.sizes, "pass") != known.sizes.end();
  kernel.pass = has_passes ? config.text("pass", "forward") : "kernel";
  let_other_sizes_stand(config, known);
  config.finish();
  root.throw_if_any();
  return std::make_shared<KernelRun>(std::move(kernel));
}

void read_kernel_workload(const Config&, const Config&, Experiment& experiment) {
  experiment.shape.ep = dynamic_cast<const KernelRun&>(*experiment.work).ranks(experiment);
}

A3SIM_REGISTER(WorkType, "kernel", "one kernel, copy or exchange, as benchmarks repeat it",
               WorkType{takes_kernel, read_kernel});
A3SIM_REGISTER(Workload, "kernel", "one kernel, copy or exchange, as benchmarks repeat it",
               Workload{read_kernel_workload});

}  // namespace
}  // namespace a3sim
