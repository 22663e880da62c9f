#include "sim/experiment/inference/inference_run.h"

#include <algorithm>
#include <map>

#include "sim/core/whole_time.h"
#include "sim/experiment/run/interruption.h"
#include "sim/experiment/step/class_sweep.h"

namespace a3sim {
namespace {

constexpr std::size_t kHbmResource = static_cast<std::size_t>(Resource::kHbm);

Duration from_start(Time time) { return time.time_since_epoch(); }

// Names what most of a kernel's time alone is spent on.
std::string bound_of(const InferenceKernel& kernel, const Hardware& hardware) {
  const bool products = kernel.weights > 0;  // a kernel may multiply and exchange rows
  if (!products && (!kernel.transfers.empty() || kernel.time_class == TimeClass::kEp ||
                    kernel.time_class == TimeClass::kTp))
    return "exchange";
  if (kernel.head + kernel.barriers > kernel.job.ideal) return "launch";
  const double memory = kernel.job.bytes[kHbmResource] / static_cast<double>(hardware.memory.hbm_read.count);
  if (products && !kernel.transfers.empty() && memory < 0.5 * seconds(kernel.job.ideal)) return "exchange";
  if (kernel.whole && memory > 0.5 * seconds(kernel.job.ideal))
    return "weights";  // a run that has its products in it
  const MemoryJob& job = kernel.job;
  const Duration rest = job.ideal - job.arithmetic - job.missing - job.hbm;
  // The HBM sets the pace if it takes longer than the cores, and a core's loads if it waits for them longer than it multiplies.
  const bool loads = job.hbm > Duration::zero() || (job.missing > job.arithmetic && job.missing > rest);
  if (loads && kernel.weights + kernel.cache > 0) return kernel.cache > kernel.weights ? "cache" : "weights";
  // Vector cores do all work of attention but its products.
  const bool scores = kernel.time_class == TimeClass::kAttention && rest > job.arithmetic;
  return kernel.matrix && !scores ? "products" : "vector";
}

// The classes of the time of one die of attention. Experts that are apart count as waiting.
ClassTimes classes_of(const PreparedInference& prepared, const StreamPass& pass) {
  std::vector<ClassInterval> intervals;
  for (std::uint32_t t = 0; t < pass.program.tasks.size(); ++t) {
    const StreamTask& task = pass.program.tasks[t];
    const StreamRecord& record = pass.result.records[t];
    const InferenceKernel* const kernel = prepared.written.kernel(t);
    const Duration from = from_start(record.start), to = from_start(record.end);
    if (index(task.rank) != 0) {
      const bool exchange = kernel && kernel->time_class == TimeClass::kEp;
      intervals.push_back({from, to, exchange ? TimeClass::kEp : TimeClass::kBubble});
    } else if (!kernel) {
      intervals.push_back({from, to, TimeClass::kHost});
    } else {
      intervals.push_back({std::min(to, from + kernel->head), to, kernel->time_class});
    }
  }
  return swept(intervals, pass.result.makespan);
}

std::vector<KernelAccount> accounts_by_kernel(const PreparedInference& prepared, const StreamPass& pass,
                                              const Hardware& hardware) {
  std::map<std::string, KernelAccount> by_name;
  for (std::uint32_t t = 0; t < pass.program.tasks.size(); ++t) {
    const InferenceKernel* const kernel = prepared.written.kernel(t);
    if (!kernel) continue;
    KernelAccount& account = by_name[kernel->name];
    if (account.runs == 0) {
      account.name = kernel->name;
      account.time_class = kernel->time_class;
      account.bound = bound_of(*kernel, hardware);
    }
    ++account.runs;
    account.time += pass.result.records[t].end - pass.result.records[t].start;
    account.weights += kernel->weights;
    account.cache += kernel->cache;
    for (const StreamTransfer& transfer : kernel->transfers)
      account.sent += static_cast<double>(transfer.bytes.count);
  }
  std::vector<KernelAccount> accounts;
  for (auto& [name, account] : by_name) accounts.push_back(std::move(account));
  std::ranges::stable_sort(accounts, std::ranges::greater(), &KernelAccount::time);
  return accounts;
}

}  // namespace

PreparedInference prepare_inference(const Experiment& experiment) {
  PreparedInference prepared;
  prepared.plan = inference_plan_of(experiment);
  const InferencePlan& plan = prepared.plan;
  const InferenceCosts costs(experiment, plan.options);
  ExpertVisit rows;
  if (plan.model.experts.count > 0) rows = expert_visit(experiment, plan);
  prepared.over_mean = rows.over_mean;
  prepared.layers = inference_layers(plan, LayerWriter(plan, costs, &rows));
  prepared.written = write_inference(plan, experiment.hardware, prepared.layers);
  prepared.memory = inference_memory(plan);
  return prepared;
}

StreamPass run_inference(const Experiment& experiment, const PreparedInference& prepared, TaskHooks* hooks) {
  check_interruption();
  StreamPass pass;
  pass.program = prepared.written.program;
  Progress progress("tasks", pass.program.tasks.size());
  InterruptibleHooks interruptible(hooks, progress);
  pass.result = run_streams(pass.program, sustained(experiment.hardware), prepared.written.dies,
                            Registry<NetworkBackend>::get("islands"), {.hooks = interruptible.hooks()});
  return pass;
}

InferenceFigures figures_of(const Experiment& experiment, const PreparedInference& prepared,
                            const StreamPass& pass) {
  const InferenceOptions& options = prepared.plan.options;
  InferenceFigures figures;
  figures.time = pass.result.makespan;
  figures.token = Duration(whole_picoseconds(static_cast<double>(figures.time.count()) / options.outputs()));
  const double left =
      options.phase == InferencePhase::kPrefill ? static_cast<double>(options.context) : options.outputs();
  figures.tokens_a_die = options.busy_ranks() * static_cast<double>(options.batch) * left /
                         seconds(figures.time) / options.dies();
  figures.classes = classes_of(prepared, pass);
  figures.kernels = accounts_by_kernel(prepared, pass, sustained(experiment.hardware));
  for (const KernelAccount& account : figures.kernels) figures.launches += account.runs;
  figures.largest_batch = largest_batch(prepared.plan);
  return figures;
}

Duration inference_by_hand(const Experiment& experiment, const PreparedInference& prepared,
                           double part_of_peak, std::string_view op) {
  const Hardware& hardware = experiment.hardware;
  const auto of_kernel = [&](const InferenceKernel& kernel) {
    const double bytes = kernel.job.bytes[kHbmResource] * (kernel.matrix ? hardware.cube.hbm_part : 1);
    return std::max(kernel.by_hand / part_of_peak,
                    bytes * 1e12 / static_cast<double>(hardware.memory.hbm_read.count));
  };
  if (!op.empty()) {
    double longest = 0;
    for (const InferenceKernel& kernel : prepared.written.kernels)
      if (kernel.name == op && kernel.transfers.empty()) longest = std::max(longest, of_kernel(kernel));
    if (longest == 0) return Duration::zero();
    return Duration(whole_picoseconds(longest)) + experiment.program.launch.queued;
  }
  std::vector<double> kernels(prepared.written.program.ranks, 0);
  std::map<std::uint32_t, double> sent;  // by level
  for (std::uint32_t t = 0; t < prepared.written.program.tasks.size(); ++t) {
    const InferenceKernel* const kernel = prepared.written.kernel(t);
    if (!kernel) continue;
    kernels[index(prepared.written.program.tasks[t].rank)] += of_kernel(*kernel);
    for (const StreamTransfer& transfer : kernel->transfers)
      sent[transfer.level] += static_cast<double>(transfer.bytes.count);
  }
  double link = 0;
  Duration latency{};
  for (const auto& [level, bytes] : sent) {
    const Hardware::Fabric::Level& of = hardware.fabric.levels[level];
    link = std::max(link, bytes * 1e12 / static_cast<double>(hardware.fabric.planes[of.plane].egress.count));
    latency = std::max(latency, of.latency);
  }
  return Duration(whole_picoseconds(*std::ranges::max_element(kernels) + link)) + latency +
         experiment.program.launch.queued;
}

}  // namespace a3sim
