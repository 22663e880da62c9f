#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/units.h"

namespace a3sim {

struct PlatformLink {
  std::string name;
  BytesPerSecond rate{};
};

// What SimGrid makes of a platform file: the links between its hosts, and which of them each route takes.
struct PlatformTable {
  std::uint32_t hosts = 0;
  std::vector<PlatformLink> links;
  std::vector<std::vector<std::uint32_t>> routes;  // by pair of hosts: at [from * hosts + to]
};

// Lets SimGrid read a plain platform file in a process of its own, which has a minute and some gigabytes. `host` is the name
// of a die's host, with {die} for its number from 0 on. Throws InputError with the file, the line where it is known, and a
// remedy, for what cannot be read or is not plain, hosts that are missing, pairs without a route, routes that go over a link
// twice, and links that are no cables.
PlatformTable read_platform(const std::filesystem::path& file, const std::string& host);

}  // namespace a3sim
