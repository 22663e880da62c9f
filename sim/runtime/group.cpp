#include "sim/runtime/group.h"

#include "sim/runtime/device.h"

namespace a3sim {

void Group::arrive(Engine& engine, Duration delay, std::uint32_t value) {
  if (++arrived_ < ranks()) return;
  arrived_ = 0;
  for (Device* device : devices_) device->call_later(engine, engine.now() + delay, value);
}

}  // namespace a3sim
