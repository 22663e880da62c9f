#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>

namespace a3sim {

// Shows progress on a terminal: the work, how much is done, and the remaining time, on a line of stderr that
// is overwritten from two seconds on and removed at the end. Does nothing without a terminal. If there are
// several at a time, only the first one is shown. Results do not depend on it.
class Progress {
 public:
  // Starts `total` pieces of `what` ("simulations"); 0 if the number is unknown.
  explicit Progress(std::string what, std::size_t total = 0);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  // Adds finished pieces. Thread-safe.
  void step(std::size_t pieces = 1);
  // Sets the number of finished pieces. `note` is shown after it.
  void reach(std::size_t done, const std::string& note = {});

  // Sets the total.
  void expect(std::size_t total) { total_ = total; }

  // True if it is shown; other callers need not count.
  bool speaks() const { return speaks_; }

  // Enables progress lines. Called once when a program starts on a terminal. Sets the delay of the first line
  // and the interval.
  static void show(std::FILE* terminal, std::chrono::milliseconds silence = std::chrono::seconds(2),
                   std::chrono::milliseconds between = std::chrono::milliseconds(200));

 private:
  using Clock = std::chrono::steady_clock;
  void say(const std::string& note);

  std::string what_;
  std::size_t total_;
  std::size_t done_ = 0;
  bool speaks_ = false;
  std::mutex mutex_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

}  // namespace a3sim
