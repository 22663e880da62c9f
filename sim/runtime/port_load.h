#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "sim/device/hardware.h"
#include "sim/memory/memory.h"

namespace a3sim {

// What leaves a device and arrives at it now, and what that takes of its memory.
class PortLoad {
 public:
  // Bytes that leave, or arrive, from now on (negative: that have), and of reads that take the HBM as long. In
  // which order it is told is all the same.
  void leave(double bytes, double hbm) { leaving_.add(bytes, hbm); }
  void arrive(double bytes, double hbm) { arriving_.add(bytes, hbm); }

  // The part that the memory can serve of ports which take this much.
  double served_part(const Hardware::MemorySystem& memory, double egress, double ingress) const {
    const auto fits = [](BytesPerSecond capacity, double need) {
      return need > 0 ? kMostOfMemory * static_cast<double>(capacity.count) / need : 1;
    };
    const double hbm = egress * leaving_.part() + ingress * arriving_.part();
    return std::min(
        {1.0, fits(memory.hbm_read, hbm), fits(memory.l2_read, egress), fits(memory.l2_write, ingress)});
  }
  // Of all that leaves, each needs its part of the HBM; all together, at their rate, the mean of these.
  std::array<double, kResources> rates(double read, double write) const {
    return {read, write, read * leaving_.part() + write * arriving_.part()};
  }

 private:
  // The hundredth of each memory resource that Memory keeps for tasks is not the ports'.
  static constexpr double kMostOfMemory = 0.99;

  struct Flow {
    static constexpr double kUnits = 1 << 20;  // a byte: whole numbers, whose sums are exact
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
