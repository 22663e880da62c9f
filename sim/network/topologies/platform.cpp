#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/core/error.h"
#include "sim/network/cable_layout.h"
#include "sim/network/platform_module.h"
#include "sim/network/platform_table.h"

namespace a3sim {
namespace {

// The links and routes of a platform file. There is one way between two hosts.
class PlatformLayout final : public CableLayout {
 public:
  PlatformLayout(PlatformTable table, std::string file) : routes_(std::move(table.routes)) {
    hosts_ = table.hosts;
    for (PlatformLink& link : table.links) cables_.push_back({std::move(link.name), "", "link", link.rate});
    file_ = std::move(file);
  }
  std::uint32_t ways(std::uint32_t, std::uint32_t) const override { return 1; }
  std::uint32_t given_way(std::uint32_t, std::uint32_t) const override { return 0; }
  void append_way(std::uint32_t from, std::uint32_t to, std::uint32_t,
                  std::vector<std::uint32_t>& cables) const override {
    const std::vector<std::uint32_t>& route = routes_.at(std::size_t{from} * hosts_ + to);
    cables.insert(cables.end(), route.begin(), route.end());
  }

 private:
  std::vector<std::vector<std::uint32_t>> routes_;
};

// Returns the hosts of dies: those that a pattern numbers, or a list. Notes an error for neither and for both.
PlatformHosts read_hosts(const Config& config) {
  const bool listed = config.has("names");
  if (listed == config.has("host")) {
    config.error(
        listed ? "names" : "host",
        listed ? "beside host, expected one of the two"
               : "missing, expected what the hosts of dies are called (\"node-{die}\"), or names: a list");
    return {};
  }
  constexpr std::int64_t kLargestFirst = 1'000'000'000;
  if (!listed) {
    const auto first = config.has("first") ? config.integer("first", 0, kLargestFirst) : 0;
    return numbered_hosts(config.text("host"), static_cast<std::uint32_t>(first));
  }
  PlatformHosts hosts;
  hosts.names = config.texts("names");
  if (hosts.names.empty() || hosts.names.size() > kMostPlatformHosts) {
    config.error("names", fmt::format("{} names, expected 1 to {}", hosts.names.size(), kMostPlatformHosts));
    return {};
  }
  std::vector<std::string> sorted = hosts.names;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) config.error("names", fmt::format("'{}' stands there twice", *twice));
  return hosts;
}

// Reads `{kind: platform, file: cluster.xml, host: "node-{die}", first: 1}` with SimGrid, or `names: [a, b]`. Latencies
// are the machine's, not the file's.
std::unique_ptr<CableLayout> read_platform_layout(const Config& config) {
  const std::filesystem::path file = config.file("file");
  bool named = false;
  try {
    const PlatformHosts hosts = read_hosts(config);
    named = true;
    if (file.empty() || hosts.names.empty()) return nullptr;
    return std::make_unique<PlatformLayout>(read_platform(file, hosts), file.string());
  } catch (const InputError& error) {
    config.error(named ? "file" : "host", error.what());
    return nullptr;
  }
}

A3SIM_REGISTER(TopologyKind, "platform", "links and routes of a SimGrid platform file (XML)",
               TopologyKind{read_platform_layout});

}  // namespace
}  // namespace a3sim
