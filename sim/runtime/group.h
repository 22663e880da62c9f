#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/engine.h"

namespace a3sim {

class Device;

// The ranks that run a schedule: they meet before a collective begins and after it has ended.
class Group {
 public:
  void join(Device& device) { devices_.push_back(&device); }
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(devices_.size()); }

  // One rank has come. When all have, each one's Execution is called `delay` later, with `value`: the same of
  // all.
  void arrive(Engine& engine, Duration delay, std::uint32_t value);

 private:
  std::vector<Device*> devices_;
  std::uint32_t arrived_ = 0;
};

}  // namespace a3sim
