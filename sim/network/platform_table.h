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

// The contents of a platform file, as SimGrid reads it: the links between its hosts, and those that each
// route uses.
struct PlatformTable {
  std::uint32_t hosts = 0;
  std::vector<PlatformLink> links;
  std::vector<std::vector<std::uint32_t>> routes;  // by pair of hosts, at [from * hosts + to]
};

// Reads a plain platform file with SimGrid, in a process of its own that is limited to a minute and some
// gigabytes. `host` is the name of a die's host, with {die} for its number from 0 on. Throws InputError with
// the file, the line if known, and a remedy for: a file that cannot be read or is not plain, missing hosts,
// pairs without a route, routes that use a link twice, and links that are not cables.
PlatformTable read_platform(const std::filesystem::path& file, const std::string& host);

}  // namespace a3sim
