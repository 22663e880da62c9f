#include "sim/experiment/run/interruption.h"

#include <atomic>

namespace a3sim {
namespace {

constexpr std::size_t kTasksBetween = 1024;  // tasks between two reports of progress

std::atomic<InterruptionCheck> interruption_check = nullptr;

}  // namespace

void set_interruption_check(InterruptionCheck check) { interruption_check = check; }

void check_interruption() {
  if (const InterruptionCheck check = interruption_check.load(std::memory_order_relaxed)) check();
}

TaskHooks* InterruptibleHooks::hooks() {
  return interruption_check.load(std::memory_order_relaxed) || tasks_.speaks() ? this : inner_;
}

Duration InterruptibleHooks::delay(RankId rank, std::uint32_t task, Time at) {
  return inner_ ? inner_->delay(rank, task, at) : TaskHooks::delay(rank, task, at);
}

double InterruptibleHooks::slowness(RankId rank, std::uint32_t task) {
  return inner_ ? inner_->slowness(rank, task) : TaskHooks::slowness(rank, task);
}

void InterruptibleHooks::started(RankId rank, std::uint32_t task) {
  check_interruption();
  if (++started_ % kTasksBetween == 0) tasks_.step(kTasksBetween);
  if (inner_) inner_->started(rank, task);
}

bool InterruptibleHooks::ends_run(RankId rank, std::uint32_t task, Time start) {
  return inner_ && inner_->ends_run(rank, task, start);
}

void InterruptibleHooks::ended(RankId rank, std::uint32_t task) {
  if (inner_) inner_->ended(rank, task);
}

}  // namespace a3sim
