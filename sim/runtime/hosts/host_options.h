#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/config/config.h"
#include "sim/core/units.h"

namespace a3sim {

// Of workers, and of batches in a queue.
constexpr std::int64_t kMostBatches = 64;

// How batches come to a device: read by one reader, processed by workers, fetched by the device one after the
// other. Behind each stage stands a queue of so many batches; a full one holds its stage up.
struct DataOptions {
  Duration read{}, process{}, fetch{};  // of a batch
  std::uint32_t workers = 1, queue = 2;

  // Whether batches take any time.
  bool any() const { return read + process + fetch > Duration::zero(); }
};

// A rank's host.
struct HostOptions {
  Duration launch{};        // of the host's own time, a launch
  std::uint32_t ahead = 1;  // launches that may be queued behind the work that the device has begun; 0: none,
                            // and the host waits for the end of what it launched
  DataOptions data;
  // By how much later a rank starts with a step of which light records are kept, which is each, and with one that is
  // recorded in full.
  Duration record_light{}, record_full{};
};

// What a host does in a step.
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

// Something that it does beside its launches: so long after it began with the step, or as soon as it is through
// with what it does then. A sync waits until the device has ended all that was launched, and then for `length`.
struct HostEvent {
  HostAction action = HostAction::kCollect;
  Duration at{}, length{};
};

// Launches take longer by `add` times a lognormal factor of median 1, drawn for each.
struct SlowLaunches {
  Duration add{};
  double spread = 0;
  std::uint64_t seed = 0;
};

// What a rank's host has to do in one step.
struct HostStep {
  DataOptions data;
  std::vector<HostEvent> events;
  std::vector<SlowLaunches> slow;
};

// Reads the block `hosts`. `launches`: kernels of a step; `queued`: the least time between two that follow one
// another. The defaults let no device wait.
HostOptions read_host_options(const Config& hosts, std::uint32_t launches, Duration queued);
// A block of times, workers and queue over others.
DataOptions read_data_options(const Config& block, const DataOptions& fallback);

}  // namespace a3sim
