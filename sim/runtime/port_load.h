#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "sim/device/hardware.h"
#include "sim/memory/memory.h"

namespace a3sim {

// The current traffic of a device's ports, and the memory bandwidth that it takes.
class PortLoad {
 public:
  // Add bytes that leave or arrive from now on (negative: that no longer do), and the equivalent of reads for
  // the HBM. The order of calls does not matter.
  void leave(double bytes, double hbm) { leaving_.add(bytes, hbm); }
  void arrive(double bytes, double hbm) { arriving_.add(bytes, hbm); }

  // Returns the part of these ports' traffic that the memory can serve.
  double served_part(const Hardware::MemorySystem& memory, double egress, double ingress) const {
    const auto fits = [](BytesPerSecond capacity, double need) {
      return need > 0 ? kMostOfMemory * static_cast<double>(capacity.count) / need : 1;
    };
    const double hbm = egress * leaving_.part() + ingress * arriving_.part();
    return std::min(
        {1.0, fits(memory.hbm_read, hbm), fits(memory.l2_read, egress), fits(memory.l2_write, ingress)});
  }
  // Returns the load of each memory resource when the ports read and write at these rates. A flow that leaves
  // needs its own share of the HBM; all together need the mean of these shares.
  std::array<double, kResources> rates(double read, double write) const {
    return {read, write, read * leaving_.part() + write * arriving_.part()};
  }

 private:
  // Ports cannot use the hundredth of each memory resource that Memory keeps for tasks.
  static constexpr double kMostOfMemory = 0.99;

  struct Flow {
    static constexpr double kUnits = 1 << 20;  // per byte: sums of whole numbers are exact
    std::int64_t bytes = 0, hbm = 0;
    double part() const { return bytes > 0 ? static_cast<double>(hbm) / static_cast<double>(bytes) : 0; }
    void add(double more_bytes, double more_hbm) {
      bytes += std::llround(more_bytes * kUnits);
      hbm += std::llround(more_hbm * kUnits);
    }
  };
  Flow leaving_, arriving_;
};

}  // namespace a3sim
