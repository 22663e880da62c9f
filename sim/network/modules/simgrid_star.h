#pragma once

#include <simgrid/version.h>

#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

// A star of hosts, built by the calls of SimGrid 3.32 (Debian 12) or of SimGrid 4 (Debian 13), which has renamed them.
namespace a3sim {

#if SIMGRID_VERSION >= 40000

// The network model is made with the root zone, by the options that were set before.
inline simgrid::s4u::NetZone* add_star(const simgrid::s4u::Engine& engine, const std::string& name) {
  return engine.get_netzone_root()->add_netzone_star(name);
}
inline simgrid::s4u::Host* add_host(simgrid::s4u::NetZone& star, const std::string& name) {
  return star.add_host(name, 1.0);
}
inline simgrid::s4u::Link* add_link(simgrid::s4u::NetZone& star, const std::string& name, double rate) {
  return star.add_link(name, rate);
}
// Traffic out of a host, or into it, takes these links.
inline void add_way_out(simgrid::s4u::NetZone& star, const simgrid::s4u::Host& host,
                        const std::vector<simgrid::s4u::LinkInRoute>& links) {
  star.add_route(&host, static_cast<const simgrid::s4u::Host*>(nullptr), links, false);
}
inline void add_way_in(simgrid::s4u::NetZone& star, const simgrid::s4u::Host& host,
                       const std::vector<simgrid::s4u::LinkInRoute>& links) {
  star.add_route(static_cast<const simgrid::s4u::Host*>(nullptr), &host, links, false);
}

#else

inline simgrid::s4u::NetZone* add_star(const simgrid::s4u::Engine&, const std::string& name) {
  return simgrid::s4u::create_star_zone(name);
}
inline simgrid::s4u::Host* add_host(simgrid::s4u::NetZone& star, const std::string& name) {
  return star.create_host(name, 1.0);
}
inline simgrid::s4u::Link* add_link(simgrid::s4u::NetZone& star, const std::string& name, double rate) {
  return star.create_link(name, rate);
}
// Traffic out of a host, or into it, takes these links.
inline void add_way_out(simgrid::s4u::NetZone& star, const simgrid::s4u::Host& host,
                        const std::vector<simgrid::s4u::LinkInRoute>& links) {
  star.add_route(host.get_netpoint(), nullptr, nullptr, nullptr, links, false);
}
inline void add_way_in(simgrid::s4u::NetZone& star, const simgrid::s4u::Host& host,
                       const std::vector<simgrid::s4u::LinkInRoute>& links) {
  star.add_route(nullptr, host.get_netpoint(), nullptr, nullptr, links, false);
}

#endif

}  // namespace a3sim
