#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <span>
#include <type_traits>

#include "sim/core/units.h"

namespace a3sim {

// Looks up NumPy's functions for pybind11, which otherwise does so where the first array is made: there two threads at
// once wait for each other for ever, one for Python's lock, the other for the look-up to end. Call it once, while the
// module is imported. Does nothing where NumPy is not installed.
void find_numpy();
// Throws ImportError where it has not been found. Call it before anything of pybind11's that needs NumPy.
void require_numpy();

// How NumPy sees a type of ours: its fields with their names, where they lie in memory.
template <class T>
class Fields {
 public:
  Fields() { require_numpy(); }

  // A field is named by that of `sample`, which may lie deeper.
  T sample{};

  template <class Field>
  Fields& add(const char* name, const Field& field) {
    names_.append(name);
    formats_.append(format_of<Field>());
    offsets_.append(reinterpret_cast<const char*>(&field) - reinterpret_cast<const char*>(&sample));
    return *this;
  }
  pybind11::dtype dtype() const { return {names_, formats_, offsets_, sizeof(T)}; }

 private:
  template <class Field>
  static pybind11::dtype format_of() {
    if constexpr (std::is_same_v<Field, Time> || std::is_same_v<Field, Duration>)
      return pybind11::dtype::of<Duration::rep>();  // picoseconds
    else
      return pybind11::dtype::of<Field>();
  }

  pybind11::list names_, formats_, offsets_;
};

// An array over data that stays where it is, which `owner` keeps alive as long as any view of it is. It cannot be
// written to.
template <class T>
pybind11::array view_of(std::span<const T> data, const pybind11::dtype& dtype,
                        std::shared_ptr<const void> owner) {
  using Owner = std::shared_ptr<const void>;
  const pybind11::capsule keeper(new Owner(std::move(owner)),
                                 [](void* kept) { delete static_cast<Owner*>(kept); });
  pybind11::array array(dtype, {data.size()}, {sizeof(T)}, data.data(), keeper);
  array.attr("setflags")(pybind11::arg("write") = false);
  return array;
}

}  // namespace a3sim
