#pragma once

#include <pybind11/pybind11.h>

namespace a3sim {

// What each file adds to the module. Its names are for the package a3sim/, which documents what users meet.
void bind_errors(pybind11::module_& module);
void bind_experiments(pybind11::module_& module);
void bind_schedules(pybind11::module_& module);
void bind_runs(pybind11::module_& module);
void bind_studies(pybind11::module_& module);

}  // namespace a3sim
