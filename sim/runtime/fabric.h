#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "sim/core/engine.h"
#include "sim/core/ids.h"
#include "sim/device/hardware.h"
#include "sim/network/network.h"

namespace a3sim {

class Device;

// The links between the devices: brings the network's flows into simulated time and tells each device what
// its ports take of its memory.
class Fabric final : public EventHandler {
 public:
  // A port never takes more of the memories than they have. `host_driven`: what moves is the host's
  // collectives, not puts of workers.
  Fabric(const Hardware& hardware, std::uint32_t ranks, std::uint32_t workers_per_rank,
         const NetworkBackend& backend, bool host_driven);

  // The devices by rank; they and the fabric refer to each other.
  void connect(std::vector<std::unique_ptr<Device>>& devices) { devices_ = &devices; }

  // A worker's put to another rank begins now. Its device is told when the last byte has left.
  void start(Engine& engine, RankId src, std::uint32_t worker, RankId dst, Bytes bytes);

  // How long these bytes take alone, how long the signal behind them, and how long their worker is still
  // busy.
  Duration least(Bytes bytes) const { return transfer_time(bytes, std::min(cap_, port_)); }
  Duration hop_latency() const { return spec_.hop_latency; }
  Duration fence() const { return host_driven_ ? Duration::zero() : spec_.put_fence; }
  std::string_view backend() const { return network_->name(); }

  void on_event(Engine& engine, std::uint32_t arg) override;
  void on_settle(Engine& engine, std::uint32_t arg) override;

 private:
  void request_settle(Engine& engine);

  const Hardware::Fabric& spec_;
  bool host_driven_;
  BytesPerSecond cap_, port_;  // of a flow; of an end
  std::uint32_t workers_per_rank_;
  std::unique_ptr<Network> network_;
  std::vector<std::unique_ptr<Device>>* devices_ = nullptr;
  std::vector<std::uint32_t> ended_;
  Time next_end_ = Time::max();
  bool settling_ = false;
};

}  // namespace a3sim
