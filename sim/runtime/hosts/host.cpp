#include "sim/runtime/hosts/host.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/core/rng.h"

namespace a3sim {

void Host::begin_step(std::uint32_t step) {
  step_ = steps_(step);
  number_ = step;
  of_step_ = 0;
  late_ = {};
  done_.clear();
  begun_.resize(std::max(1U, options_.ahead));
}

// Handles the events that are due before a time of the host; they may move it.
void Host::wait_until(Duration time, Duration asked) {
  for (;;) {
    const auto next = std::ranges::min_element(pending_, {}, &Pending::due);
    if (next == pending_.end() || next->due > std::max(time, free_)) break;
    const Duration start = std::max(next->due, free_);
    const HostEvent event = next->event;
    pending_.erase(next);
    free_ = (event.action == HostAction::kSync ? std::max(start, asked) : start) + event.length;
    did(event.action, start, free_);
  }
  free_ = std::max(free_, time);
}

void Host::take_batch(Duration asked) {
  fill_ = {100, 100, 100};
  const DataPipeline::Options options = [this](std::uint32_t batch) { return steps_(batch).data; };
  const DataPipeline::Batch& batch = data_.next(options);
  if (batch.back().end > Duration::zero()) {
    const auto fill = data_.fill(options, free_);
    fill_ = {fill[2], fill[1], fill[0]};
    constexpr HostAction kActions[] = {HostAction::kRead, HostAction::kProcess, HostAction::kFetch};
    for (std::size_t s = 0; s < batch.size(); ++s)
      if (batch[s].end > batch[s].start) did(kActions[s], batch[s].start, batch[s].end);
  }
  wait_until(batch.back().left, asked);
  data_.take(free_);
}

Duration Host::launch_time() {
  double picoseconds = static_cast<double>(options_.launch.count());
  for (const SlowLaunches& slow : step_.slow) {
    Rng rng(slow.seed, (std::uint64_t{number_} << 20) ^ of_step_);
    const double u = 1 - rng.uniform(), v = rng.uniform();  // Box and Muller, 1958
    const double normal = std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
    picoseconds += static_cast<double>(slow.add.count()) * std::exp(slow.spread * normal);
  }
  constexpr double kMost = 1e15;
  return Duration(std::llround(std::min(picoseconds, kMost)));
}

Duration Host::launch(Duration asked) {
  if (of_step_ == 0) {
    for (const HostEvent& event : step_.events) pending_.push_back({free_ + event.at, event});
    take_batch(asked);
  }
  Duration& begun = begun_[launches_ % begun_.size()];  // start of the launch `ahead` launches earlier
  if (options_.ahead == 0)
    wait_until(asked, asked);
  else
    wait_until(launches_ < options_.ahead ? free_ : begun, asked);
  const Duration start = free_;
  free_ += launch_time();
  did(HostAction::kLaunch, start, free_);
  ++launches_;
  ++of_step_;
  begun = std::max(asked, free_);
  late_ += begun - asked;
  return begun;
}

}  // namespace a3sim
