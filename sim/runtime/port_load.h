#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "sim/device/hardware.h"
#include "sim/memory/memory.h"

namespace a3sim {

// The highest rates of a rank's ports, in bytes per second.
struct PortLimits {
  double egress, ingress;
};

// The current traffic of a device's ports, and the memory bandwidth that it takes.
class PortLoad {
 public:
  explicit PortLoad(const Hardware::MemorySystem& memory) : memory_(memory) {}

  // Add bytes that leave or arrive from now on (negative: that no longer do), and the equivalent of reads for
  // the HBM. The order of calls does not matter.
  void leave(double bytes, double hbm) { leaving_.add(bytes, hbm); }
  void arrive(double bytes, double hbm) { arriving_.add(bytes, hbm); }

  // Returns the load of each memory resource when the ports read and write at these rates. A flow that leaves
  // needs its own share of the HBM; all together need the mean of these shares.
  std::array<double, kResources> rates(double read, double write) const {
    return {read, write, read * leaving_.part() + write * arriving_.part()};
  }
  // Returns whether the memory can serve ports that read and write at these rates in total.
  bool serves(double read, double write) const;
  // Returns the highest rates of ports which the memory can serve, if all that carry less keep their rates.
  // `read` and `write` are what each port carries now. Ports share each resource max-min fairly.
  PortLimits limits(std::span<const double> read, std::span<const double> write) const;

 private:
  struct Flow {
    static constexpr double kUnits = 1 << 20;  // per byte: sums of whole numbers are exact
    std::int64_t bytes = 0, hbm = 0;
    double part() const { return bytes > 0 ? static_cast<double>(hbm) / static_cast<double>(bytes) : 0; }
    void add(double more_bytes, double more_hbm) {
      bytes += std::llround(more_bytes * kUnits);
      hbm += std::llround(more_hbm * kUnits);
    }
  };
  const Hardware::MemorySystem& memory_;
  Flow leaving_, arriving_;
};

}  // namespace a3sim
