#pragma once

#include <pybind11/pybind11.h>

#include <utility>

#include "sim/core/error.h"

namespace a3sim {

// A call from Python that runs without Python's lock. If Python's main thread gets a signal (Ctrl-C) during
// such a call, all of them end: on the main thread with the exception of the signal's handler, elsewhere with
// Interrupted.
class PythonCall {
 public:
  PythonCall();
  ~PythonCall();
  PythonCall(const PythonCall&) = delete;
  PythonCall& operator=(const PythonCall&) = delete;

  // Throws on the main thread the exception that a signal's handler raised, if there is one.
  static void raise_what_a_signal_did();
  static int under_way();
  // Registers the check for signals. Call it once, when the module is loaded.
  static void set_up();
};

// Takes Python's lock again, for code that Python runs inside of such a call.
class BackInPython {
 public:
  BackInPython();
  ~BackInPython();
  BackInPython(const BackInPython&) = delete;
  BackInPython& operator=(const BackInPython&) = delete;

 private:
  pybind11::gil_scoped_acquire lock_;
};

// Runs `work` without Python's lock, and returns its result. `work` must not touch Python objects.
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
