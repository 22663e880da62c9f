#include "sim/runtime/streams/stream_program.h"

#include <algorithm>
#include <stdexcept>

namespace a3sim {

std::uint32_t StreamProgram::add(StreamTask task) {
  const auto refuse = [&](const char* why) {
    throw std::logic_error("stream task " + task.name + ": " + why);
  };
  const auto number = static_cast<std::uint32_t>(tasks.size());
  if (index(task.rank) >= ranks) refuse("its rank is none of the program's");
  if (std::ranges::any_of(task.after, [&](std::uint32_t before) { return before >= number; }))
    refuse("it waits for a task that was not added before it");
  if (task.units > 0 && (task.kind >= kinds.size() || task.units > kinds[task.kind].count))
    refuse("it needs more workers than there are");
  for (const StreamTransfer& transfer : task.transfers) {
    if (index(transfer.dst) >= ranks || (transfer.dst == task.rank) != (transfer.level != kNone))
      refuse("a transfer goes to another rank, or to peers at a level");
    if (transfer.bytes.count <= 0 || transfer.rate.count <= 0) refuse("a transfer has bytes and a rate");
  }
  tasks.push_back(std::move(task));
  return number;
}

bool StreamProgram::has_exchanges() const {
  return std::ranges::any_of(tasks, [](const StreamTask& task) {
    return std::ranges::any_of(task.transfers, [](const StreamTransfer& t) { return t.level != kNone; });
  });
}

}  // namespace a3sim
