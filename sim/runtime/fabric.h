#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sim/core/engine.h"
#include "sim/core/ids.h"
#include "sim/device/hardware.h"
#include "sim/network/network.h"
#include "sim/runtime/topology.h"

namespace a3sim {

class Device;

// The links between the devices: brings the network's flows into simulated time and tells each device what
// its ports take of its memory; a device whose memory cannot serve them gets slower ports.
class Fabric final : public EventHandler {
 public:
  Fabric(const Hardware& hardware, std::span<const std::uint32_t> dies, std::uint32_t workers_per_rank,
         const NetworkBackend& backend, Transport transport);

  // The devices by rank; they and the fabric refer to each other.
  void connect(std::vector<std::unique_ptr<Device>>& devices) { devices_ = &devices; }

  // How a put to another rank goes.
  struct Put {
    RankId src, dst;
    Bytes bytes;
    bool whole_lines = true;  // its rows begin and end with lines
    double slowness = 1;      // what drives it goes at its rate over this
  };
  // A worker's put has started up: its bytes flow from now on. Its device is told when the last one has left.
  void start(Engine& engine, const Put& put, std::uint32_t worker);

  // How long a put starts up, how long its bytes then take alone, how long its signal takes behind them, and
  // how long its worker is still busy.
  Duration startup() const { return transport_ == Transport::kPuts ? spec_.put_startup : Duration::zero(); }
  Duration least(const Put& put) const;
  Duration latency(RankId src, RankId dst) const { return topology_.latency(src, dst); }
  Duration fence() const { return transport_ == Transport::kPuts ? spec_.put_fence : Duration::zero(); }

  const Topology& topology() const { return topology_; }
  std::string_view backend() const { return network_->name(); }
  // A rank's puts move other bytes now: how much of its memory they need is asked again.
  void puts_changed(Engine& engine) { request_settle(engine); }

  void on_event(Engine& engine, std::uint32_t arg) override;
  void on_settle(Engine& engine, std::uint32_t arg) override;

 private:
  BytesPerSecond cap(const Put& put) const;
  void request_settle(Engine& engine);
  void fit_ports(Engine& engine);

  const Hardware::Fabric& spec_;
  Transport transport_;
  BytesPerSecond collective_rate_;
  Topology topology_;
  std::uint32_t workers_per_rank_;
  std::unique_ptr<Network> network_;
  std::vector<std::unique_ptr<Device>>* devices_ = nullptr;
  std::vector<double> part_;  // by rank: of its ports that its memory can serve
  std::vector<std::uint32_t> ended_;
  Time next_end_ = Time::max();
  bool settling_ = false;
};

}  // namespace a3sim
