#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "models/operators/work.h"
#include "sim/core/engine.h"
#include "sim/core/ids.h"
#include "sim/device/hardware.h"
#include "sim/network/network.h"
#include "sim/runtime/cable_record.h"
#include "sim/runtime/cable_use.h"
#include "sim/runtime/link_disturbances.h"
#include "sim/runtime/topology.h"

namespace a3sim {

// A rank's end of the links.
class FabricEnd {
 public:
  // The last byte of a worker's put has left.
  virtual void put_has_left(Engine& engine, std::uint32_t worker) = 0;
  // The part that its memory can serve of ports which take this much, of the bytes that they move now.
  virtual double served_part(double egress, double ingress) const = 0;
  // Bytes a second that the ports read from and write to its memory.
  virtual void reserve_for_puts(Engine& engine, double read, double write) = 0;

 protected:
  ~FabricEnd() = default;
};

// The links between the ranks: brings the network's flows into simulated time and tells each end what its
// ports take of its memory; an end whose memory cannot serve them gets slower ports.
class Fabric final : public EventHandler {
 public:
  Fabric(const Hardware& hardware, const Program& program, std::span<const std::uint32_t> dies,
         std::uint32_t workers_per_rank, const NetworkBackend& backend, Transport transport,
         const LinkDisturbances* disturbances = nullptr, std::uint32_t devices = 0,
         const CablePlanes& cables = {}, bool every_plane = false);

  // The ends by device, as the topology has them; they outlive the fabric.
  void connect(std::vector<FabricEnd*> ends) { ends_ = std::move(ends); }
  // Keeps what cables carry at every date, before anything flows.
  void record_cables() { records_cables_ = true; }

  // How a put to another rank goes.
  struct Put {
    RankId src, dst;
    Bytes bytes;
    bool whole_lines = true;  // its rows begin and end with lines
    double slowness = 1;      // what drives it goes at its rate over this
    BytesPerSecond rate{};    // of what drives it; 0: a worker's puts, or the collective's
    std::uint32_t level =
        kNone;            // where `dst` is `src`: how far the peers are with whom it exchanges these bytes
    bool pulled = false;  // `dst` reads it; else `src` writes it
    RankId driver() const { return pulled ? dst : src; }
  };
  // A worker's put has started up: its bytes flow from now on. Its end is told when the last one has left.
  void start(Engine& engine, const Put& put, std::uint32_t worker);
  // A put has been taken up, or has left: of those that one rank's movers have at a time, each gets less of a port.
  void take_up(const Put& put) { ++movers_[topology_.route(put.src, put.dst).from]; }
  void let_go(const Put& put) { --movers_[topology_.route(put.src, put.dst).from]; }

  // How long a put starts up, how long its bytes then take alone, how long its signal takes behind them, and
  // how long its worker is still busy.
  Duration startup() const { return transport_ == Transport::kPuts ? spec_.put_startup : Duration::zero(); }
  // Its bytes flow from this date on.
  Duration least(const Put& put, Time from) const;
  // How much longer than it starts up a put has to wait, by what is wrong with the links: of an operator, from
  // this row on.
  Duration wait(const Put& put, OpId op, std::uint32_t row) const {
    return disturbances_ ? disturbances_->wait_of_put(topology_, put.src, put.dst, op, row)
                         : Duration::zero();
  }
  // The rate of a put in pieces (Work::put_pieces), with what the scalar unit does between them.
  BytesPerSecond rate_of_pieces(const Put& put, const Work& work) const;
  Duration latency(RankId src, RankId dst) const { return topology_.latency(src, dst); }
  Duration fence() const { return transport_ == Transport::kPuts ? spec_.put_fence : Duration::zero(); }

  // The route of a put, and the part of the bytes on its ports that are the put's: more than 1 where ports carry
  // reads faster than writes.
  Topology::Route route(const Put& put) const;

  const Topology& topology() const { return topology_; }
  // What the cables of planes have carried until a date, those that are used most first.
  std::vector<CableUse> cable_uses(Time until) const;
  std::string_view backend() const { return network_->name(); }

  void on_event(Engine& engine, std::uint32_t arg) override;
  void on_settle(Engine& engine, std::uint32_t arg) override;

 private:
  // What an event's argument means.
  enum Call : std::uint32_t { kFlowsEnd, kLinksChange };
  BytesPerSecond cap(const Put& put) const;
  Topology::Route route_of(const Put& put) const {
    return put.level == kNone ? topology_.route(put.src, put.dst) : topology_.exchange(put.src, put.level);
  }
  // Of a flow, of bytes on the ports.
  BytesPerSecond cap_on(const Topology::Route& route, const Put& put, std::uint32_t movers) const;
  // The rate of a mover that has so much alone for a whole copy, where `movers` of its rank use the port and a put goes
  // piece by piece (Program::Puts).
  BytesPerSecond by_pieces(BytesPerSecond whole, const Topology::Route& route, std::uint32_t movers) const;
  void disturb_ports(Engine& engine);
  void disturb_cables(Engine& engine);
  void change_at(Engine& engine, Time next);
  void watch_cables(Time now);
  void request_settle(Engine& engine);
  void fit_ports(Engine& engine);

  const Hardware::Fabric& spec_;
  Transport transport_;
  BytesPerSecond collective_rate_;
  Duration scalar_store_;
  std::optional<Program::Puts> pieces_;
  double load_rate_;  // bytes a second, of a worker that loads what it puts
  Topology topology_;
  std::uint32_t workers_per_rank_;
  std::unique_ptr<Network> network_;
  std::vector<FabricEnd*> ends_;
  const LinkDisturbances* disturbances_;
  NetworkSpec ports_;                  // as they are now, for who may use all of its memory
  std::vector<double> part_;           // by rank: of its ports that its memory can serve
  std::vector<std::uint32_t> movers_;  // by port: puts that have been taken up
  // Of the network's cables, since the last change of rates.
  struct WatchedCable {
    BytesPerSecond nominal, capacity;  // as the topology has it, and now
    double peak = 0;                   // bytes a second
    bool is_full = false;              // now
    Duration full{};
    CableRecord record{};  // where cables are recorded
  };
  void add_records(Time until, std::vector<CableUse>& uses, const std::vector<const Cable*>& cables) const;

  std::vector<WatchedCable> watched_;
  bool records_cables_ = false;
  Time watched_since_{};
  std::vector<double> sent_;  // bytes on the ports by source and destination; none where no plane has cables
  std::vector<std::uint32_t> ended_;
  Time next_end_ = Time::max(), next_change_ = Time::max();
  std::uint32_t flows_ = 0;
  bool settling_ = false;
};

}  // namespace a3sim
