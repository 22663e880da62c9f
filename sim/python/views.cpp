#include "sim/python/views.h"

namespace a3sim {
namespace {

namespace py = pybind11;

// Only the thread that holds Python's lock changes this.
bool found = false;

}  // namespace

void find_numpy() {
  try {
    py::dtype::of<double>();  // pybind11 caches the look-up
    found = true;
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_ImportError)) throw;
  }
}

void require_numpy() {
  if (found) return;
  throw py::import_error(
      "arrays need NumPy, which was not found when a3sim was imported: install it (python3-numpy)");
}

}  // namespace a3sim
