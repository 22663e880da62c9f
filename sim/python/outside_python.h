#pragma once

#include <pybind11/pybind11.h>

#include <utility>

#include "sim/core/error.h"

namespace a3sim {

// Something that Python called and that runs while others hold its lock. A signal that Python's main thread gets while
// it is in such a call (Ctrl-C) ends all of them: there with what the signal's handler raised, elsewhere with
// Interrupted.
class PythonCall {
 public:
  PythonCall();
  ~PythonCall();
  PythonCall(const PythonCall&) = delete;
  PythonCall& operator=(const PythonCall&) = delete;

  // Raises on the main thread what a signal's handler raised, if one has.
  static void raise_what_a_signal_did();
  static int under_way();
  // Registers what looks for signals. Once, when the module is loaded.
  static void set_up();
};

// For code that Python runs inside of such a call.
class BackInPython {
 public:
  BackInPython();
  ~BackInPython();
  BackInPython(const BackInPython&) = delete;
  BackInPython& operator=(const BackInPython&) = delete;

 private:
  pybind11::gil_scoped_acquire lock_;
};

// What `work` returns, which runs without Python's lock and touches nothing of Python's.
template <class Work>
auto outside_python(Work&& work) {
  const PythonCall call;
  try {
    const pybind11::gil_scoped_release unlocked;
    return std::forward<Work>(work)();
  } catch (const Error& error) {
    if (error.code() == ExitCode::kInterrupted) PythonCall::raise_what_a_signal_did();
    throw;
  }
}

}  // namespace a3sim
