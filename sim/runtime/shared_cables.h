#pragma once

#include <cstdint>
#include <vector>

#include "sim/network/network.h"

namespace a3sim {

// Cables that transfers of a program share, whoever sends: also those to peers outside the program. The shares of a
// path count the bytes of all the dies for which a rank stands, so that capacities are scaled accordingly.
struct SharedCables {
  std::vector<BytesPerSecond> cables;
  std::vector<CablePath> paths;  // path 0 has no cables
  // By task and transfer: the path. A task without an entry, or with an empty one, uses no cables.
  std::vector<std::vector<std::uint32_t>> of_transfer;

  std::uint32_t path(std::uint32_t task, std::size_t transfer) const {
    if (task >= of_transfer.size() || transfer >= of_transfer[task].size()) return 0;
    return of_transfer[task][transfer];
  }
};

}  // namespace a3sim
