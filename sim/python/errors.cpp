#include <fmt/format.h>

#include <exception>
#include <filesystem>

#include "sim/core/error.h"
#include "sim/python/bindings.h"

namespace a3sim {
namespace {

namespace py = pybind11;

// The package's own classes, by name.
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

}  // namespace

void bind_errors(py::module_&) { py::register_exception_translator(translate); }

}  // namespace a3sim
