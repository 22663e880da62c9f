#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>

namespace a3sim {

// Limits of one piece of work. If it exceeds them, it is ended and counts as failed.
struct WorkerLimits {
  double seconds = 0;        // 0: no limit
  std::uint64_t memory = 0;  // bytes of address space; 0: no limit
};

// A worker's answer for one piece of work.
struct WorkerReply {
  std::string answer;
  std::string error;        // empty: done
  std::int64_t memory = 0;  // peak resident bytes, with memory that earlier work of its kind has freed
  bool last = false;        // the worker's process ends: out of memory
};

// A process that works for this one, and ends with it.
class Worker {
 public:
  // Returns the answer for a numbered piece of work. Exceptions are failures. Memory that it frees stays with
  // the process.
  using Work = std::function<std::string(std::uint64_t)>;

  // Returns freed memory to the system and resets the peak, so that work of another kind starts without it.
  static void begin_afresh();

  // Forks; this process must have no other threads. Throws RunError if the system refuses.
  Worker(const Work& work, const WorkerLimits& limits);
  ~Worker();  // kills it
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  int socket() const { return socket_; }  // readable: call receive()
  void send(std::uint64_t number) const;
  enum class Received : std::uint8_t { kPart, kReply, kEnded };
  Received receive(WorkerReply& reply);
  // Kills it and says how it ended: "killed by signal 11 (Segmentation fault)". The reply's memory is its
  // peak.
  WorkerReply end();

 private:
  pid_t process_ = -1;
  int socket_ = -1;
  std::string received_;
};

}  // namespace a3sim
