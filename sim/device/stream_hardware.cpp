#include "sim/device/stream_hardware.h"

namespace a3sim {

StreamHardware read_stream_hardware(const Config& hardware) {
  constexpr std::int64_t kMostEngines = 64, kMostWorkers = 65536;
  StreamHardware streams;
  const Config engine = hardware.map("copy_engine");
  streams.copy_engine.count = static_cast<std::uint32_t>(engine.integer("count", 1, kMostEngines));
  streams.copy_engine.rate = engine.rate("rate");
  streams.copy_engine.startup = engine.duration("startup");
  streams.copy_engine.submit = engine.duration("submit");
  engine.finish();
  const Config host = hardware.map("host");
  streams.host.balance = host.duration("balance");
  streams.host.read_counts = host.duration("read_counts");
  streams.host.product = host.duration("product");
  host.finish();
  const Config bulk = hardware.map("bulk");
  streams.bulk.workers = static_cast<std::uint32_t>(bulk.integer("sms", 1, kMostWorkers));
  streams.bulk.dispatch = bulk.rate("dispatch");
  streams.bulk.combine = bulk.rate("combine");
  streams.bulk.fixed = bulk.duration("fixed");
  streams.bulk.once_a_rank = bulk.require_sources(false).boolean("once_a_rank", true);
  bulk.finish();
  return streams;
}

}  // namespace a3sim
