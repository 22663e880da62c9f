#include "sim/sweep/worker_pool.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "sim/core/error.h"

namespace a3sim {
namespace {

// Makes SIGINT, SIGTERM and SIGHUP readable instead of deadly as long as it lives. Workers inherit the
// blocked signals: an interrupt from the terminal reaches only the parent, which then ends them.
class InterruptSignals {
 public:
  InterruptSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
    sigprocmask(SIG_BLOCK, &signals, &before_);
    file_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~InterruptSignals() {
    if (file_ >= 0) close(file_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  InterruptSignals(const InterruptSignals&) = delete;
  InterruptSignals& operator=(const InterruptSignals&) = delete;

  int file() const { return file_; }
  void throw_if_any() const {
    signalfd_siginfo info{};
    if (read(file_, &info, sizeof info) == sizeof info) throw Error(ExitCode::kInterrupted, "interrupted");
  }

 private:
  sigset_t before_{};
  int file_ = -1;
};

}  // namespace

WorkerPool::WorkerPool(unsigned workers, Worker::Work work, const WorkerLimits& limits)
    : work_(std::move(work)), limits_(limits), slots_(workers) {}

bool WorkerPool::assign(Slot& slot, unsigned index, const Next& next) {
  slot.number = next(index);
  if (!slot.number) return false;
  if (!slot.worker) slot.worker = std::make_unique<Worker>(work_, limits_);
  slot.since = Clock::now();
  slot.worker->send(*slot.number);
  return true;
}

void WorkerPool::finish(Slot& slot, WorkerReply reply, const Done& done) {
  const std::chrono::duration<double> took = Clock::now() - slot.since;
  WorkDone work{*slot.number, std::move(reply), took.count()};
  slot.number.reset();
  done(std::move(work));
}

void WorkerPool::wait(int signals) {
  constexpr double kTick = 1;
  double seconds = kTick;
  std::vector<pollfd> files{{signals, POLLIN, 0}};
  for (const Slot& slot : slots_) {
    if (!slot.number) continue;
    files.push_back({slot.worker->socket(), POLLIN, 0});
    const std::chrono::duration<double> taken = Clock::now() - slot.since;
    if (limits_.seconds > 0) seconds = std::min(seconds, limits_.seconds - taken.count());
  }
  poll(files.data(), files.size(), static_cast<int>(std::ceil(1e3 * std::max(0.0, seconds))));
}

void WorkerPool::collect(Slot& slot, const Done& done) {
  WorkerReply reply;
  const Worker::Received received = slot.worker->receive(reply);
  if (received == Worker::Received::kReply) {
    if (reply.last) slot.worker.reset();
    return finish(slot, std::move(reply), done);
  }
  const std::chrono::duration<double> taken = Clock::now() - slot.since;
  const bool late = limits_.seconds > 0 && taken.count() >= limits_.seconds;
  if (received == Worker::Received::kPart && !late) return;
  reply = slot.worker->end();
  slot.worker.reset();
  if (received == Worker::Received::kPart)
    reply.error = fmt::format("took longer than {:g} s", limits_.seconds);
  finish(slot, std::move(reply), done);
}

void WorkerPool::run(const Next& next, const Done& done, const Tick& tick) {
  const InterruptSignals interrupts;
  for (bool working = true; working;) {
    interrupts.throw_if_any();
    working = false;
    for (unsigned w = 0; w < slots_.size(); ++w) {
      Slot& slot = slots_[w];
      if (slot.number) collect(slot, done);
      if (slot.number || assign(slot, w, next)) working = true;
    }
    tick();
    if (working) wait(interrupts.file());
  }
}

}  // namespace a3sim
