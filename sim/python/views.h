#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <span>
#include <type_traits>

#include "sim/core/units.h"

namespace a3sim {

// Looks up NumPy's functions for pybind11. Otherwise pybind11 does so when the first array is made, and two
// threads could then wait for each other forever: one for Python's lock, the other for the look-up to end.
// Call it once, while the module is imported. Does nothing if NumPy is not installed.
void find_numpy();
// Throws ImportError if NumPy was not found. Call it before anything in pybind11 that needs NumPy.
void require_numpy();

// Describes one of our types to NumPy: the names, types and offsets of its fields.
template <class T>
class Fields {
 public:
  Fields() { require_numpy(); }

  // `add` finds a field's offset from a reference into `sample`, which may be a nested field.
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

// Returns a read-only array over data that stays in place. `owner` keeps the data alive as long as any view
// of it exists.
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
