#include "sim/core/interrupts.h"

#include <ctime>

#include "sim/core/error.h"

namespace a3sim {
namespace {

sigset_t interrupting_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  return signals;
}

}  // namespace

Interrupts::Interrupts() {
  sigset_t signals = interrupting_signals();
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
}

Interrupts::~Interrupts() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

// Consumes a received signal, which would otherwise end the process when signals are unblocked. Leaves SIGPIPE, which then
// does so: nobody reads a message.
void Interrupts::throw_if_any() {
  const sigset_t signals = interrupting_signals();
  sigset_t pending;
  if (sigpending(&pending) != 0) return;
  bool any = false;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) any = any || sigismember(&pending, signal) == 1;
  if (sigismember(&pending, SIGPIPE) == 1) throw Error(ExitCode::kInterrupted, "nobody reads");
  const timespec at_once{};
  if (any && sigtimedwait(&signals, nullptr, &at_once) > 0)
    throw Error(ExitCode::kInterrupted, "interrupted");
}

}  // namespace a3sim
