#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sim/sweep/worker.h"

namespace a3sim {

// A piece of work that is done or has failed.
struct WorkDone {
  std::uint64_t number = 0;
  WorkerReply reply;
  double seconds = 0;
};

// Gives pieces of work to several processes. A piece that takes longer than the limit, crashes or is killed
// has failed; the others continue, with a new process.
class WorkerPool {
 public:
  // Returns a worker's next piece of work, or nullopt if there is none. Asked worker by worker.
  using Next = std::function<std::optional<std::uint64_t>(unsigned worker)>;
  using Done = std::function<void(WorkDone&&)>;
  // Called about once per second, and whenever work ends.
  using Tick = std::function<void()>;

  WorkerPool(unsigned workers, Worker::Work work, const WorkerLimits& limits);

  // Returns when all is done. Throws Error with ExitCode::kInterrupted at once on SIGINT, SIGTERM or
  // SIGHUP, and what `done` throws; the workers are killed before.
  void run(const Next& next, const Done& done, const Tick& tick);

 private:
  using Clock = std::chrono::steady_clock;
  struct Slot {
    std::unique_ptr<Worker> worker;
    std::optional<std::uint64_t> number;
    Clock::time_point since;
  };
  bool assign(Slot& slot, unsigned index, const Next& next);
  void finish(Slot& slot, WorkerReply reply, const Done& done);
  void wait(int signals);
  void collect(Slot& slot, const Done& done);

  Worker::Work work_;
  WorkerLimits limits_;
  std::vector<Slot> slots_;
};

}  // namespace a3sim
