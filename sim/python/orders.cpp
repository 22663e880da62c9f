#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <memory>
#include <utility>

#include "scheduler/orders/order_config.h"
#include "scheduler/orders/order_keys.h"
#include "sim/core/error.h"
#include "sim/python/bindings.h"
#include "sim/python/outside_python.h"
#include "sim/python/views.h"

namespace a3sim {
namespace {

namespace py = pybind11;

py::list names_of(std::span<const std::string> names) {
  py::list list;
  for (const std::string& name : names) list.append(name);
  return list;
}

py::dtype attributes_dtype() {
  require_numpy();
  static_assert(sizeof(Attributes) % sizeof(double) == 0, "attributes are numbers and nothing else");
  py::list names, formats, offsets;
  for (const std::string& name : attribute_names()) {
    offsets.append(names.size() * sizeof(double));
    formats.append(py::dtype::of<double>());
    names.append(name);
  }
  return {names, formats, offsets, sizeof(Attributes)};
}

class PythonKeys final : public KeyFunction {
 public:
  explicit PythonKeys(py::object function) : function_(std::move(function)) {}
  ~PythonKeys() override {
    const py::gil_scoped_acquire locked;
    function_ = {};
  }
  PythonKeys(const PythonKeys&) = delete;
  PythonKeys& operator=(const PythonKeys&) = delete;

  Keys evaluate(const Queue& queue) const override {
    const BackInPython inside;
    const py::array table = view_of(std::span(*queue.tasks), attributes_dtype(), queue.tasks);
    const py::object given = function_(table, names_of(queue.operators), names_of(queue.elsewhere));
    const auto keys = py::array_t < double, py::array::c_style | py::array::forcecast > ::ensure(given);
    if (!keys) throw py::error_already_set();
    if (keys.ndim() != 2) throw InputError("an order's function gives numbers, one or more of each task");
    return {static_cast<std::size_t>(keys.shape(1)), {keys.data(), keys.data() + keys.size()}};
  }

 private:
  py::object function_;
};

}  // namespace

OrderSpec python_order(const std::string& text, const std::string& name, const py::object& ctq,
                       const py::object& vtq) {
  Diagnostics diagnostics;
  const Config root = Config::parse(text, name, {}, diagnostics);
  OrderSpec order = read_order(root.map("order"));
  root.finish();
  diagnostics.throw_if_any();
  const py::object functions[kCoreUnits] = {ctq, vtq};
  for (std::size_t q = 0; q < kCoreUnits; ++q) {
    if (functions[q].is_none()) continue;
    order.keys[q].clear();
    order.functions[q] = std::make_shared<PythonKeys>(functions[q]);
  }
  return order;
}

}  // namespace a3sim
