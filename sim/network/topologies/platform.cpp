#include <utility>

#include "sim/core/error.h"
#include "sim/network/cable_layout.h"
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

// Reads `{kind: platform, file: cluster.xml, host: "node-{die}"}` with SimGrid. Latencies are the machine's,
// not the file's.
std::unique_ptr<CableLayout> read_platform_layout(const Config& config) {
  const std::filesystem::path file = config.file("file");
  const std::string host = config.text("host");
  if (file.empty() || host.empty()) return nullptr;
  try {
    return std::make_unique<PlatformLayout>(read_platform(file, host), file.string());
  } catch (const InputError& error) {
    config.error(host.find("{die}") == std::string::npos ? "host" : "file", error.what());
    return nullptr;
  }
}

A3SIM_REGISTER(TopologyKind, "platform", "links and routes of a SimGrid platform file (XML)",
               TopologyKind{read_platform_layout});

}  // namespace
}  // namespace a3sim
