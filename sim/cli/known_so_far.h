#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "sim/cli/output.h"
#include "sim/core/error.h"

namespace a3sim {

// While one lives, Ctrl-C, SIGTERM or SIGHUP end simulations with an Error of ExitCode::kInterrupted. A second one ends the
// program.
class InterruptsHeeded {
 public:
  InterruptsHeeded();
  InterruptsHeeded(const InterruptsHeeded&) = delete;
  InterruptsHeeded& operator=(const InterruptsHeeded&) = delete;
  ~InterruptsHeeded();
};

// The results that a long command has before it ends. From the first one on, Ctrl-C ends the simulations, and
// what is known is printed in place of the result.
class KnownSoFar {
 public:
  // Where the first table is shown, on stderr.
  enum class Shown { kAtTerminals, kInPipesToo };
  explicit KnownSoFar(const JsonOption& json, Shown shown = Shown::kAtTerminals)
      : json_(json), where_(shown) {}

  // Replaces what is known. `extent` says how far it goes: "2 of 6 runs".
  void take(std::string text, std::string extent);
  // Does the same, and shows it on stderr: once, because the result follows, and only if that will take long.
  void show_first(std::string text, std::string extent);
  // Adds lines to what is known, and shows them at a terminal, where the result is far. `end` is printed below all lines where
  // Ctrl-C ends the command.
  void add(const std::string& lines, std::string extent, std::string end = {});

  // Returns what `work` returns. If Ctrl-C ends it, prints what is known and throws Error with ExitCode::kInterrupted.
  template <class Work>
  auto unless_interrupted(const Work& work) {
    try {
      return work();
    } catch (const Error& error) {
      if (error.code() == ExitCode::kInterrupted) print_and_throw();
      throw;
    }
  }

 private:
  [[noreturn]] void print_and_throw() const;

  const JsonOption& json_;
  Shown where_;
  // Returns whether so much time has passed that the result must be far.
  bool takes_long() const;

  std::string text_, end_, extent_;
  std::string unshown_;  // lines that were added
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<InterruptsHeeded> heeded_;
};

}  // namespace a3sim
