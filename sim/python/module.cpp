#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <exception>
#include <filesystem>

#include "sim/core/error.h"
#include "sim/python/bindings.h"
#include "sim/python/outside_python.h"
#include "sim/python/views.h"
#include "version.h"

namespace a3sim {
namespace {

namespace py = pybind11;

// Raises one of the package's own exceptions, by name.
void raise(const char* type, const char* text) {
  const py::object error = py::module_::import("a3sim._errors").attr(type);
  PyErr_SetString(error.ptr(), text);
}

const char* type_of(ExitCode code) {
  switch (code) {
    case ExitCode::kUsage:
      return "InputError";
    case ExitCode::kInterrupted:
      return "Interrupted";
    case ExitCode::kPartly:
      return "PartlyFailed";
    default:
      return "RunError";
  }
}

void translate(std::exception_ptr error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (const Error& of_ours) {
    raise(type_of(of_ours.code()), of_ours.what());
  } catch (const std::filesystem::filesystem_error& of_files) {
    raise("RunError", fmt::format("{}: {}", of_files.path1().string(), of_files.code().message()).c_str());
  }
}

// Makes X() and X.__new__(X) throw TypeError. Only the module's functions may create objects: others would be
// empty, and their methods would read invalid memory.
void refuse_empty_objects(const py::module_& module) {
  for (const auto& [name, value] : module.attr("__dict__").cast<py::dict>()) {
    if (PyType_Check(value.ptr())) reinterpret_cast<PyTypeObject*>(value.ptr())->tp_new = nullptr;
  }
}

}  // namespace
}  // namespace a3sim

PYBIND11_MODULE(_core, module) {
  module.doc() = "What the package a3sim is made on; use that.";
  auto logger = spdlog::stderr_logger_mt("a3sim");
  logger->set_pattern("%v");
  logger->set_level(spdlog::level::warn);
  spdlog::set_default_logger(std::move(logger));

  module.attr("version") = a3sim::kVersion;
  module.attr("git_hash") = a3sim::kGitHash;
  pybind11::register_exception_translator(a3sim::translate);
  a3sim::bind_experiments(module);
  a3sim::bind_schedules(module);
  a3sim::bind_runs(module);
  a3sim::bind_studies(module);
  module.def("runs_under_way", &a3sim::PythonCall::under_way);
  a3sim::PythonCall::set_up();
  a3sim::refuse_empty_objects(module);
  a3sim::find_numpy();
}
