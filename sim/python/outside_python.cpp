#include "sim/python/outside_python.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

#include "sim/experiment/run/interruption.h"

namespace a3sim {
namespace {

namespace py = pybind11;

constexpr std::chrono::milliseconds kBetweenLooks{20};

// Only the thread that holds Python's lock changes these.
int calls_under_way = 0;
std::exception_ptr raised_by_signal;
unsigned long main_thread = 0;

std::atomic<bool> stopping = false;
thread_local int depth = 0;  // number of nested calls on this thread

void look_for_signals() {
  if (stopping.load(std::memory_order_relaxed)) throw Error(ExitCode::kInterrupted, "interrupted");
  thread_local std::chrono::steady_clock::time_point last;
  const auto now = std::chrono::steady_clock::now();
  if (now - last < kBetweenLooks) return;
  last = now;
  if (PyThread_get_thread_ident() != main_thread) return;
  const py::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() == 0) return;
  raised_by_signal = std::make_exception_ptr(py::error_already_set());
  stopping = true;
  throw Error(ExitCode::kInterrupted, "interrupted");
}

}  // namespace

PythonCall::PythonCall() {
  // Waits until the calls that are being stopped have ended. A call from inside one of them belongs to it and
  // does not wait.
  while (depth == 0 && stopping) {
    const py::gil_scoped_release unlocked;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  ++depth;
  ++calls_under_way;
}

PythonCall::~PythonCall() {
  --depth;
  if (--calls_under_way == 0) stopping = false;
}

void PythonCall::raise_what_a_signal_did() {
  if (PyThread_get_thread_ident() != main_thread || !raised_by_signal) return;
  std::rethrow_exception(std::exchange(raised_by_signal, nullptr));
}

int PythonCall::under_way() { return calls_under_way; }

void PythonCall::set_up() {
  main_thread = py::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>();
  set_interruption_check(look_for_signals);
}

BackInPython::BackInPython() { ++depth; }
BackInPython::~BackInPython() { --depth; }

}  // namespace a3sim
