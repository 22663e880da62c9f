#pragma once

#include <csignal>

namespace a3sim {

// Holds back SIGINT, SIGTERM, SIGHUP and SIGPIPE on its thread while it exists, so that a writer can remove its files
// before the process ends. SIGPIPE ends it when the object does.
class Interrupts {
 public:
  Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

  // Throws Error with ExitCode::kInterrupted if one of them was received.
  static void throw_if_any();

 private:
  sigset_t before_;
};

}  // namespace a3sim
