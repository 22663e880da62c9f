#pragma once

#include <atomic>
#include <cstdint>

namespace a3sim {

// Progress of reading a platform, in memory that two processes share.
struct PlatformProgress {
  std::atomic<std::uint32_t> loaded{0};       // 1 when the file has been read
  std::atomic<std::uint32_t> from{0}, to{0};  // the hosts of the route in hand
};

// Loads a platform file and writes to a file descriptor: how many of these hosts there are up to the first that is missing,
// the routes between any two of them, and the links of these routes. `hosts` has a name per line. It may end the process,
// so it is called in a process of its own (platform_table.h). The SimGrid module exports it under this name.
extern "C" void a3sim_write_platform(const char* file, const char* hosts, int descriptor,
                                     PlatformProgress* progress);

inline constexpr char kWritePlatform[] = "a3sim_write_platform";
inline constexpr std::uint32_t kMostPlatformHosts = 1024;

}  // namespace a3sim
