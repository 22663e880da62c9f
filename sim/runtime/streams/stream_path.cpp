#include "sim/runtime/streams/stream_path.h"

#include <algorithm>
#include <stdexcept>

#include "sim/core/ids.h"

namespace a3sim {
namespace {

class Path {
 public:
  Path(const StreamProgram& program, const StreamResult& result)
      : program_(program), records_(result.records) {
    std::vector<std::vector<std::uint32_t>> last(program.ranks);  // by rank and stream
    for (std::uint32_t t = 0; t < program.tasks.size(); ++t) {
      const StreamTask& task = program.tasks[t];
      auto& streams = last[index(task.rank)];
      if (streams.size() <= task.stream) streams.resize(task.stream + 1, kNone);
      before_.push_back(streams[task.stream]);
      streams[task.stream] = t;
    }
  }

  std::vector<StreamStretch> to(std::uint32_t task) {
    while (task != kNone) {
      const StreamRecord& record = records_[task];
      add(task, StreamStretch::What::kWork, record.start, record.end);
      if (record.start > record.ready + program_.tasks[task].wait) {
        task = who_freed(task);
        continue;
      }
      add(task, StreamStretch::What::kWait, record.ready, record.start);
      task = record.ready == Time{} ? kNone : who_ended(task);
    }
    std::ranges::reverse(path_);
    return std::move(path_);
  }

 private:
  void add(std::uint32_t task, StreamStretch::What what, Time from, Time to) {
    if (to > from) path_.push_back({task, what, from, to});
  }

  // Of those that the task waited for.
  std::uint32_t who_ended(std::uint32_t task) const {
    std::uint32_t first =
        before_[task] != kNone && records_[before_[task]].end == records_[task].ready ? before_[task] : kNone;
    for (const std::uint32_t other : program_.tasks[task].after) {
      if (records_[other].end == records_[task].ready) first = std::min(first, other);
    }
    if (first == kNone) throw std::logic_error("a task of a program is ready before what it waits for");
    return first;
  }

  // Of those that held such workers of its rank until it got them.
  std::uint32_t who_freed(std::uint32_t task) const {
    const StreamTask& of = program_.tasks[task];
    for (std::uint32_t other = 0; other < program_.tasks.size(); ++other) {
      const StreamTask& held = program_.tasks[other];
      if (held.rank == of.rank && held.kind == of.kind && held.units > 0 && other != task &&
          records_[other].end == records_[task].start && records_[other].start < records_[task].start)
        return other;
    }
    throw std::logic_error("a task of a program waits for workers that nobody has");
  }

  const StreamProgram& program_;
  const std::vector<StreamRecord>& records_;
  std::vector<std::uint32_t> before_;  // by task: in its stream
  std::vector<StreamStretch> path_;
};

}  // namespace

std::vector<StreamStretch> critical_path(const StreamProgram& program, const StreamResult& result,
                                         std::uint32_t last) {
  return Path(program, result).to(last);
}

}  // namespace a3sim
