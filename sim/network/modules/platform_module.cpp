#include "sim/network/platform_module.h"

#include <xbt/log.h>

#include <cstdio>
#include <exception>
#include <map>
#include <simgrid/s4u.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace a3sim {
namespace {

namespace s4u = simgrid::s4u;

// Returns the hosts of these names, up to the first that is missing.
std::vector<s4u::Host*> hosts_named(const char* names) {
  std::vector<s4u::Host*> hosts;
  std::istringstream lines(names);
  for (std::string name; std::getline(lines, name);) {
    s4u::Host* const host = s4u::Host::by_name_or_null(name);
    if (host == nullptr) break;
    hosts.push_back(host);
  }
  return hosts;
}

// Writes each link once, before the first route that uses it.
class PlatformWriter {
 public:
  explicit PlatformWriter(std::FILE* out) : out_(out) {}

  void write_route(const std::vector<s4u::Link*>& links) {
    for (s4u::Link* const link : links) {
      if (!numbers_.try_emplace(link, numbers_.size()).second) continue;
      std::fprintf(out_, "link %.17g %d %s\n", link->get_bandwidth(),
                   static_cast<int>(link->get_sharing_policy()), link->get_cname());
    }
    std::fputs("route", out_);
    for (s4u::Link* const link : links) std::fprintf(out_, " %zu", numbers_.at(link));
    std::fputc('\n', out_);
  }

 private:
  std::FILE* out_;
  std::map<s4u::Link*, std::size_t> numbers_;
};

void write_platform(const char* file, const char* names, std::FILE* out, PlatformProgress& progress) {
  std::string program = "a3sim", log = "--log=root.thresh:error";
  char* arguments[] = {program.data(), log.data(), nullptr};
  int count = 2;
  // This process is a copy of one that may have a network already.
  if (s4u::Engine::has_instance())
    throw std::runtime_error(
        "it has room for one network a process, and network.backend=simgrid has made one here; read the "
        "platform in a "
        "run of its own, or take network.backend=native before");
  s4u::Engine engine(&count, arguments);
  engine.load_platform(file);
  engine.seal_platform();
  progress.loaded = 1;
  const std::vector<s4u::Host*> hosts = hosts_named(names);
  std::fprintf(out, "hosts %zu\n", hosts.size());
  PlatformWriter writer(out);
  for (std::uint32_t from = 0; from < hosts.size(); ++from) {
    for (std::uint32_t to = 0; to < hosts.size(); ++to) {
      if (from == to) continue;
      progress.from = from;
      progress.to = to;
      std::vector<s4u::Link*> links;
      double latency = 0;
      hosts[from]->route_to(hosts[to], links, &latency);
      writer.write_route(links);
    }
  }
  std::fputs("end\n", out);
}

}  // namespace

extern "C" [[gnu::visibility("default")]] void a3sim_write_platform(const char* file, const char* hosts,
                                                                    int descriptor,
                                                                    PlatformProgress* progress) {
  std::FILE* const out = fdopen(descriptor, "w");
  if (out == nullptr) return;
  try {
    write_platform(file, hosts, out, *progress);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  std::fflush(out);
}

}  // namespace a3sim
