#include <pybind11/pybind11.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "sim/python/bindings.h"
#include "sim/python/outside_python.h"
#include "version.h"

PYBIND11_MODULE(_core, module) {
  module.doc() = "What the package a3sim is made on; use that.";
  auto logger = spdlog::stderr_logger_mt("a3sim");
  logger->set_pattern("%v");
  logger->set_level(spdlog::level::warn);
  spdlog::set_default_logger(std::move(logger));

  module.attr("version") = a3sim::kVersion;
  module.attr("git_hash") = a3sim::kGitHash;
  a3sim::bind_errors(module);
  a3sim::bind_experiments(module);
  a3sim::bind_schedules(module);
  a3sim::bind_runs(module);
  a3sim::bind_studies(module);
  module.def("runs_under_way", &a3sim::PythonCall::under_way);
  a3sim::PythonCall::set_up();
}
