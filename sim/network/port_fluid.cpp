#include "sim/network/port_fluid.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/core/error.h"
#include "sim/core/ids.h"

namespace a3sim {

PortFluid::PortFluid(std::string_view name, const NetworkSpec& spec)
    : name_(name), contract_(spec), egress_ports_(spec.egress.size()) {
  if (!spec.cables.empty())
    throw InputError(
        fmt::format("network.backend={} shares ports alone, and this topology has cables that bind: set "
                    "network.backend=native",
                    name));
  for (BytesPerSecond rate : spec.egress) ports_.push_back({per_picosecond(rate)});
  for (BytesPerSecond rate : spec.ingress) ports_.push_back({per_picosecond(rate)});
}

void PortFluid::start(Time now, const Flow& flow) {
  contract_.check(flow);
  run_to(now);
  const std::uint32_t c = class_of(flow);
  serve(c);
  Class& joined = classes_[c];
  const double served = joined.flows.empty() ? 0 : joined.flows.first().finish - joined.left;
  const double finish = served + static_cast<double>(flow.bytes.count);
  noise_ = std::max(noise_, finish * kRelativeSlack);
  joined.flows.push({finish, sequence_++, flow.token});
  joined.left = joined.flows.first().finish - served;
  joined.stale = true;
  for (std::uint32_t port : {joined.egress, joined.ingress}) {
    ++ports_[port].flows;
    touch(port);
  }
}

Time PortFluid::next_end() {
  if (!ended_.empty()) return Time(Duration(ended_.first_time()));
  refresh();
  return ends_.empty() ? Time::max() : Time(Duration(ends_.first().rounded()));
}

void PortFluid::advance(Time now, std::vector<std::uint32_t>& ended) {
  run_to(now);
  ended_.hand_out(ended);
}

void PortFluid::set_egress(Time now, std::uint32_t port, BytesPerSecond capacity) {
  if (contract_.set_egress(now, port, capacity)) set_capacity(now, port, capacity);
}

void PortFluid::set_ingress(Time now, std::uint32_t port, BytesPerSecond capacity) {
  if (contract_.set_ingress(now, port, capacity)) set_capacity(now, egress_ports_ + port, capacity);
}

void PortFluid::set_cable(Time now, std::uint32_t cable, BytesPerSecond capacity) {
  contract_.set_cable(now, cable, capacity);
}

double PortFluid::egress_rate(std::uint32_t port) {
  contract_.check_egress(port);
  refresh();
  return ports_[port].used * 1e12;
}

double PortFluid::ingress_rate(std::uint32_t port) {
  contract_.check_ingress(port);
  refresh();
  return ports_[egress_ports_ + port].used * 1e12;
}

double PortFluid::cable_rate(std::uint32_t cable) {
  contract_.check_cable(cable);
  return 0;
}

void PortFluid::set_capacity(Time now, std::size_t port, BytesPerSecond capacity) {
  run_to(now);
  ports_[port].capacity = per_picosecond(capacity);
  touch(static_cast<std::uint32_t>(port));
}

void PortFluid::touch(std::uint32_t port) {
  if (!std::exchange(ports_[port].touched, true)) touched_.push_back(port);
}

std::uint32_t PortFluid::class_of(const Flow& flow) {
  const ClassTable::Key key{flow.from, flow.to, flow.cap.count};
  std::uint32_t& c = numbers_.at(key);
  if (c != kNone) return c;
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(classes_.size()));
    classes_.emplace_back();
  }
  c = free_.back();
  free_.pop_back();
  Class& added = classes_[c];
  added.egress = flow.from;
  added.ingress = static_cast<std::uint32_t>(egress_ports_ + flow.to);
  auto &out = ports_[added.egress].classes, &in = ports_[added.ingress].classes;
  added.at_egress = static_cast<std::uint32_t>(out.size());
  added.at_ingress = static_cast<std::uint32_t>(in.size());
  out.push_back(c);
  in.push_back(c);
  added.cap = per_picosecond(flow.cap);
  added.key = key;
  added.left = added.rate = 0;
  added.since = time_;
  return c;
}

void PortFluid::drop(std::uint32_t c) {
  const auto unlist = [&](std::uint32_t port, std::uint32_t Class::* at) {
    auto& list = ports_[port].classes;
    const std::uint32_t hole = classes_[c].*at;
    list[hole] = list.back();
    classes_[list[hole]].*at = hole;
    list.pop_back();
  };
  unlist(classes_[c].egress, &Class::at_egress);
  unlist(classes_[c].ingress, &Class::at_ingress);
  numbers_.erase(classes_[c].key);
  free_.push_back(c);
}

// Advances a class to the fluid's time.
void PortFluid::serve(std::uint32_t c) {
  Class& served = classes_[c];
  served.left -= served.rate * (time_ - served.since);
  served.since = time_;
}

// Updates the rates and ends of the classes that touched ports concern.
void PortFluid::refresh() {
  if (touched_.empty()) return;
  share(touched_);
  for (std::uint32_t port : touched_) ports_[port].touched = false;
  touched_.clear();
}

void PortFluid::set_rate(std::uint32_t c, double rate) {
  Class& changed = classes_[c];
  if (rate == changed.rate && !changed.stale) return;
  serve(c);
  changed.rate = rate;
  changed.stale = false;
  ends_.set(c, changed.since + std::max(0.0, changed.left) / rate);
}

// Ends flows that end by `now`.
void PortFluid::run_to(Time now) {
  const FluidTime last{contract_.move_to(now), 0};
  // At the very time of a change no flow ends: those that could have ended already.
  while (touched_.empty() || time_ < last) {
    refresh();
    if (ends_.empty() || ends_.first().rounded() > last.whole) break;
    const std::int64_t time = ends_.first().rounded();
    time_ = std::min(ends_.first(), last);
    end_flows(time);
  }
  if (time_ < last) time_ = last;
}

void PortFluid::end_flows(std::int64_t time) {
  const FluidTime until = std::max(time_, ends_.first()) + kSlack;
  while (!ends_.empty() && !(until < ends_.first())) {
    const std::uint32_t c = ends_.first_class();
    ends_.erase(c);
    end_flows_of(c, time);
  }
}

void PortFluid::end_flows_of(std::uint32_t c, std::int64_t time) {
  serve(c);
  Class& ending = classes_[c];
  const double served = ending.flows.first().finish - ending.left;
  const double slack = ending.rate * 2 * kSlack + noise_;
  while (!ending.flows.empty() && ending.flows.first().finish - served <= slack) {
    ended_.add(time, ending.flows.first());
    ending.flows.pop();
    --ports_[ending.egress].flows;
    --ports_[ending.ingress].flows;
  }
  touch(ending.egress);
  touch(ending.ingress);
  ending.stale = true;
  if (ending.flows.empty()) return drop(c);
  ending.left = ending.flows.first().finish - served;
}

}  // namespace a3sim
