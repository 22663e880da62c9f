#pragma once

#include <vector>

#include "sim/diagnosis/rules/finding.h"
#include "sim/diagnosis/rules/profile_means.h"

// The limits of the kernels of a profile, by how busy the pipes of their cores were.
namespace a3sim {

struct Bound {
  // kNothing: no pipe is busy for most of the time, so the kernel waits for latency. kUnknown: pipes were not recorded.
  enum class By : std::uint8_t { kUnknown, kNothing, kMemory, kCores, kScalar };
  By by = By::kUnknown;
  Pipe pipe = Pipe::kCube;  // the busiest one; of several that bind, one that works on data
  double busy = 0;          // part of the time in which it was busy
  double useful = 0;        // the same of the busiest pipe that works on data: not of the scalar units
};
// `used`: the part of the time from which on a pipe binds.
Bound bound_of(const KernelTime& kernel, double used);

struct BoundKernel {
  const KernelTime* kernel = nullptr;
  double lost = 0;  // ps of a step: what it loses, or takes where it loses nothing
  Bound bound;
};
// Returns a finding that names these kernels, those that lose most first.
Finding bound_finding(const SteadyState& job, const ProfiledTime& time, std::vector<BoundKernel> kernels,
                      double used);

}  // namespace a3sim
