#pragma once

#include <csignal>

namespace a3sim {

// As long as one lives on the thread, SIGINT, SIGTERM and SIGHUP wait, so that who writes files can take them
// back instead of dying halfway.
class Interrupts {
 public:
  Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

  // Throws Error with ExitCode::kInterrupted if one of them has come.
  static void throw_if_any();

 private:
  sigset_t before_;
};

}  // namespace a3sim
