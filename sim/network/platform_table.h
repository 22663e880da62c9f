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

// The hosts of dies, in their order. A platform may have others.
struct PlatformHosts {
  std::vector<std::string> names;
  bool numbered = false;  // they are as many as the platform has, from the first on
};
// Returns the names that a pattern gives, with {die} for numbers from `first` on: the most that one engine can read. Throws
// InputError for a pattern without {die}.
PlatformHosts numbered_hosts(const std::string& pattern, std::uint32_t first);

// Reads a plain platform file with SimGrid, in a process of its own that is limited to a minute and some
// gigabytes. Throws InputError with
// the file, the line if known, and a remedy for: a file that cannot be read or is not plain, missing hosts,
// pairs without a route, routes that use a link twice, and links that are not cables.
PlatformTable read_platform(const std::filesystem::path& file, const PlatformHosts& hosts);

}  // namespace a3sim
