#include "sim/runtime/link_disturbances.h"

#include <algorithm>

#include "sim/core/rng.h"

namespace a3sim {
namespace {

bool is_on(const LinkDisturbances::Port& port, Duration time) {
  return port.period == Duration::zero() || time % port.period < port.on;
}

BytesPerSecond disturbed(BytesPerSecond nominal, BytesPerSecond now, const LinkDisturbances::Port& port) {
  const std::int64_t least = std::max<std::int64_t>(1, nominal.count / 1000);
  const auto rate =
      static_cast<std::int64_t>(static_cast<double>(now.count) * port.factor) - port.taken.count;
  return {std::max(least, rate)};
}

}  // namespace

bool LinkDisturbances::depend_on_time() const {
  return std::ranges::any_of(ports, [](const Port& port) { return port.period > Duration::zero(); }) ||
         std::ranges::any_of(cables, [](const Cable& cable) { return cable.damage.changes(); });
}

NetworkSpec LinkDisturbances::ports_at(const Topology& topology, Time time) const {
  const NetworkSpec& nominal = topology.ports();
  NetworkSpec spec = nominal;
  for (const Port& port : ports) {
    if (!is_on(port, since + time.time_since_epoch())) continue;
    for (const std::uint32_t p : topology.ports_of(RankId{port.rank}, port.plane)) {
      if (port.egress) spec.egress[p] = disturbed(nominal.egress[p], spec.egress[p], port);
      if (port.ingress) spec.ingress[p] = disturbed(nominal.ingress[p], spec.ingress[p], port);
    }
  }
  return spec;
}

Time LinkDisturbances::next_change(Time time) const {
  Time next = Time::max();
  const Duration now = since + time.time_since_epoch();
  for (const Port& port : ports) {
    if (port.period == Duration::zero() || port.on >= port.period) continue;
    const Duration into = now % port.period;
    next = std::min(next, time + ((into < port.on ? port.on : port.period) - into));
  }
  return next;
}

CablePlanes LinkDisturbances::damaged(CablePlanes planes) const {
  for (const Cable& cable : cables) {
    for (CablePlane& plane : planes)
      if (plane.plane == cable.plane) plane.damages.push_back(cable.damage);
  }
  return planes;
}

double LinkDisturbances::factor_of_path(RankId from, RankId to) const {
  double factor = 1;
  for (const Path& path : paths)
    if (path.from == index(from) && path.to == index(to)) factor *= path.factor;
  return factor;
}

Duration LinkDisturbances::wait_of_put(const Topology& topology, RankId from, RankId to, OpId op,
                                       std::uint32_t row) const {
  Duration wait{};
  for (const Resend& resend : resends) {
    if (resend.rank != index(from)) continue;
    if (resend.plane != kNone && resend.plane != topology.level(from, to).plane) continue;
    const std::uint64_t put = (std::uint64_t{index(op)} << 52) ^ (std::uint64_t{index(from)} << 40) ^
                              (std::uint64_t{index(to)} << 28) ^ row;
    if (Rng(resend.seed, put).uniform() < resend.chance) wait += resend.timeout;
  }
  return wait;
}

}  // namespace a3sim
