#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>

namespace a3sim {

// What one piece of work may take before it is ended and counts as failed.
struct WorkerLimits {
  double seconds = 0;        // 0: no limit
  std::uint64_t memory = 0;  // bytes of address space; 0: no limit
};

// What a worker says of a piece of work.
struct WorkerReply {
  std::string answer;
  std::string error;  // empty: it was done
  std::int64_t memory =
      0;              // most resident bytes meanwhile, what work of its kind before it has freed among them
  bool last = false;  // the worker's process ends: memory ran out
};

// One process that works for this one, and ends with it.
class Worker {
 public:
  // Answers to the number of a piece of work. What it throws is what failed. What it frees stays the process's.
  using Work = std::function<std::string(std::uint64_t)>;

  // For work that is unlike the one before it: what that has freed goes back, and is not in this one's memory.
  static void begin_afresh();

  // Forks; this process must have no other threads. Throws RunError where the system refuses.
  Worker(const Work& work, const WorkerLimits& limits);
  ~Worker();  // kills it
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  int socket() const { return socket_; }  // readable: call receive()
  void send(std::uint64_t number) const;
  enum class Received : std::uint8_t { kPart, kReply, kEnded };
  Received receive(WorkerReply& reply);
  // Kills it and says how it ended: "killed by signal 11 (Segmentation fault)"; memory: its most, in all.
  WorkerReply end();

 private:
  pid_t process_ = -1;
  int socket_ = -1;
  std::string received_;
};

}  // namespace a3sim
