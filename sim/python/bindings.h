#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "scheduler/orders/order.h"
#include "scheduler/ssc/ssc.h"

namespace a3sim {

// What each file adds to the module. Its names are for the package a3sim/, which documents what users meet.
void bind_experiments(pybind11::module_& module);
void bind_schedules(pybind11::module_& module);
void bind_runs(pybind11::module_& module);
void bind_studies(pybind11::module_& module);

// One pass's schedules of all ranks, as Python holds them.
struct PythonSchedule {
  std::string name;
  Schedule ranks;
};

// The order of a file's text, with functions of Python's in place of the keys of a queue. A function takes an array with
// a row of attributes a task (order_keys.h), the names of the graph's operators, and those of others that it may name;
// it gives an array of numbers, a row a task.
OrderSpec python_order(const std::string& text, const std::string& name, const pybind11::object& ctq,
                       const pybind11::object& vtq);

}  // namespace a3sim
