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
#include "sim/network/cable_meter.h"
#include "sim/network/network.h"
#include "sim/runtime/cable_records.h"
#include "sim/runtime/cable_use.h"
#include "sim/runtime/link_disturbances.h"
#include "sim/runtime/port_load.h"
#include "sim/runtime/shared_cables.h"
#include "sim/runtime/topology.h"

namespace a3sim {

// A rank's end of the links.
class FabricEnd {
 public:
  // Called when the last byte of a worker's put has left.
  virtual void put_has_left(Engine& engine, std::uint32_t worker) = 0;
  // Returns the present traffic of its ports.
  virtual const PortLoad& port_load() const = 0;
  // Sets the bytes per second that the ports read from and write to the memory.
  virtual void reserve_for_puts(Engine& engine, double read, double write) = 0;

 protected:
  ~FabricEnd() = default;
};

// The links between the ranks. Runs the network's flows in simulated time and tells each end how much of its
// memory its ports use. If the memory of an end cannot serve what its ports would carry, those that carry most get
// slower.
class Fabric final : public EventHandler {
 public:
  Fabric(const Hardware& hardware, const Program& program, std::span<const std::uint32_t> dies,
         std::uint32_t workers_per_rank, const NetworkBackend& backend, Transport transport,
         const LinkDisturbances* disturbances = nullptr, std::uint32_t devices = 0,
         const CablePlanes& cables = {}, bool every_plane = false, const SharedCables& shared = {});

  // Sets the ends, one per device of the topology. They must outlive the fabric.
  void connect(std::vector<FabricEnd*> ends) { ends_ = std::move(ends); }
  // Records the traffic of cables over time. Call this before anything flows.
  void record_cables() { records_ = CableRecords(watched_.size()); }

  // A put to another rank.
  struct Put {
    RankId src, dst;
    Bytes bytes;
    bool whole_lines = true;  // its rows begin and end at line boundaries
    double slowness = 1;      // its driver runs at its rate divided by this
    BytesPerSecond rate{};    // rate of its driver; 0: that of a worker's puts, or of the collective
    std::uint32_t level =
        kNone;            // if `dst` is `src`: the level of the peers with which it exchanges these bytes
    bool pulled = false;  // `dst` reads it; otherwise `src` writes it
    std::uint32_t shared_path = 0;  // path over the fabric's shared cables
    double missed = 0;              // of a pull: the share of its bytes that the L2 of `src` lacks
    RankId driver() const { return pulled ? dst : src; }
  };
  // Lets the bytes of a worker's put flow from now on. Its end is told when the last byte has left.
  void start(Engine& engine, const Put& put, std::uint32_t worker);
  // Count the puts that a rank's movers have in hand, from when a put is taken up until it has left: they
  // share the rate of a port.
  void take_up(const Put& put) { ++movers_[topology_.route(put.src, put.dst).from]; }
  void let_go(const Put& put) { --movers_[topology_.route(put.src, put.dst).from]; }

  // Return the times of a put: its start-up, the transfer of its bytes alone (least), the latency of its
  // signal, and the fence for which its worker then stays busy.
  Duration startup() const { return transport_ == Transport::kPuts ? spec_.put_startup : Duration::zero(); }
  // `from` is the time at which its bytes start to flow.
  Duration least(const Put& put, Time from) const;
  // Returns the part of `least` in which a pull waits for rows that the other rank's L2 lacks.
  Duration missing(const Put& put, Time from) const;
  // Returns the extra time that a put waits before it flows because of link faults. `op` and `row` are its
  // operator and first row.
  Duration wait(const Put& put, OpId op, std::uint32_t row) const {
    return disturbances_ ? disturbances_->wait_of_put(topology_, put.src, put.dst, op, row)
                         : Duration::zero();
  }
  // Returns the rate of a put in pieces (Work::put_pieces), including the scalar unit's work between them.
  BytesPerSecond rate_of_pieces(const Put& put, const Work& work) const;
  // Returns the rate of a put of this many rows if its mover waits for each piece before it loads the next one
  // (Program::Puts without overlap), else zero.
  BytesPerSecond rate_of_single_pieces(const Put& put, std::uint32_t rows) const;
  // Returns whether workers write and read, not the host's collectives.
  bool by_workers() const { return transport_ == Transport::kPuts; }
  // Returns the time of a piece of a stream beside its bytes.
  Duration piece() const { return transport_ == Transport::kPuts ? spec_.put_piece : Duration::zero(); }
  Duration latency(RankId src, RankId dst) const { return topology_.latency(src, dst); }
  Duration fence() const { return transport_ == Transport::kPuts ? spec_.put_fence : Duration::zero(); }

  // Returns the route of a put. Its payload is the put's share of the bytes on its ports: above 1 if ports
  // carry reads faster than writes.
  Topology::Route route(const Put& put) const;

  const Topology& topology() const { return topology_; }
  // Returns what the cables have carried until a time, the most used first.
  std::vector<CableUse> cable_uses(Time until) const;
  std::string_view backend() const { return network_->name(); }

  void on_event(Engine& engine, std::uint32_t arg) override;
  void on_settle(Engine& engine, std::uint32_t arg) override;

 private:
  // The meaning of an event's argument.
  enum Call : std::uint32_t { kFlowsEnd, kLinksChange };
  BytesPerSecond cap(const Put& put) const;
  // Returns the rate of a worker that reads another rank's memory.
  BytesPerSecond pull_rate(const Put& put) const;
  Topology::Route route_of(const Put& put) const {
    return put.level == kNone ? topology_.route(put.src, put.dst) : topology_.exchange(put.src, put.level);
  }
  // Returns the cap of a flow, in bytes on the ports per second.
  BytesPerSecond cap_on(const Topology::Route& route, const Put& put, std::uint32_t movers) const;
  // Returns the rate of a mover whose rate for a whole copy is `whole`, if puts go piece by piece
  // (Program::Puts) and `movers` of its rank use the port.
  BytesPerSecond by_pieces(BytesPerSecond whole, const Topology::Route& route, std::uint32_t movers) const;
  void disturb_ports(Engine& engine);
  void disturb_cables(Engine& engine);
  void change_at(Engine& engine, Time next);
  void watch_cables(Time now);
  void request_settle(Engine& engine);
  void measure_ports();
  std::vector<double> of_rank(const std::vector<double>& ports, std::uint32_t rank) const;
  std::pair<double, double> carried(std::uint32_t rank) const;
  void limit_ports(Time now, std::uint32_t rank, const PortLimits& limits);
  void fit_ports(Time now);

  const Hardware::Fabric& spec_;
  Transport transport_;
  BytesPerSecond collective_rate_;
  Duration scalar_store_;
  std::optional<Program::Puts> pieces_;
  double load_rate_;  // bytes per second of a worker that loads what it puts
  double miss_time_;  // extra seconds for a byte that a worker loads from the HBM, not from the L2
  Topology topology_;
  std::uint32_t workers_per_rank_;
  std::unique_ptr<Network> network_;
  std::vector<FabricEnd*> ends_;
  const LinkDisturbances* disturbances_;
  NetworkSpec ports_;  // present capacities, before memory limits them
  // A port that its rank's memory limits now.
  struct LimitedPort {
    std::uint32_t port;
    bool in;
  };
  std::vector<LimitedPort> limited_;
  std::vector<double> read_, write_;   // by port: bytes per second that leave and arrive, as measured last
  std::vector<std::uint32_t> movers_;  // by port: puts in hand
  // A cable of the network, with what it has carried up to the last change of rates.
  struct WatchedCable {
    BytesPerSecond nominal, capacity;  // by the topology, and now
    double peak = 0;                   // bytes per second
    bool is_full = false;              // now
    Duration full{};
  };
  void add_records(Time until, std::vector<CableUse>& uses, const std::vector<const Cable*>& cables) const;

  std::vector<WatchedCable> watched_;
  std::vector<double> cable_rates_;        // by watched cable: bytes per second
  CableMeter* meter_ = nullptr;            // the network, if it has cables
  std::optional<CableRecords> records_{};  // if cables are recorded
  Time watched_since_{};
  std::vector<double> sent_;  // bytes on the ports by source and destination; empty if no plane has cables
  std::vector<std::uint32_t> ended_;
  Time next_end_ = Time::max(), next_change_ = Time::max();
  std::uint32_t flows_ = 0;
  bool settling_ = false;
};

}  // namespace a3sim
