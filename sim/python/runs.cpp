#include <fmt/format.h>
#include <pybind11/stl.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sim/experiment/outcome/run_trace.h"
#include "sim/experiment/run/interruption.h"
#include "sim/experiment/run/run_experiment.h"
#include "sim/python/bindings.h"
#include "sim/python/outside_python.h"
#include "sim/python/views.h"
#include "sim/result/metrics/point_metrics.h"
#include "sim/result/report.h"

namespace a3sim {
namespace {

namespace py = pybind11;

// Lets threads take turns, because SimGrid simulates only one network at a time in a process.
class Turn {
 public:
  explicit Turn(const std::string& network) {
    if (network != "simgrid") return;
    while (!lock_.try_lock_for(std::chrono::milliseconds(20))) check_interruption();
  }

 private:
  static inline std::timed_mutex simgrid;
  std::unique_lock<std::timed_mutex> lock_{simgrid, std::defer_lock};
};

// A run. Its records stay in place as long as any view of them exists.
struct PythonRun {
  Experiment experiment;
  Compiled compiled;
  std::vector<PassResult> passes;
  bool recorded = false;
};
using Run = std::shared_ptr<const PythonRun>;

Run run(const Experiment& experiment, bool record) {
  return outside_python([&]() -> Run {
    auto run = std::make_shared<PythonRun>(PythonRun{experiment, compile_all(experiment), {}, record});
    const Turn turn(experiment.network);
    run->passes = run_compiled(experiment, run->compiled, record, backend_of(experiment));
    return run;
  });
}

py::dtype record_dtype() {
  Fields<TaskRecord> fields;
  const TaskRecord& task = fields.sample;
  fields.add("worker", task.worker).add("taken_ps", task.taken).add("start_ps", task.start);
  fields.add("end_ps", task.end).add("ideal_ps", task.ideal);
  const auto lost = [&](Limit limit) -> const Duration& {
    return task.lost[static_cast<std::size_t>(limit)];
  };
  fields.add("lost_l2_read_ps", lost(Limit::kL2Read)).add("lost_l2_write_ps", lost(Limit::kL2Write));
  fields.add("lost_hbm_ps", lost(Limit::kHbm)).add("lost_link_ps", lost(Limit::kLink));
  fields.add("lost_miss_ps", lost(Limit::kMiss));
  fields.add("l2_read_hit", task.l2.read.hit).add("l2_read_miss", task.l2.read.miss);
  fields.add("l2_read_bypass", task.l2.read.bypass);
  fields.add("l2_write_hit", task.l2.write.hit).add("l2_write_miss", task.l2.write.miss);
  fields.add("l2_write_bypass", task.l2.write.bypass);
  fields.add("hbm_read_bytes", task.l2.hbm_read).add("hbm_write_bytes", task.l2.hbm_write);
  fields.add("done_ps", task.done).add("visible_ps", task.visible).add("arithmetic_ps", task.arithmetic);
  return fields.add("operations", task.operations).add("put_bytes", task.put_bytes).dtype();
}

const PassResult& pass_of(const Run& run, std::size_t pass) {
  if (pass < run->passes.size()) return run->passes[pass];
  throw py::index_error(fmt::format("pass {}, but there are {} passes", pass, run->passes.size()));
}

py::array records(const Run& run, std::size_t pass, std::size_t rank) {
  const std::vector<RankResult>& ranks = pass_of(run, pass).run.ranks;
  if (rank >= ranks.size())
    throw py::index_error(fmt::format("rank {}, but there are {} ranks", rank, ranks.size()));
  return view_of(std::span(ranks[rank].records), record_dtype(), run);
}

PythonSchedule schedule(const Run& run, std::size_t pass) {
  return {pass_of(run, pass).name, pass_of(run, pass).schedule};
}

py::tuple summary(const Run& run) {
  const RunSummary summary =
      outside_python([&] { return run_summary(run->experiment, run->compiled, run->passes); });
  return py::make_tuple(summary.text, summary.json.dump());
}

py::list latencies(const Run& run) {
  py::list list;
  for (const PassResult& pass : run->passes)
    list.append(py::make_tuple(pass.name, pass.run.makespan.count()));
  return list;
}

py::dict bounds(const Run& run, std::size_t pass) {
  py::dict bounds;
  for (std::uint32_t b = 0; b < kBounds; ++b) {
    const auto bound = static_cast<Bound>(b);
    if (!is_shown(bound, pass_of(run, pass).bounds.time[b])) continue;
    bounds[py::str(std::string(name_of(bound)))] = pass_of(run, pass).bounds.time[b].count();
  }
  return bounds;
}

std::vector<PointMetric> measured_passes(const PythonRun& run, const std::vector<std::string>& names) {
  const Record record = need_trace(names) ? Record::kTrace : Record::kSums;
  return metrics_of(outcomes_of(run.experiment, run.passes, record), names);
}

// Returns the metrics that sweeps record: pass, name, value, unit.
py::list metrics(const Run& run, const std::vector<std::string>& names) {
  py::list list;
  for (const PointMetric& metric : measured_passes(*run, names))
    list.append(py::make_tuple(metric.pass, metric.name, metric.value, metric.unit));
  return list;
}

}  // namespace

void bind_runs(py::module_& module) {
  py::class_<PythonRun, std::shared_ptr<PythonRun>>(module, "Run")
      .def_property_readonly("recorded", [](const PythonRun& run) { return run.recorded; })
      .def("records", [](const std::shared_ptr<PythonRun>& run, std::size_t p,
                         std::size_t r) { return records(run, p, r); })
      .def("schedule", [](const std::shared_ptr<PythonRun>& run, std::size_t p) { return schedule(run, p); })
      .def("summary", [](const std::shared_ptr<PythonRun>& run) { return summary(run); })
      .def("latencies", [](const std::shared_ptr<PythonRun>& run) { return latencies(run); })
      .def("bounds", [](const std::shared_ptr<PythonRun>& run, std::size_t p) { return bounds(run, p); })
      .def("metrics", [](const std::shared_ptr<PythonRun>& run, const std::vector<std::string>& names) {
        return metrics(run, names);
      });
  module.def("run", [](const Experiment& experiment, bool record) {
    return std::const_pointer_cast<PythonRun>(run(experiment, record));
  });
  module.def("metric_names", &metric_names);
}

}  // namespace a3sim
