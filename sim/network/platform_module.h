#pragma once

#include <atomic>
#include <cstdint>

namespace a3sim {

// How far the reading of a platform has come, in memory that two processes share.
struct PlatformProgress {
  std::atomic<std::uint32_t> loaded{0};       // the file has been read
  std::atomic<std::uint32_t> from{0}, to{0};  // the route between these hosts is asked for
};

// The function that the SimGrid module exports under this name: loads a platform file and writes, to a file descriptor, the
// hosts called `prefix`, a number from 0 on, `suffix`, the routes between any two of them, and the links of these. It may end the
// process, and is called in one of its own (platform_table.h).
extern "C" void a3sim_write_platform(const char* file, const char* prefix, const char* suffix, int descriptor,
                                     PlatformProgress* progress);

inline constexpr char kWritePlatform[] = "a3sim_write_platform";
inline constexpr std::uint32_t kMostPlatformHosts = 1024;

}  // namespace a3sim
