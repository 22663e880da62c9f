#include "sim/runtime/fabric.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>

namespace a3sim {
namespace {

double rate(BytesPerSecond r) { return static_cast<double>(r.count); }

BytesPerSecond scaled(BytesPerSecond r, double part) {
  if (part == 1) return r;
  return {std::max<std::int64_t>(1, static_cast<std::int64_t>(rate(r) * part))};
}

// Returns the bytes on the ports.
Bytes on_ports(Bytes put, double payload) {
  return payload == 1 ? put
                      : Bytes{static_cast<std::int64_t>(std::ceil(static_cast<double>(put.count) / payload))};
}

// Appends shared cables to a network without its own: a route has one path.
NetworkSpec with_shared(NetworkSpec spec, const SharedCables& shared) {
  if (shared.cables.empty()) return spec;
  if (!spec.cables.empty()) throw std::logic_error("a network has cables of its own, or shared ones");
  spec.cables = shared.cables;
  spec.paths = shared.paths;
  return spec;
}

}  // namespace

Fabric::Fabric(const Hardware& hardware, const Program& program, std::span<const std::uint32_t> dies,
               std::uint32_t workers_per_rank, const NetworkBackend& backend, Transport transport,
               const LinkDisturbances* disturbances, std::uint32_t devices, const CablePlanes& cables,
               bool every_plane, const SharedCables& shared)
    : spec_(hardware.fabric),
      transport_(transport),
      collective_rate_(program.collective.rate),
      scalar_store_(program.tasks.scalar_store),
      pieces_(program.puts),
      load_rate_(hardware.vector.gm_to_ub_miss * static_cast<double>(hardware.clock.count)),
      miss_time_(std::max(
          0.0, 1 / load_rate_ - 1 / (hardware.vector.gm_to_ub * static_cast<double>(hardware.clock.count)))),
      topology_(hardware, program, dies, transport, devices,
                disturbances ? disturbances->damaged(cables) : cables, every_plane),
      workers_per_rank_(workers_per_rank),
      network_(backend.create(with_shared(topology_.network(), shared))),
      disturbances_(disturbances),
      ports_(topology_.ports()),
      read_(ports_.egress.size()),
      write_(ports_.egress.size()),
      movers_(ports_.egress.size()) {
  for (const BytesPerSecond capacity : topology_.network().cables)
    watched_.push_back({.nominal = capacity, .capacity = capacity});
  cable_rates_.resize(watched_.size());
  if (!watched_.empty()) meter_ = &dynamic_cast<CableMeter&>(*network_);
  if (topology_.has_planes()) sent_.resize(std::size_t{topology_.ranks()} * topology_.ranks());
}

// Returns the highest rate of one flow, in bytes of the put.
BytesPerSecond Fabric::cap(const Put& put) const {
  if (put.rate.count > 0) return scaled(put.rate, 1 / put.slowness);
  if (transport_ == Transport::kCollective) return scaled(collective_rate_, 1 / put.slowness);
  if (put.pulled) return scaled(pull_rate(put), 1 / put.slowness);
  return scaled(spec_.put_per_worker, (put.whole_lines ? 1 : spec_.unaligned) / put.slowness);
}

// A worker waits for the bytes that it reads: one that comes from the other rank's HBM takes as much longer as
// it does in the worker's own memory.
BytesPerSecond Fabric::pull_rate(const Put& put) const {
  const double found = 1 / rate(spec_.pull_per_worker);
  return scaled(spec_.pull_per_worker, found / (found + put.missed * miss_time_));
}

BytesPerSecond Fabric::rate_of_pieces(const Put& put, const Work& work) const {
  const auto times = [](Duration each, std::uint64_t count) {
    return each * static_cast<std::int64_t>(count);
  };
  const BytesPerSecond stream =
      transport_ == Transport::kPuts
          ? scaled(spec_.put_stream, (put.whole_lines ? 1 : spec_.unaligned) / put.slowness)
          : cap(put);
  const Duration all = transfer_time(put.bytes, stream) + times(piece(), work.put_pieces) +
                       times(scalar_store_, work.ops.scalar);
  return {std::max<std::int64_t>(1, static_cast<std::int64_t>(rate({put.bytes.count}) / seconds(all)))};
}

BytesPerSecond Fabric::rate_of_single_pieces(const Put& put, std::uint32_t rows) const {
  if (!pieces_ || pieces_->overlap || transport_ != Transport::kPuts || rows == 0) return {};
  const std::int64_t bytes = rows * pieces_->row.count, pieces = (put.bytes.count + bytes - 1) / bytes;
  const Duration all =
      transfer_time(put.bytes, cap(put)) + pieces * (startup() + fence() + latency(put.src, put.dst));
  return {std::max<std::int64_t>(1, static_cast<std::int64_t>(rate({put.bytes.count}) / seconds(all)))};
}

Topology::Route Fabric::route(const Put& put) const {
  Topology::Route route = route_of(put);
  if (put.pulled) route.payload *= topology_.read_rate(put.src, put.dst);
  return route;
}

// The times per byte add up: the mover's own, its share of a row's, its load's unless loads overlap, and that
// of the other movers' bytes on the port, which are sent in between.
BytesPerSecond Fabric::by_pieces(BytesPerSecond whole, const Topology::Route& route,
                                 std::uint32_t movers) const {
  if (!pieces_ || transport_ != Transport::kPuts) return whole;
  const double load = pieces_->overlap ? 0 : 1 / load_rate_;
  const double row = seconds(spec_.put_row) / static_cast<double>(pieces_->row.count);
  const double others = static_cast<double>(std::max(1U, movers) - 1) / rate(route.port);
  return {std::max<std::int64_t>(1, static_cast<std::int64_t>(1 / (1 / rate(whole) + load + row + others)))};
}

BytesPerSecond Fabric::cap_on(const Topology::Route& route, const Put& put, std::uint32_t movers) const {
  const BytesPerSecond free = scaled(by_pieces(cap(put), route, movers), 1 / route.payload);
  const double factor = disturbances_ ? disturbances_->factor_of_path(put.src, put.dst) : 1;
  return factor == 1 ? free : scaled(std::min(free, route.port), factor);
}

Duration Fabric::least(const Put& put, Time from) const {
  Topology::Route route = this->route(put);
  if (disturbances_ && !disturbances_->ports.empty()) {
    const NetworkSpec then = disturbances_->ports_at(topology_, from);
    route.port = std::min({route.port, then.egress[route.from], then.ingress[route.to]});
  }
  return transfer_time(on_ports(put.bytes, route.payload), std::min(cap_on(route, put, 1), route.port));
}

Duration Fabric::missing(const Put& put, Time from) const {
  if (put.missed == 0) return {};
  Put found = put;
  found.missed = 0;
  return least(put, from) - least(found, from);
}

void Fabric::start(Engine& engine, const Put& put, std::uint32_t worker) {
  const Topology::Route route = this->route(put);
  const std::uint32_t token = index(put.driver()) * workers_per_rank_ + worker;
  const Bytes bytes = on_ports(put.bytes, route.payload);
  network_->start(engine.now(), {route.from, route.to, bytes, cap_on(route, put, movers_[route.from]), token,
                                 put.shared_path > 0 ? put.shared_path : route.path});
  if (!sent_.empty())
    sent_[std::size_t{index(put.src)} * topology_.ranks() + index(put.dst)] +=
        static_cast<double>(bytes.count);
  ++flows_;
  request_settle(engine);
}

void Fabric::request_settle(Engine& engine) {
  if (settling_) return;
  settling_ = true;
  engine.settle(*this, 0);
}

void Fabric::on_event(Engine& engine, std::uint32_t call) {
  if (call == kLinksChange) {
    if (engine.now() != next_change_) return;  // an earlier time was set since
    next_change_ = Time::max();
    return request_settle(engine);
  }
  if (engine.now() != next_end_) return;  // rates have changed since this end was predicted
  next_end_ = Time::max();
  ended_.clear();
  network_->advance(engine.now(), ended_);
  std::ranges::sort(ended_);
  flows_ -= static_cast<std::uint32_t>(ended_.size());
  for (const std::uint32_t token : ended_) {
    ends_[token / workers_per_rank_]->put_has_left(engine, token % workers_per_rank_);
  }
  request_settle(engine);
}

// Applies the faults of ports, while anything flows.
void Fabric::disturb_ports(Engine& engine) {
  if (!disturbances_ || disturbances_->ports.empty()) return;
  const NetworkSpec now = disturbances_->ports_at(topology_, engine.now());
  for (std::uint32_t p = 0; p < now.egress.size(); ++p) {
    if (now.egress[p] != ports_.egress[p]) network_->set_egress(engine.now(), p, now.egress[p]);
    if (now.ingress[p] != ports_.ingress[p]) network_->set_ingress(engine.now(), p, now.ingress[p]);
  }
  ports_ = now;
  change_at(engine, disturbances_->next_change(engine.now()));
}

// Looks again at `next`, when ports or cables change, if anything flows.
void Fabric::change_at(Engine& engine, Time next) {
  if (flows_ == 0 || next >= next_change_) return;
  next_change_ = next;
  engine.schedule(next, *this, kLinksChange);
}

// Applies the intermittent damage of cables, while anything flows.
void Fabric::disturb_cables(Engine& engine) {
  if (topology_.changing_cables().empty()) return;
  const Duration now = (disturbances_ ? disturbances_->since : Duration{}) + engine.now().time_since_epoch();
  std::map<std::uint32_t, BytesPerSecond> rates;  // by cable: several damages may overlap
  Duration next = Duration::max();
  for (const Topology::ChangingCable& changing : topology_.changing_cables()) {
    const CableDamage& damage = changing.damage;
    const Duration into = now % damage.period;
    BytesPerSecond& rate = rates.try_emplace(changing.cable, changing.rate).first->second;
    if (into < damage.on) rate = scaled(rate, damage.factor);
    next = std::min(next, (into < damage.on ? damage.on : damage.period) - into);
  }
  for (const auto& [cable, rate] : rates) {
    if (rate == watched_[cable].capacity) continue;
    network_->set_cable(engine.now(), cable, rate);
    watched_[cable].capacity = rate;
  }
  change_at(engine, engine.now() + next);
}

// Adds what cables have carried since rates last changed, and notes their present rates.
void Fabric::watch_cables(Time now) {
  constexpr double kFull = 1 - 1e-9;
  const Duration passed = now - watched_since_;
  watched_since_ = now;
  meter_->cable_rates(cable_rates_);
  if (records_) records_->note(now, cable_rates_);
  for (std::uint32_t c = 0; c < watched_.size(); ++c) {
    WatchedCable& cable = watched_[c];
    if (cable.is_full) cable.full += passed;
    const double carried = cable_rates_[c];
    const bool is_full = carried >= rate(cable.capacity) * kFull;
    cable.peak = std::max(cable.peak, carried);
    if (is_full == cable.is_full) continue;
    cable.is_full = is_full;
    if (records_) records_->note_full(now, c, is_full);
  }
}

std::vector<CableUse> Fabric::cable_uses(Time until) const {
  std::vector<CableUse> uses;
  const double time = seconds(until.time_since_epoch());
  if (sent_.empty() || time == 0) return uses;
  std::vector<Topology::CableLoad> loads = topology_.cable_loads(sent_);
  const auto used = [&](const Topology::CableLoad& load) { return load.bytes / (rate(load.rate) * time); };
  std::ranges::stable_sort(loads, std::greater{}, used);
  std::vector<const Cable*> cables;
  for (const Topology::CableLoad& load : loads) {
    cables.push_back(load.cable);
    CableUse& use = uses.emplace_back(CableUse{
        .name = load.cable->name(), .level = load.cable->level, .rate = load.rate, .bytes = load.bytes});
    use.used = used(load);
    if (load.number == kNone) continue;
    const WatchedCable& watched = watched_[load.number];
    use.peak = std::min(1.0, watched.peak / rate(load.same ? watched.nominal : load.rate));
    if (!load.same) continue;
    use.full = watched.full;
    use.group = load.number;
  }
  if (records_) add_records(until, uses, cables);
  return uses;
}

void Fabric::add_records(Time until, std::vector<CableUse>& uses,
                         const std::vector<const Cable*>& cables) const {
  constexpr std::size_t kTold = 10, kStretches = 200;
  for (CableUse& use : uses)
    if (use.group != kNone) use.full_stretches = records_->full_stretches(use.group, until);
  const std::size_t told = std::min(kTold, uses.size());
  const std::vector<std::vector<CableTraffic>> traffic =
      topology_.cable_traffic({cables.data(), told}, sent_);
  for (std::size_t c = 0; c < told; ++c) {
    uses[c].traffic = traffic[c];
    if (uses[c].group == kNone) continue;
    uses[c].over_time = records_->means(uses[c].group, until, kStretches);
    for (double& mean : uses[c].over_time) mean /= rate(watched_[uses[c].group].nominal);
  }
}

void Fabric::measure_ports() {
  for (std::uint32_t p = 0; p < read_.size(); ++p) {
    read_[p] = network_->egress_rate(p);
    write_[p] = network_->ingress_rate(p);
  }
}

// Returns the ports of a rank among all ports.
std::vector<double> Fabric::of_rank(const std::vector<double>& ports, std::uint32_t rank) const {
  std::vector<double> own;
  for (std::size_t p = rank; p < ports.size(); p += topology_.devices()) own.push_back(ports[p]);
  return own;
}

void Fabric::limit_ports(Time now, std::uint32_t rank, const PortLimits& limits) {
  const auto whole = [](double most) {
    return BytesPerSecond{std::max<std::int64_t>(1, static_cast<std::int64_t>(most))};
  };
  for (std::uint32_t p = rank; p < read_.size(); p += topology_.devices()) {
    if (read_[p] > limits.egress) {
      network_->set_egress(now, p, whole(limits.egress));
      limited_.push_back({p, false});
    }
    if (write_[p] > limits.ingress) {
      network_->set_ingress(now, p, whole(limits.ingress));
      limited_.push_back({p, true});
    }
  }
}

// Limits the ports whose memory cannot serve what they would carry. Of several such memories the one that
// leaves its ports the lowest rate comes first: what it holds back the others need not serve.
void Fabric::fit_ports(Time now) {
  constexpr double kSame = 1 + 1e-6;
  for (const LimitedPort& port : limited_) {
    if (port.in)
      network_->set_ingress(now, port.port, ports_.ingress[port.port]);
    else
      network_->set_egress(now, port.port, ports_.egress[port.port]);
  }
  limited_.clear();
  const std::uint32_t ranks = topology_.devices();
  std::vector<std::pair<std::uint32_t, PortLimits>> overfull;
  for (std::uint32_t round = 0; round <= ranks; ++round) {
    measure_ports();
    overfull.clear();
    double lowest = std::numeric_limits<double>::infinity();
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const auto [read, write] = carried(r);
      const PortLoad& load = ends_[r]->port_load();
      if (load.serves(read, write)) continue;
      overfull.emplace_back(r, load.limits(of_rank(read_, r), of_rank(write_, r)));
      lowest = std::min({lowest, overfull.back().second.egress, overfull.back().second.ingress});
    }
    if (overfull.empty()) return;
    for (const auto& [rank, limits] : overfull)
      if (std::min(limits.egress, limits.ingress) <= lowest * kSame) limit_ports(now, rank, limits);
  }
  measure_ports();
}

// Returns the bytes per second that leave and enter a rank, as measured last.
std::pair<double, double> Fabric::carried(std::uint32_t rank) const {
  double read = 0, write = 0;
  for (std::size_t p = rank; p < read_.size(); p += topology_.devices()) {
    read += read_[p];
    write += write_[p];
  }
  return {read, write};
}

void Fabric::on_settle(Engine& engine, std::uint32_t) {
  settling_ = false;
  disturb_ports(engine);
  disturb_cables(engine);
  fit_ports(engine.now());
  if (const Time next = network_->next_end(); next != next_end_) {
    next_end_ = next;
    if (next != Time::max()) engine.schedule(next, *this, kFlowsEnd);
  }
  if (!watched_.empty()) watch_cables(engine.now());
  for (std::uint32_t r = 0; r < topology_.devices(); ++r) {
    const auto [read, write] = carried(r);
    ends_[r]->reserve_for_puts(engine, read, write);
  }
}

}  // namespace a3sim
