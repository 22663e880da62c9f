#include "sim/core/progress.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <cstdint>

namespace a3sim {
namespace {

struct Terminal {
  std::FILE* file = nullptr;
  std::chrono::milliseconds silence{}, between{};
};
Terminal terminal;  // set before any thread starts
std::atomic<bool> spoken_for = false;

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

Progress::Progress(std::string what, std::size_t total) : what_(std::move(what)), total_(total) {
  speaks_ = terminal.file != nullptr && !spoken_for.exchange(true);
}

Progress::~Progress() {
  if (shown_) fmt::print(terminal.file, "\r\x1b[K");
  if (speaks_) spoken_for = false;
}

void Progress::step(std::size_t pieces) {
  if (!speaks_) return;
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
}

}  // namespace a3sim
