#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>

namespace a3sim {

// Tells who waits at a terminal what is done, how far it is and how long it will take: a line on stderr that
// is written over, from two seconds on, and taken back at the end. Elsewhere it says nothing, and of several
// at a time only the first one speaks. No result depends on it.
class Progress {
 public:
  // `total` pieces of `what` ("simulations") are to come; 0 if nobody knows how many.
  explicit Progress(std::string what, std::size_t total = 0);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  // So many more pieces have ended; from any thread.
  void step(std::size_t pieces = 1);
  // So many have; `note` is said behind it.
  void reach(std::size_t done, const std::string& note = {});

  // More is known of how many are to come.
  void expect(std::size_t total) { total_ = total; }

  // Whether it would speak, for who would have to count for it alone.
  bool speaks() const { return speaks_; }

  // Called once, where a program starts at a terminal. After so long a line is worth it, and so often.
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
