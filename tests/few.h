#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <vector>

namespace a3sim {

// Returns the first of several inputs that run the same code in debug builds, where sanitizers check the
// code, and all of them otherwise.
template <class T>
std::vector<T> few(std::size_t count, std::initializer_list<T> all) {
#ifdef NDEBUG
  count = all.size();
#endif
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size()))};
}

}  // namespace a3sim
