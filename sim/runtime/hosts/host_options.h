#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/units.h"

namespace a3sim {

// The largest number of workers, and of batches in a queue.
constexpr std::int64_t kMostBatches = 64;

// The pipeline that brings batches to a device: one reader reads them, workers process them, and the device
// fetches them one after another. Each stage is followed by a queue of limited length, and waits when it is
// full.
struct DataOptions {
  Duration read{}, process{}, fetch{};  // per batch
  std::uint32_t workers = 1, queue = 2;

  // Returns whether batches take any time.
  bool any() const { return read + process + fetch > Duration::zero(); }
};

// Options of a rank's host.
struct HostOptions {
  Duration launch{};  // host time per launch
  // The most launches that may be queued after the work that the device has begun. 0: none; the host waits
  // for the end of what it launched.
  std::uint32_t ahead = 1;
  DataOptions data;
  // The delay of a rank's start of a step for recording it: of every step, for its light records, and of a
  // step that is recorded in full.
  Duration record_light{}, record_full{};
};

// The kinds of a host's work in a step.
enum class HostAction : std::uint8_t {
  kRead,
  kProcess,
  kFetch,
  kCompile,
  kLaunch,
  kSync,
  kCollect,
  kAllocate,
  kLog
};

// Work of a host other than launches. It begins `at` after the start of the step, or as soon as the host has
// finished its current work. A sync waits until the device has finished everything launched, and then for
// `length`.
struct HostEvent {
  HostAction action = HostAction::kCollect;
  Duration at{}, length{};
};

// Makes launches longer by `add` times a lognormal factor of median 1, drawn for each.
struct SlowLaunches {
  Duration add{};
  double spread = 0;
  std::uint64_t seed = 0;
};

// The work of a rank's host in one step.
struct HostStep {
  DataOptions data;
  std::vector<HostEvent> events;
  std::vector<SlowLaunches> slow;
};

// Reads the block `hosts`. `launches`: kernels per step; `queued`: the shortest time between consecutive
// ones. With the defaults no device waits.
HostOptions read_host_options(const Config& hosts, std::uint32_t launches, Duration queued);
// Reads a block of times, workers and queue; missing keys keep their previous values.
DataOptions read_data_options(const Config& block, const DataOptions& fallback);

}  // namespace a3sim
