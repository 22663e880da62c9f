#include "sim/study/summary/stream_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/runtime/streams/stream_path.h"
#include "version.h"

namespace a3sim {
namespace {

Duration since_start(Time time) { return time.time_since_epoch(); }

// The tasks of one name.
struct NamedTasks {
  std::string name, workers;
  std::int64_t tasks = 0;
  Time from = Time::max(), to{};
  Duration held{}, waited{};     // sums: with their workers; for workers that others had
  Duration on_path{}, before{};  // of the critical path: with their workers; before they asked for them
};

std::vector<NamedTasks> by_name(const StreamPass& pass) {
  std::vector<NamedTasks> all;
  std::map<std::string, std::size_t> place;
  const auto of = [&](const StreamTask& task) -> NamedTasks& {
    const auto [found, added] = place.emplace(task.name, all.size());
    if (added) {
      all.emplace_back().name = task.name;
      if (task.units > 0) all.back().workers = pass.program.kinds[task.kind].name;
    }
    return all[found->second];
  };
  for (std::size_t t = 0; t < pass.program.tasks.size(); ++t) {
    const StreamTask& task = pass.program.tasks[t];
    const StreamRecord& record = pass.result.records[t];
    NamedTasks& sum = of(task);
    ++sum.tasks;
    sum.from = std::min(sum.from, record.start);
    sum.to = std::max(sum.to, record.end);
    sum.held += record.end - record.start;
    sum.waited += record.start - record.ready - task.wait;
  }
  for (const StreamStretch& stretch : critical_path(pass.program, pass.result, pass.last())) {
    NamedTasks& sum = of(pass.program.tasks[stretch.task]);
    (stretch.what == StreamStretch::What::kWork ? sum.on_path : sum.before) += stretch.to - stretch.from;
  }
  return all;
}

Report report_of(const NamedStreamPass& named) {
  const StreamPass& pass = named.pass;
  Report report;
  report.fact("pass", named.name);
  Table& table = report.table(
      "tasks",
      {Column::words(named.name, "name"), Column::words("workers"), Column::count("tasks"),
       Column::milliseconds("from ms", "from_ps"), Column::milliseconds("to ms", "to_ps"),
       Column::microseconds("mean us", "mean_ps"), Column::microseconds("waited us", "waited_ps"),
       Column::milliseconds("on the path ms", "path_ps"),
       Column::milliseconds("before it ms", "path_wait_ps"), Column::percent("of latency", "path_share")});
  const Duration latency = pass.latency();
  for (const NamedTasks& of : by_name(pass)) {
    table.add({of.name, of.workers.empty() ? Cell() : Cell(of.workers), of.tasks, since_start(of.from),
               since_start(of.to), of.held / of.tasks, of.waited / of.tasks, unless_zero(of.on_path),
               unless_zero(of.before), share(of.on_path + of.before, latency)});
  }
  return report;
}

}  // namespace

std::vector<NamedStreamPass> run_first_batch(const Experiment& experiment) {
  check_streams(experiment);
  const Batches batches = draw_batches(experiment, 0);
  const LoadHistory history = history_before(batches);
  const MicroBatch batch(batches.counts.front(), history);
  const Hardware hardware = sustained(experiment.hardware);
  KernelCost cost(hardware, experiment.cut.tiling);
  const auto plan = plan_of(experiment, batch, cost);
  std::vector<NamedStreamPass> passes;
  for (const bool forward : {true, false})
    passes.push_back({forward ? "forward" : "backward", run_stream_pass(experiment, *plan, cost, forward)});
  return passes;
}

Report stream_report(const Experiment& experiment, const std::vector<NamedStreamPass>& passes) {
  const MoeShape& s = experiment.shape;
  Report report;
  report.fact("a3sim", kVersion).fact("name", experiment.name).fact("execution", "streams");
  report.fact("method", experiment.work->micro_batches()->method);
  report.say(
      fmt::format("{} (a3sim {})\nMoE-FFN   EP{}, {} tokens a rank, hidden {}, intermediate {}, top-{} of {} "
                  "experts, {}\n"
                  "machine   {}\nstreams   method {}, the first micro-batch of the first seed; 'a3sim "
                  "batches' runs them all\n",
                  experiment.name, kVersion, s.ep, s.tokens, s.hidden, s.intermediate, s.top_k, s.experts(),
                  name_of(s.dtype), experiment.hardware.name, experiment.work->micro_batches()->method));
  Table& table =
      report.table("latencies", {Column::words("pass"), Column::milliseconds("latency ms", "latency_ps"),
                                 Column::milliseconds("all ends ms", "makespan_ps"),
                                 Column::mega("sent MB/rank", "most_sent_bytes"), Column::count("tasks")});
  for (const auto& [name, pass] : passes) {
    table.add({name, pass.latency(), pass.result.makespan, whole(*std::ranges::max_element(pass.result.sent)),
               whole(pass.program.tasks.size())});
  }
  for (const NamedStreamPass& pass : passes) report.part("passes", report_of(pass));
  report.say(
      "waited: for workers that others had. On the path: what the latency waited for, with its workers; "
      "before it: its\n"
      "launch, submission or signal. Both sum to the latency.\n");
  return report;
}

std::string tasks_csv(const NamedStreamPass& named) {
  const StreamPass& pass = named.pass;
  std::string lines = "rank,stream,task,workers,ready_ps,start_ps,end_ps,to,bytes\n";
  for (std::size_t t = 0; t < pass.program.tasks.size(); ++t) {
    const StreamTask& task = pass.program.tasks[t];
    const StreamRecord& record = pass.result.records[t];
    std::int64_t bytes = 0;
    for (const StreamTransfer& transfer : task.transfers) bytes += transfer.bytes.count;
    lines += fmt::format(
        "{},{},{},{},{},{},{},{},{}\n", index(task.rank), task.stream, task.name,
        task.units > 0 ? pass.program.kinds[task.kind].name : "", since_start(record.ready).count(),
        since_start(record.start).count(), since_start(record.end).count(),
        task.transfers.size() == 1 ? fmt::format("{}", index(task.transfers.front().dst)) : "", bytes);
  }
  return lines;
}

}  // namespace a3sim
