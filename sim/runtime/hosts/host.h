#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/runtime/hosts/data_pipeline.h"
#include "sim/runtime/hosts/host_options.h"

namespace a3sim {

// What a rank's host has done, in a step: dates since the start of the job.
struct HostDone {
  HostAction action = HostAction::kLaunch;
  Duration start{}, end{};
};

// A rank's host: it takes a batch, then launches the step's work, running ahead of the device, and does what else a
// step has in its own time. All dates follow from those at which the device could begin; a copy goes on by itself.
class Host {
 public:
  using Steps = std::function<HostStep(std::uint32_t step)>;

  // `steps`: what is to be done in each, asked also ahead of time.
  Host(const HostOptions& options, Steps steps) : options_(options), steps_(std::move(steps)) {}

  void begin_step(std::uint32_t step);
  // The next launch, of work that the device could begin at `asked`, having ended all before. The date at which it
  // begins: not before it is launched.
  Duration launch(Duration asked);

  // Since begin_step(): by how much launches came too late, what the host has done, and the fill of its queues
  // in percent (fetched, processed, read).
  Duration late() const { return late_; }
  const std::vector<HostDone>& done() const { return done_; }
  std::array<std::uint8_t, 3> fill() const { return fill_; }

 private:
  struct Pending {
    Duration date;
    HostEvent event;
  };
  void take_batch(Duration asked);
  void wait_until(Duration date, Duration asked);
  Duration launch_time();
  void did(HostAction action, Duration start, Duration end) { done_.push_back({action, start, end}); }

  HostOptions options_;
  Steps steps_;
  HostStep step_;
  std::uint32_t number_ = 0;
  std::uint64_t launches_ = 0;
  std::uint32_t of_step_ = 0;    // launches
  Duration free_{};              // the host has done what it had to
  std::vector<Duration> begun_;  // the last launches, by number modulo `ahead`
  std::vector<Pending> pending_;
  DataPipeline data_;
  Duration late_{};
  std::vector<HostDone> done_;
  std::array<std::uint8_t, 3> fill_{};
};

}  // namespace a3sim
