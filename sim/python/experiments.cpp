#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/experiment/config/configs_folder.h"
#include "sim/experiment/config/order_file.h"
#include "sim/experiment/experiment.h"
#include "sim/python/bindings.h"

namespace a3sim {
namespace {

namespace py = pybind11;

Experiment load(const std::filesystem::path& file, const std::vector<std::string>& overrides,
                const std::optional<std::filesystem::path>& order) {
  return order ? load_with_order(file, *order, overrides) : load_experiment(file, overrides);
}

std::vector<std::string> passes(const Experiment& experiment) {
  std::vector<std::string> names;
  for (const Pass& pass : experiment.passes) names.push_back(pass.name);
  return names;
}

}  // namespace

void bind_experiments(py::module_& module) {
  py::class_<OrderSpec>(module, "OrderSpec").def_property_readonly("name", [](const OrderSpec& order) {
    return order.name;
  });
  module.def("make_order", &python_order);
  module.def("read_order_file", &read_order_file);
  py::class_<Experiment, std::shared_ptr<Experiment>>(module, "Experiment")
      .def("with_order", &with_order)
      .def("values", [](const Experiment& experiment) { return experiment.values; })
      .def("unused_entries", &unused_entries)
      .def_property_readonly("passes", &passes)
      .def_property_readonly("name", [](const Experiment& experiment) { return experiment.name; })
      .def_property_readonly("resolved", [](const Experiment& experiment) { return experiment.resolved; });
  module.def("load_experiment", &load);
  module.def("configs_folder", &configs_folder);
}

}  // namespace a3sim
