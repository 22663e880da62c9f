#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/stl.h>

#include <vector>

#include "scheduler/orders/order_csv.h"
#include "sim/core/error.h"
#include "sim/experiment/run/compiled.h"
#include "sim/python/bindings.h"
#include "sim/python/outside_python.h"
#include "sim/python/views.h"

namespace a3sim {
namespace {

namespace py = pybind11;

py::dtype task_dtype() {
  Fields<TaskDescriptor> fields;
  const TaskDescriptor& task = fields.sample;
  fields.add("task_type", task.task_type)
      .add("queue_type", task.queue_type)
      .add("worker_set", task.worker_set);
  fields.add("op", task.op).add("num_inputs", task.num_inputs).add("num_outputs", task.num_outputs);
  fields.add("dependent_event", task.dependent_event).add("trigger_event", task.trigger_event);
  fields.add("trigger_rank", task.trigger_rank).add("first_region", task.first_region);
  fields.add("index", task.task_index).add("task_split_num", task.task_split_num);
  fields.add("task_split_value", task.task_split_value);
  fields.add("tiling_data_position", task.tiling_data_position);
  fields.add("stage", task.stage).add("expert", task.expert).add("gexpert", task.gexpert);
  fields.add("src", task.src).add("dst", task.dst).add("row", task.row).add("tile", task.tile);
  return fields.add("chunk", task.chunk).dtype();
}

py::dtype event_dtype() {
  Fields<EventDescriptor> fields;
  return fields.add("threshold", fields.sample.threshold).add("done", fields.sample.done).dtype();
}

py::dtype region_dtype() {
  Fields<Region> fields;
  const Region& region = fields.sample;
  fields.add("tensor", region.tensor).add("rank", region.rank).add("row_begin", region.row_begin);
  fields.add("row_end", region.row_end).add("share", region.share).add("shares", region.shares);
  return fields.add("flags", region.flags).dtype();
}

const Ssc& rank_of(const PythonSchedule& schedule, std::size_t rank) {
  if (rank < schedule.ranks.size()) return schedule.ranks[rank];
  throw py::index_error(fmt::format("rank {}, but there are {} ranks", rank, schedule.ranks.size()));
}

// Returns a view of one of a rank's tables. The schedule's bytes live as long as any copy of it.
template <class T>
py::array table(const PythonSchedule& schedule, std::size_t rank, std::span<const T> (Ssc::*column)() const,
                const py::dtype& dtype) {
  const auto kept = std::make_shared<const Ssc>(rank_of(schedule, rank));
  return view_of(((*kept).*column)(), dtype, kept);
}

std::uint32_t queue_named(const WorkerKinds& kinds, const std::string& name) {
  std::vector<std::string> names;
  for (std::uint32_t q = 0; q < kinds.size(); ++q) {
    names.push_back(kinds[q].queue());
    if (names.back() == name) return q;
  }
  throw InputError(fmt::format("queue '{}': expected {}", name, fmt::join(names, " or ")));
}

py::array queue(const PythonSchedule& schedule, std::size_t rank, const std::string& name) {
  require_numpy();
  const auto kept = std::make_shared<const Ssc>(rank_of(schedule, rank));
  return view_of(kept->queue(queue_named(kept->kinds(), name)), py::dtype::of<std::uint32_t>(), kept);
}

std::vector<std::string> operators(const PythonSchedule& schedule) {
  std::vector<std::string> names;
  for (const OperatorInfo& op : rank_of(schedule, 0).operators()) names.push_back(op.name);
  return names;
}

std::vector<std::string> tensors(const PythonSchedule& schedule, std::size_t rank) {
  std::vector<std::string> names;
  for (const TensorInfo& tensor : rank_of(schedule, rank).tensors()) names.push_back(tensor.name);
  return names;
}

py::bytes contents(const PythonSchedule& schedule, std::size_t rank) {
  const auto bytes = rank_of(schedule, rank).bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<PythonSchedule> compile_schedules(const Experiment& experiment) {
  return outside_python([&] {
    std::vector<PythonSchedule> schedules;
    for (CompiledPass& pass : compile_all(experiment).passes)
      schedules.push_back({std::move(pass.name), std::move(pass.schedule)});
    return schedules;
  });
}

}  // namespace

void bind_schedules(py::module_& module) {
  module.attr("none") = kNone;
  py::class_<PythonSchedule>(module, "Schedule")
      .def_property_readonly("name", [](const PythonSchedule& schedule) { return schedule.name; })
      .def_property_readonly("ranks", [](const PythonSchedule& schedule) { return schedule.ranks.size(); })
      .def_property_readonly("order",
                             [](const PythonSchedule& schedule) { return rank_of(schedule, 0).order(); })
      .def_property_readonly("operators", &operators)
      .def("tensors", &tensors)
      .def("tasks", [](const PythonSchedule& s,
                       std::size_t rank) { return table(s, rank, &Ssc::tasks, task_dtype()); })
      .def("events", [](const PythonSchedule& s,
                        std::size_t rank) { return table(s, rank, &Ssc::events, event_dtype()); })
      .def("regions", [](const PythonSchedule& s,
                         std::size_t rank) { return table(s, rank, &Ssc::regions, region_dtype()); })
      .def("queue", &queue)
      .def("contents", &contents)
      .def("order_csv", [](const PythonSchedule& schedule) { return export_order(schedule.ranks); });
  module.def("compile", &compile_schedules);
}

}  // namespace a3sim
