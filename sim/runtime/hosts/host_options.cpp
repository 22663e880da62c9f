#include "sim/runtime/hosts/host_options.h"

#include <algorithm>

namespace a3sim {
namespace {

constexpr std::int64_t kMostAhead = 1 << 20;

}  // namespace

DataOptions read_data_options(const Config& block, const DataOptions& fallback) {
  DataOptions data = fallback;
  if (block.has("read")) data.read = block.duration("read");
  if (block.has("process")) data.process = block.duration("process");
  if (block.has("fetch")) data.fetch = block.duration("fetch");
  data.workers = static_cast<std::uint32_t>(block.integer("workers", 1, kMostBatches, fallback.workers));
  data.queue = static_cast<std::uint32_t>(block.integer("queue", 1, kMostBatches, fallback.queue));
  return data;
}

HostOptions read_host_options(const Config& hosts, std::uint32_t launches, Duration queued) {
  HostOptions options;
  options.launch = hosts.has("launch") ? hosts.duration("launch") : queued;
  options.ahead =
      static_cast<std::uint32_t>(hosts.integer("ahead", 0, kMostAhead, std::max<std::int64_t>(1, launches)));
  const Config data = hosts.map("data");
  options.data = read_data_options(data, {});
  data.finish();
  const Config recording = hosts.map("recording");
  if (recording.has("light")) options.record_light = recording.duration("light");
  if (recording.has("full")) options.record_full = recording.duration("full");
  recording.finish();
  hosts.finish();
  return options;
}

}  // namespace a3sim
