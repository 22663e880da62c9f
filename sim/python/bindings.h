#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "scheduler/orders/order.h"
#include "scheduler/ssc/ssc.h"

namespace a3sim {

// Each file adds its part to the module. The package a3sim/ uses these names, and documents those that users
// see.
void bind_experiments(pybind11::module_& module);
void bind_schedules(pybind11::module_& module);
void bind_runs(pybind11::module_& module);
void bind_studies(pybind11::module_& module);

// The schedules of all ranks for one pass, as Python holds them.
struct PythonSchedule {
  std::string name;
  Schedule ranks;
};

// Returns the order in a file's text, with Python functions (or None) in place of the keys of a queue. A
// function takes an array with one row of attributes per task (order_keys.h), the names of the graph's
// operators, and those of other graphs that it may name. It returns an array of numbers, one row per task.
OrderSpec python_order(const std::string& text, const std::string& name, const pybind11::object& ctq,
                       const pybind11::object& vtq);

}  // namespace a3sim
