#include "sim/cli/known_so_far.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <iostream>
#include <utility>

#include "sim/cli/terminal.h"
#include "sim/core/progress_lines.h"
#include "sim/core/terminal_text.h"
#include "sim/experiment/run/interruption.h"

namespace a3sim {
namespace {

std::atomic<bool> interrupt_received = false;  // set by a signal handler, so it must be free of locks
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr int kHeeded[] = {SIGINT, SIGTERM, SIGHUP};
unsigned heeded = 0;  // objects of InterruptsHeeded

void note_interrupt(int) { interrupt_received.store(true, std::memory_order_relaxed); }

void throw_if_interrupted() {
  if (interrupt_received.load(std::memory_order_relaxed)) throw Error(ExitCode::kInterrupted, "interrupted");
}

}  // namespace

InterruptsHeeded::InterruptsHeeded() {
  if (heeded++ > 0) return;
  interrupt_received = false;
  struct sigaction action{};
  action.sa_handler = note_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the next one ends the program
  for (const int signal : kHeeded) sigaction(signal, &action, nullptr);
  set_interruption_check(throw_if_interrupted);
}

InterruptsHeeded::~InterruptsHeeded() {
  if (--heeded > 0) return;
  set_interruption_check(nullptr);
  for (const int signal : kHeeded) std::signal(signal, SIG_DFL);
}

void KnownSoFar::take(std::string text, std::string extent) {
  text_ = std::move(text);
  extent_ = std::move(extent);
  if (!heeded_) heeded_.emplace();
}

bool KnownSoFar::takes_long() const {
  constexpr std::chrono::milliseconds kLong(300);  // for a first piece, of several
  return std::chrono::steady_clock::now() - start_ > kLong;
}

void KnownSoFar::show_first(std::string text, std::string extent) {
  take(std::move(text), std::move(extent));
  if (shown_ || !takes_long()) return;
  shown_ = true;
  const std::string lines =
      fmt::format("{}({}; the rest is being simulated)\n\n", terminal_text(text_), extent_);
  const bool quiet = !spdlog::should_log(spdlog::level::warn);
  if (where_ == Shown::kInPipesToo && isatty(STDERR_FILENO) == 0 && !quiet)
    std::cerr << lines << std::flush;
  else
    print_above_progress(lines);
}

void KnownSoFar::add(const std::string& lines, std::string extent, std::string end) {
  take(text_ + lines, std::move(extent));
  end_ = std::move(end);
  unshown_ += lines;
  if (takes_long()) print_above_progress(terminal_text(std::exchange(unshown_, {})));
}

void KnownSoFar::print_and_throw() const {
  if (!json_.replaces_text()) std::cout << page_text(text_ + end_) << std::flush;
  throw Error(
      ExitCode::kInterrupted,
      fmt::format("interrupted: {}", extent_.empty() ? "nothing was known yet" : "known is " + extent_));
}

}  // namespace a3sim
