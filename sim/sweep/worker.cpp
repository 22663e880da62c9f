#include "sim/sweep/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>

#include "sim/core/error.h"
#include "sim/core/machine_memory.h"

namespace a3sim {
namespace {

// The head of a reply. The bytes of the answer follow, then those of the error.
struct ReplyHead {
  std::uint64_t answer, error;
  std::int64_t memory;
  bool last;
};

bool write_all(int file, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::send(file, at, size, MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

bool read_all(int file, void* data, std::size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = ::read(file, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

void write_small_file(const char* path, const char* text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return;  // other kernels lack the file and its value
  if (::write(file, text, std::strlen(text)) < 0) errno = 0;
  ::close(file);
}

// Lets peak_memory() begin anew, where the system can do so.
void forget_peak() { write_small_file("/proc/self/clear_refs", "5"); }

void limit_memory(std::uint64_t bytes) {
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = bytes == 0 || bytes > limit.rlim_max ? limit.rlim_max : bytes;
  ::setrlimit(RLIMIT_AS, &limit);
}

WorkerReply reply_to(std::uint64_t number, const Worker::Work& work, std::uint64_t memory) {
  WorkerReply reply;
  limit_memory(memory);
  try {
    reply.answer = work(number);
  } catch (const std::bad_alloc&) {
    limit_memory(0);
    reply.last = true;
    reply.error = memory == 0 ? "out of memory"
                              : fmt::format("out of memory: the limit is {:.3g} GiB",
                                            std::ldexp(static_cast<double>(memory), -30));
  } catch (const std::exception& error) {
    reply.error = error.what();
  }
  limit_memory(0);
  if (!reply.error.empty()) reply.answer.clear();
  if (reply.error.empty() && reply.answer.empty()) reply.error = "no answer";
  return reply;
}

// The main loop of a worker's process.
void serve(int socket, const Worker::Work& work, const WorkerLimits& limits) {
  std::uint64_t number = 0;
  bool last = false;
  while (!last && read_all(socket, &number, sizeof number)) {
    forget_peak();
    const WorkerReply reply = reply_to(number, work, limits.memory);
    last = reply.last;
    const ReplyHead head{reply.answer.size(), reply.error.size(), peak_memory().count, last};
    if (!write_all(socket, &head, sizeof head) ||
        !write_all(socket, reply.answer.data(), reply.answer.size()) ||
        !write_all(socket, reply.error.data(), reply.error.size()))
      return;
  }
}

}  // namespace

void Worker::begin_afresh() {
  ::malloc_trim(0);
  forget_peak();
}

Worker::Worker(const Work& work, const WorkerLimits& limits) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw RunError(fmt::format("cannot start a worker: {}", std::strerror(errno)));
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ < 0) {
    const int reason = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    throw RunError(fmt::format("cannot start a worker: {}", std::strerror(reason)));
  }
  if (process_ == 0) {
    // The process dies with its parent, even if that is killed, and destroys no object of the parent's. It
    // holds neither the parent's lock on the database nor other workers' sockets.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    constexpr int kOwn = 3;
    if (::getppid() == parent && ::dup2(ends[1], kOwn) == kOwn) {
      ::closefrom(kOwn + 1);
      write_small_file("/proc/self/oom_score_adj", "1000");  // it goes before its parent does
      keep_freed_memory();
      serve(kOwn, work, limits);
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  socket_ = ends[0];
}

Worker::~Worker() {
  if (process_ > 0) end();
}

void Worker::send(std::uint64_t number) const {
  // If the worker has ended meanwhile, receive() reports it.
  write_all(socket_, &number, sizeof number);
}

Worker::Received Worker::receive(WorkerReply& reply) {
  char piece[1 << 16];
  const ssize_t got = ::recv(socket_, piece, sizeof piece, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return Received::kPart;
  if (got <= 0) return Received::kEnded;
  received_.append(piece, static_cast<std::size_t>(got));
  ReplyHead head{};
  if (received_.size() < sizeof head) return Received::kPart;
  std::memcpy(&head, received_.data(), sizeof head);
  if (received_.size() < sizeof head + head.answer + head.error) return Received::kPart;
  reply.answer = received_.substr(sizeof head, head.answer);
  reply.error = received_.substr(sizeof head + head.answer, head.error);
  reply.memory = head.memory;
  reply.last = head.last;
  received_.clear();
  return Received::kReply;
}

WorkerReply Worker::end() {
  ::kill(process_, SIGKILL);
  ::close(socket_);
  int status = 0;
  rusage usage{};
  while (::wait4(process_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  process_ = -1;
  WorkerReply reply{{}, "its process ended without an answer", std::int64_t{usage.ru_maxrss} * 1024};
  if (!WIFSIGNALED(status)) return reply;
  const int signal = WTERMSIG(status);
  reply.error = fmt::format("its process was killed by signal {} ({}){}", signal, ::strsignal(signal),
                            signal == SIGKILL ? ": the system does that when memory runs out" : "");
  return reply;
}

}  // namespace a3sim
