#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/core/enum_names.h"

namespace a3sim {

// Where a core holds data: its buffers, and the device's memory behind the L2.
enum class Store : std::uint8_t { kGm, kL1, kL0a, kL0b, kL0c, kUb };
constexpr auto names_of(Store) {
  return std::to_array<std::string_view>({"gm", "l1", "l0a", "l0b", "l0c", "ub"});
}

// The pipes between the stores of a matrix core, of the vector core beside it, and the memory. Each moves
// data in one direction. Those of a way work at the same time, each on another part of the data, so a way is
// as fast as its slowest pipe.
class Pipes {
 public:
  // Adds a pipe that moves so many bytes per cycle; 0: none.
  void set(Store from, Store to, double rate) { rates_[at(from)][at(to)] = rate; }
  double pipe(Store from, Store to) const { return rates_[at(from)][at(to)]; }

  // Returns the bytes per cycle from one store to another: over the pipe between them, or else over the
  // fastest way through other stores. 0: there is no way. `on_core`: memory is no part of it.
  double way(Store from, Store to, bool on_core = false) const;

  friend bool operator==(const Pipes&, const Pipes&) = default;

 private:
  static constexpr std::size_t kStores = kCountOf<Store>;
  static constexpr std::size_t at(Store store) { return static_cast<std::size_t>(store); }

  std::array<std::array<double, kStores>, kStores> rates_{};
};

}  // namespace a3sim
