#include "sim/core/progress.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <optional>
#include <system_error>
#include <thread>

#include "sim/core/progress_lines.h"

namespace a3sim {
namespace {

struct Terminal {
  std::FILE* file = nullptr;
  std::chrono::milliseconds silence{}, between{};
};
Terminal terminal;  // set before any thread starts

// The one that is shown. A lock, for others may count for it while it ends.
std::mutex speaker_mutex;
Progress* speaker = nullptr;

constexpr const char* kSimulations = "simulations";  // in_parallel()'s

// Lets the one that is shown speak every second, so that a long first piece is not silent. Without a further thread it
// speaks only when pieces end.
class ProgressTicker {
 public:
  explicit ProgressTicker(Progress& progress) {
    // Signals are for other threads: some commands block them, and read them from a file.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    try {
      thread_ = std::jthread([this, &progress](const std::stop_token& stop) { tick(progress, stop); });
    } catch (const std::system_error&) {
      thread_ = {};  // there is none to be had
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

 private:
  void tick(Progress& progress, const std::stop_token& stop) {
    constexpr std::chrono::milliseconds kBetween(1000);
    std::chrono::milliseconds wait = std::max(terminal.silence, kBetween);
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, stop, wait, [&] { return stop.stop_requested(); })) {
      progress.step(0);
      wait = kBetween;
    }
  }

  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;  // the last member: it ends first
};
std::optional<ProgressTicker> ticker;  // the speaker's

// Returns a time such as "2 h 5 min" or "41 s".
std::string in_words(double seconds) {
  const std::int64_t whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace

void Progress::show(std::FILE* file, std::chrono::milliseconds silence, std::chrono::milliseconds between) {
  terminal = {file, silence, between};
}

void print_above_progress(const std::string& lines) {
  if (terminal.file == nullptr) return;
  fmt::print(terminal.file, "\r\x1b[K{}", lines);
  std::fflush(terminal.file);
}

Progress::Progress(std::string what, std::size_t total) : what_(std::move(what)), total_(total) {
  if (terminal.file == nullptr) return;
  const std::scoped_lock lock(speaker_mutex);
  if (speaker != nullptr) return;
  speaker = this;
  speaks_ = true;
  ticker.emplace(*this);
}

Progress::~Progress() {
  if (speaks_) ticker.reset();
  if (shown_) fmt::print(terminal.file, "\r\x1b[K");
  if (!speaks_) return;
  const std::scoped_lock lock(speaker_mutex);
  speaker = nullptr;
}

void Progress::step(std::size_t pieces) {
  if (!speaks_) {
    if (terminal.file == nullptr || what_ != kSimulations) return;
    const std::scoped_lock lock(speaker_mutex);
    if (speaker != nullptr && speaker->what_ == kSimulationsInAll) speaker->step(pieces);
    return;
  }
  const std::scoped_lock lock(mutex_);
  done_ += pieces;
  say({});
}

void Progress::reach(std::size_t done, const std::string& note) {
  if (!speaks_) return;
  const std::scoped_lock lock(mutex_);
  done_ = done;
  say(note);
}

void Progress::say(const std::string& note) {
  const Clock::time_point now = Clock::now();
  if (now - start_ < terminal.silence || now - last_ < terminal.between) return;
  last_ = now;
  shown_ = true;
  const double since = std::chrono::duration<double>(now - start_).count();
  std::string line =
      total_ > 0 ? fmt::format("{} of {} {}", done_, total_, what_) : fmt::format("{} {}", done_, what_);
  if (!note.empty()) line += ", " + note;
  if (total_ == 0)
    line += fmt::format(", {} so far", in_words(since));
  else if (done_ > 0 && done_ <= total_)
    line += fmt::format(", {} left",
                        in_words(since / static_cast<double>(done_) * static_cast<double>(total_ - done_)));
  fmt::print(terminal.file, "\r\x1b[K{}", line);
  std::fflush(terminal.file);
}

}  // namespace a3sim
