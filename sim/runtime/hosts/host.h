#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/runtime/hosts/data_pipeline.h"
#include "sim/runtime/hosts/host_options.h"

namespace a3sim {

// The work of a rank's host in a step. Times count from the start of the job.
struct HostDone {
  HostAction action = HostAction::kLaunch;
  Duration start{}, end{};
};

// A rank's host: takes a batch, then launches the step's work, running ahead of the device, and does the
// step's other work in its own time. All times follow from those at which the device could begin. A copy
// continues independently.
class Host {
 public:
  using Steps = std::function<HostStep(std::uint32_t step)>;

  // `steps` returns the work of each step; it may be called ahead of time.
  Host(const HostOptions& options, Steps steps) : options_(options), steps_(std::move(steps)) {}

  void begin_step(std::uint32_t step);
  // Makes the next launch, for work that the device could begin at `asked`, after all earlier work. Returns
  // the time at which it begins, not before it is launched.
  Duration launch(Duration asked);

  // Since begin_step(): the total delay of launches, the host's work, and the fill of its queues in percent
  // (fetched, processed, read).
  Duration late() const { return late_; }
  const std::vector<HostDone>& done() const { return done_; }
  std::array<std::uint8_t, 3> fill() const { return fill_; }

 private:
  struct Pending {
    Duration due;
    HostEvent event;
  };
  void take_batch(Duration asked);
  void wait_until(Duration time, Duration asked);
  Duration launch_time();
  void did(HostAction action, Duration start, Duration end) { done_.push_back({action, start, end}); }

  HostOptions options_;
  Steps steps_;
  HostStep step_;
  std::uint32_t number_ = 0;
  std::uint64_t launches_ = 0;
  std::uint32_t of_step_ = 0;    // number of launches in this step
  Duration free_{};              // when the host has done its work
  std::vector<Duration> begun_;  // the last launches, by number modulo `ahead`
  std::vector<Pending> pending_;
  DataPipeline data_;
  Duration late_{};
  std::vector<HostDone> done_;
  std::array<std::uint8_t, 3> fill_{};
};

}  // namespace a3sim
